// The verbs of kernel.hpp for a chain: link k joins bodies k - 1 and k. Each verb is one pass over
// the coordinates (chain_passes.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "rattleback/integrators/chain_gram.hpp"
#include "rattleback/integrators/chain_passes.hpp"
#include "rattleback/integrators/kernel.hpp"
#include "rattleback/solve/rolling_predictor.hpp"
#include "rattleback/solve/structure.hpp"

namespace rattleback {

template <class Sys, class S>
class ChainKernel {
 public:
  static constexpr int N = dynamic;
  static constexpr int M = dynamic;
  static constexpr bool exact_newton = false;
  static constexpr int D = Sys::space;
  using T = Base<S>;
  using Position = Vector<S, dynamic>;
  using Multiplier = Vector<S, dynamic>;
  using Passes = ChainPasses<Sys, S>;
  using Jacobian = typename Passes::Jacobian;
  using Predictor = ProjectedPredictor<Multiplier>;
  using Floor = double;  // the largest over all links: neighbours share their coordinates

  explicit ChainKernel(const Sys& system) : n_(system.bodies()), gram_(n_) {}

  static SolverKind kind(const Sys&) { return SolverKind::chain; }
  static Jacobian jacobian(const Sys& system) { return Jacobian(system); }
  static void exchange(Jacobian& j, Jacobian& next) { j.swap(next); }

  /// g and G at q; whether g is round-off. After launch() both are there.
  RATTLEBACK_PASS bool settled(const Sys& system, const Position& q, Multiplier& g,
                               Jacobian& jacobian, double floor) {
    if (launched_) {
      launched_ = false;
      return beyond_ == 0;
    }
    jacobian.bind(q);
    std::int64_t beyond = 0;
    for (int k = 0, count; k < n_; k += count) {
      count = Passes::count_from(k, n_);
      beyond += Passes::residual(system, q.data(), k, count, floor, jacobian, g.data());
    }
    return beyond == 0;
  }
  void linearise(const Sys& system, const Position& q, Multiplier& g, Jacobian& jacobian) {
    launched_ = false;
    settled(system, q, g, jacobian, 0);
  }

  /// q1 = q + h M^-1 (p - G^T lambda - before h V_q), and g and G there; the momentum waits for its
  /// final lambda.
  RATTLEBACK_PASS void launch(const Sys& system, const Stride<S, N>& stride, Floor floor,
                              Work<ChainKernel>& w) {
    const S* __restrict q = stride.z.q.data();
    const S* __restrict p = stride.z.p.data();
    const S* __restrict v = w.v_q.data();
    S* __restrict out = w.q.data();
    S* __restrict g = w.g.data();
    const Real<S> h = stride.h, kick = h * stride.kicks.before;
    std::int64_t beyond = 0;
    Jacobian& next = w.next;
    w.jacobian.bind(stride.z.q), next.bind(w.q);
    Passes::for_coordinates(
        w.jacobian, w.lambda,
        [=, &system](int x, const S& force) RATTLEBACK_INLINE_LAMBDA {
          out[x] = q[x] + (p[x] - force - v[x] * kick) * (h * system.inverse_mass(x / D));
        },
        [](int, int) {},
        [=, &system, &next, &beyond](int first, int count) RATTLEBACK_INLINE_LAMBDA {
          beyond += Passes::residual(system, out, first, count, floor, next, g);
        });
    beyond_ = beyond;
    launched_ = true;
  }
  /// q = far + (near + beta w) with w = -M^-1 (hh V_q + G^T lambda), and g and G there; whether g
  /// is round-off.
  RATTLEBACK_PASS bool reach(const Sys& system, const Jacobian& jacobian, const Multiplier& lambda,
                             const Reach<S, N>& to, Floor floor, Position& position,
                             Multiplier& residual, Jacobian& next) const {
    const S* __restrict far = to.far.data();
    const S* __restrict near = to.near.data();
    S* __restrict q = position.data();
    S* __restrict g = residual.data();
    const Real<S> beta = to.beta;
    std::int64_t beyond = 0;
    next.bind(position);
    for_drives(
        system, jacobian, lambda, to,
        [=](int x, const S& w) RATTLEBACK_INLINE_LAMBDA { q[x] = far[x] + (near[x] + w * beta); },
        [=, &system, &next, &beyond](int first, int count) RATTLEBACK_INLINE_LAMBDA {
          beyond += Passes::residual(system, q, first, count, floor, next, g);
        });
    return beyond == 0;
  }
  /// w
  RATTLEBACK_PASS void follow(const Sys& system, const Jacobian& jacobian, const Multiplier& lambda,
                              const Reach<S, N>& to, Position& drive) const {
    S* __restrict w = drive.data();
    for_drives(
        system, jacobian, lambda, to,
        [=](int x, const S& push) RATTLEBACK_INLINE_LAMBDA { w[x] = push; }, [](int, int) {});
  }
  /// What an exact correction of q by M^-1 G^T delta leaves of g, at most so many times |delta|^2:
  /// of rods |d_k' - d_k|^2/2, with d_k' - d_k a sum of d_{k-1}, d_k and d_{k+1}.
  double left_over(const Sys& system, const Jacobian& jacobian) const
    requires(Sys::is_rod)
  {
    const auto length = [&](int k) {
      double sum = 0;
      for (const S& x : jacobian.second_of(k)) sum += magnitude(x) * magnitude(x);
      return std::sqrt(sum);
    };
    double most = 0;
    for (int k = 0; k < n_; ++k) {
      const double w = system.inverse_mass(k), before = k > 0 ? system.inverse_mass(k - 1) : 0;
      double moved = length(k) * (w + before);
      if (k > 0) moved += length(k - 1) * before;
      if (k + 1 < n_) moved += length(k + 1) * w;
      most = larger(most, moved);
    }
    return most * most / 2;
  }
  /// q -= M^-1 G^T delta; total (+)= delta
  RATTLEBACK_PASS void shift(const Sys& system, const Jacobian& jacobian, const Multiplier& delta,
                             bool first, Position& position, Multiplier& total) const {
    S* __restrict q = position.data();
    Passes::for_coordinates(jacobian, delta,
                            [=, &system](int x, const S& force) RATTLEBACK_INLINE_LAMBDA {
                              q[x] -= force * system.inverse_mass(x / D);
                            });
    if (first)
      copy(delta, total);
    else
      add_scaled(Real<S>(1), delta, total);
  }
  /// p -= G^T lambda
  RATTLEBACK_PASS void kick(const Jacobian& jacobian, const Multiplier& lambda,
                            Position& momentum) const {
    S* __restrict p = momentum.data();
    Passes::for_coordinates(jacobian, lambda,
                            [=](int x, const S& force) RATTLEBACK_INLINE_LAMBDA { p[x] -= force; });
  }
  /// lambda += delta/h, with delta in mu
  static void correct(const Real<S>& h, Work<ChainKernel>& w) {
    add_scaled(Real<S>(Real<S>(1) / h), w.mu, w.lambda);
  }
  /// p = p0 - G^T lambda - before h V_q(q0) - after h V_q(q), v_q becomes V_q(q), and mu = G M^-1 p
  /// with the G of next where that is asked for.
  RATTLEBACK_PASS void arrive(const Sys& system, const Stride<S, N>& stride,
                              Work<ChainKernel>& w) const {
    const S* __restrict p = stride.z.p.data();
    const S* __restrict q = w.q.data();
    S* __restrict v = w.v_q.data();
    S* __restrict out = w.p.data();
    S* __restrict m = w.mu.data();
    const Real<S> h = stride.h, kick = h * stride.kicks.before, kick1 = h * stride.kicks.after;
    const bool project = stride.project;
    const Jacobian& next = w.next;
    S gradient[D * Passes::block];
    Passes::for_coordinates(
        w.jacobian, w.lambda,
        [=, &gradient](int x, const S& force, int at) RATTLEBACK_INLINE_LAMBDA {
          out[x] = p[x] - force - v[x] * kick - gradient[at] * kick1;
          v[x] = gradient[at];
        },
        [=, &system, &gradient](int first, int count) RATTLEBACK_INLINE_LAMBDA {
          for (int i = 0; i < count; ++i) {
            Point x;
            for (int c = 0; c < D; ++c) x[c] = q[D * (first + i) + c];
            const Point f = system.template body_gradient<S>(x, first + i);
            for (int c = 0; c < D; ++c) gradient[D * i + c] = f[c];
          }
        },
        [=, &system, &next](int first, int count) RATTLEBACK_INLINE_LAMBDA {
          if (project) Passes::hidden_block(system, next, out, first, count, m);
        });
  }
  /// out = g_qq(v, v): of rods |v_k - v_{k-1}|^2
  RATTLEBACK_PASS void curvature(const Sys&, const Position& velocity, Multiplier& out) const
    requires(Sys::is_rod)
  {
    const S* __restrict v = velocity.data();
    S* __restrict bend = out.data();
    const int n = n_;
    for (int k = 0; k < n; ++k) {
      S sum(0);
      for (int c = 0; c < D; ++c) {
        const S d = k > 0 ? S(v[D * k + c] - v[D * k - D + c]) : v[c];
        sum += d * d;
      }
      bend[k] = sum;
    }
  }
  /// out = G M^-1 p
  RATTLEBACK_PASS void hidden(const Sys& system, const Jacobian& jacobian, const Position& p,
                              Multiplier& out) const {
    for (int k = 0, count; k < n_; k += count) {
      count = Passes::count_from(k, n_);
      Passes::hidden_block(system, jacobian, p.data(), k, count, out.data());
    }
  }

  /// Factors G M^-1 G^T.
  FactorReport factor(const Sys& system, const Jacobian& jacobian) {
    return gram_.factor(system, jacobian);
  }
  /// Factors G_1 M^-1 G_0^T, the exact matrix of the position solve.
  FactorReport factor_between(const Sys& system, const Jacobian& at_start, const Jacobian& here) {
    return gram_.factor_between(system, at_start, here);
  }
  void solve_between(Multiplier& b) const { gram_.solve_between(b); }
  void solve(Multiplier& b) const { gram_.solve(b); }
  bool solve_fresh(const Sys& system, const Jacobian& jacobian, Multiplier& b, bool wanted) {
    const FactorReport report = factor(system, jacobian);
    if (wanted) solve(b);
    return report.ok;
  }

  /// b <- (G_1 M^-1 G_0^T)^-1 b
  bool solve_newton(const Sys& system, const Jacobian& at_start, const Jacobian& here,
                    Multiplier& b) {
    const FactorReport report = factor_between(system, at_start, here);
    solve_between(b);
    return report.ok;
  }

  /// Whether no link has turned by a right angle or more: (G_1 M^-1 G_0^T)_kk > 0.
  RATTLEBACK_PASS bool same_branch(const Sys& system, const Jacobian& at_start,
                                   const Jacobian& here) const {
    bool all = true;
    for (int k = 0; k < n_; ++k) all &= smallest(Gram::diagonal(system, here, at_start, k)) > 0;
    return all;
  }

  static double size(const Multiplier& g) { return Passes::size(g); }
  /// Whether a solve gave finite values. Elimination from both ends and back couples all rows: what
  /// is not a number in one is not in any, so that two say it for all.
  static bool solved(const Multiplier& b, double bound) {
    return ScalarTraits<S>::within(b[0], bound) && ScalarTraits<S>::within(b[b.size() - 1], bound);
  }
  static Floor floor(const Sys&) { return 0; }
  /// relative times the largest sum_j |G_kj| |q_j|
  void measure(const Position& q, const Jacobian& jacobian, double relative, Floor& floor) const {
    double most = 0;
    for (int k = 0; k < n_; ++k) {
      double sum = 0;
      const Point a = jacobian.first_of(k), b = jacobian.second_of(k);
      for (int c = 0; c < D; ++c) {
        sum += magnitude(base(b[c])) * magnitude(base(q[D * k + c]));
        if (k > 0) sum += magnitude(base(a[c])) * magnitude(base(q[D * (k - 1) + c]));
      }
      most = larger(most, sum);
    }
    floor = relative * most;
  }
  static bool within_floor(const Multiplier& g, Floor floor, double factor) {
    return within(g, factor * floor);
  }

 private:
  using Gram = ChainGram<Sys, S>;
  using Point = Vector<S, D>;

  template <class Op, class Finish>
  RATTLEBACK_INLINE static void for_drives(const Sys& system, const Jacobian& jacobian,
                                           const Multiplier& lambda, const Reach<S, N>& to, Op op,
                                           Finish&& finish) {
    const S* __restrict v = to.v_q.data();
    const Real<S> hh = to.hh;
    Passes::for_coordinates(
        jacobian, lambda,
        [=, &system](int x, const S& force) RATTLEBACK_INLINE_LAMBDA {
          op(x, S((v[x] * hh + force) * -system.inverse_mass(x / D)));
        },
        [](int, int) {}, finish);
  }

  int n_;
  Gram gram_;
  std::int64_t beyond_ = 0;  // of the last launch()
  bool launched_ = false;
};

template <class Sys, class S>
inline constexpr bool momentum_waits<ChainKernel<Sys, S>> = true;

}  // namespace rattleback

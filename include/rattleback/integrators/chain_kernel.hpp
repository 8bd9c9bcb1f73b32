// The verbs of NaturalConstrained for a chain: link k joins bodies k - 1 and k, G M^-1 G^T is
// tridiagonal. A long chain is a matter of memory traffic and of vector instructions: each verb is
// one pass over the coordinates, block by block, with the multipliers of a block spread out to one
// value a coordinate, so that all of it is contiguous.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "rattleback/integrators/chain_slopes.hpp"
#include "rattleback/problem/vector_ops.hpp"
#include "rattleback/solve/chain.hpp"
#include "rattleback/solve/rolling_predictor.hpp"

/// One loop with everything in it inlined, the user's functions too, so that it is vectorised.
#define RATTLEBACK_PASS [[gnu::flatten]]

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
  using Jacobian = std::conditional_t<Sys::is_rod, RodSlopes<Sys, S>, StoredSlopes<Sys, S>>;
  using Predictor = ProjectedPredictor<Multiplier>;
  using Floor = double;  // the largest over all links: neighbours share their coordinates

  explicit ChainKernel(const Sys& system)
      : n_(system.bodies()), gram_(n_), pivot_(n_), upper_(n_) {}

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
    std::int64_t beyond = residual(system, q.data(), 0, 1, floor, jacobian, g.data());
    for (int k = 1; k < n_; k += block)
      beyond += residual(system, q.data(), k, std::min(block, n_ - k), floor, jacobian, g.data());
    return beyond == 0;
  }
  void linearise(const Sys& system, const Position& q, Multiplier& g, Jacobian& jacobian) {
    launched_ = false;
    settled(system, q, g, jacobian, 0);
  }

  /// q1 = q + h M^-1 (p - G^T lambda - before h V_q), and g and G there; the momentum waits for its
  /// final lambda.
  RATTLEBACK_PASS void launch(const Sys& system, const State<S, dynamic>& z, Jacobian& jacobian,
                              Jacobian& next, const Multiplier& lambda, const Position& v_q,
                              const Real<S>& h, double before, Floor floor, Position& q1, Position&,
                              Multiplier& value) {
    const S* __restrict q = z.q.data();
    const S* __restrict p = z.p.data();
    const S* __restrict v = v_q.data();
    S* __restrict out = q1.data();
    S* __restrict g = value.data();
    const Real<S> kick = h * before;
    std::int64_t beyond = 0;
    jacobian.bind(z.q), next.bind(q1);
    for_coordinates(
        jacobian, lambda,
        [=, &system](int x, const S& force) RATTLEBACK_INLINE_LAMBDA {
          out[x] = q[x] + (p[x] - force - v[x] * kick) * (h * system.inverse_mass(x / D));
        },
        [](int, int) {},
        [=, &system, &next, &beyond](int first, int count) RATTLEBACK_INLINE_LAMBDA {
          beyond += residual(system, out, first, count, floor, next, g);
        });
    beyond_ = beyond;
    launched_ = true;
  }
  /// q -= M^-1 G^T delta; total (+)= delta
  RATTLEBACK_PASS void shift(const Sys& system, const Jacobian& jacobian, const Multiplier& delta,
                             bool first, Position& position, Multiplier& total) const {
    S* __restrict q = position.data();
    for_coordinates(jacobian, delta, [=, &system](int x, const S& force) RATTLEBACK_INLINE_LAMBDA {
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
    for_coordinates(jacobian, lambda,
                    [=](int x, const S& force) RATTLEBACK_INLINE_LAMBDA { p[x] -= force; });
  }
  /// lambda += delta/h
  static void correct(const Jacobian&, const Real<S>& h, const Multiplier& delta,
                      Multiplier& lambda, Position&) {
    add_scaled(Real<S>(Real<S>(1) / h), delta, lambda);
  }
  /// p = p0 - G^T lambda - before h V_q(q0) - after h V_q(q), v_q becomes V_q(q), and mu = G M^-1 p
  /// with the G of next where that is asked for.
  RATTLEBACK_PASS void arrive(const Sys& system, const State<S, dynamic>& z,
                              const Jacobian& jacobian, const Jacobian& next,
                              const Multiplier& lambda, const Real<S>& h, double before,
                              double after, bool project, const Position& position, Position& v_q,
                              Position& momentum, Multiplier& mu) const {
    const S* __restrict p = z.p.data();
    const S* __restrict q = position.data();
    S* __restrict v = v_q.data();
    S* __restrict out = momentum.data();
    S* __restrict m = mu.data();
    const Real<S> kick = h * before, kick1 = h * after;
    S gradient[D * block];
    for_coordinates(
        jacobian, lambda,
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
          if (project) hidden_block(system, next, out, first, count, m);
        });
  }
  /// out = G M^-1 p
  RATTLEBACK_PASS void hidden(const Sys& system, const Jacobian& jacobian, const Position& p,
                              Multiplier& out) const {
    hidden_block(system, jacobian, p.data(), 0, 1, out.data());
    for (int k = 1; k < n_; k += block)
      hidden_block(system, jacobian, p.data(), k, std::min(block, n_ - k), out.data());
  }

  /// Factors G M^-1 G^T.
  RATTLEBACK_PASS FactorReport factor(const Sys& system, const Jacobian& jacobian) {
    return gram_.factor(Diagonal{system, jacobian}, Coupling{system, jacobian});
  }
  void solve(Multiplier& b) const { gram_.solve(b); }
  bool solve_fresh(const Sys& system, const Jacobian& jacobian, Multiplier& b, bool wanted) {
    const FactorReport report = factor(system, jacobian);
    if (wanted) solve(b);
    return report.ok;
  }

  /// b <- (G_1 M^-1 G_0^T)^-1 b, the exact matrix of the position solve.
  bool solve_newton(const Sys& system, const Jacobian& at_start, const Jacobian& here,
                    Multiplier& b) {
    bool usable = true;
    for (int k = 0; k < n_; ++k) {
      T d = diagonal(system, here, at_start, k);
      const T a = d;
      if (k > 0) {
        const T w(system.inverse_mass(k - 1));
        const T lower = dot(here.first_of(k), at_start.second_of(k - 1)) * w;
        const T upper = dot(here.second_of(k - 1), at_start.first_of(k)) * w;
        const T m = lower * pivot_[k - 1];
        upper_[k] = upper * pivot_[k - 1];
        d -= m * upper;
        b[k] -= b[k - 1] * m;
      }
      pivot_[k] = T(1) / d;
      usable = usable && beyond(d, rank_threshold<T>(n_) * magnitude(a));
    }
    b[n_ - 1] = b[n_ - 1] * pivot_[n_ - 1];
    for (int k = n_ - 2; k >= 0; --k) b[k] = b[k] * pivot_[k] - b[k + 1] * upper_[k + 1];
    return usable;
  }

  /// Whether no link has turned by a right angle or more: (G_1 M^-1 G_0^T)_kk > 0.
  RATTLEBACK_PASS bool same_branch(const Sys& system, const Jacobian& at_start,
                                   const Jacobian& here) const {
    bool all = true;
    for (int k = 0; k < n_; ++k) all &= smallest(diagonal(system, here, at_start, k)) > 0;
    return all;
  }

  /// The largest |g_k|; not a number if one is.
  static double size(const Multiplier& g) {
    if constexpr (std::is_same_v<S, double>) {
      Row most{}, sum{};
      Eigen::Index k = 0;
      for (; k + 4 <= g.size(); k += 4) {
        Row four;
        std::memcpy(&four, g.data() + k, sizeof four);
        sum += four * 0.0;  // not a number where one of them is not finite
        four = four < 0 ? -four : four;
        most = four > most ? four : most;
      }
      double rest = std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
      rest += (sum[0] + sum[1]) + (sum[2] + sum[3]);
      for (; k < g.size(); ++k) rest = larger(rest, magnitude(g[k]));
      return rest;
    } else {
      return largest_magnitude(g);
    }
  }
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
  using Row = detail::FourRows::Row;
  static constexpr int block = 128;  // bodies: a few kB on the stack
  using Point = Vector<S, D>;

  /// g and G of a block of links, link 0 by itself; how many |g_k| are beyond the floor.
  RATTLEBACK_INLINE static std::int64_t residual(const Sys& system, const S* __restrict q, int k0,
                                                 int count, double floor, Jacobian& jacobian,
                                                 S* __restrict g) {
    std::int64_t beyond = 0;
    const auto link = [&](const Point& a, int k) RATTLEBACK_INLINE_LAMBDA {
      Point b;
      for (int c = 0; c < D; ++c) b[c] = q[D * k + c];
      const S v = jacobian.linearise(system, a, b, k);
      g[k] = v;
      beyond += ScalarTraits<S>::within(v, floor) ? 0 : 1;
    };
    if (k0 == 0) {
      Point a;
      for (int c = 0; c < D; ++c) a[c] = S(system.graph().anchor(0)[c]);
      link(a, 0);
      return beyond;
    }
    for (int k = k0; k < k0 + count; ++k) {
      Point a;
      for (int c = 0; c < D; ++c) a[c] = q[D * (k - 1) + c];
      link(a, k);
    }
    return beyond;
  }
  /// (G M^-1 p)_k for a block of links; link 0 is a block of its own.
  RATTLEBACK_INLINE static void hidden_block(const Sys& system, const Jacobian& jacobian,
                                             const S* __restrict p, int k0, int count,
                                             S* __restrict out) {
    if (k0 == 0) {
      S sum(0);
      for (int c = 0; c < D; ++c) sum += jacobian.root_second(c) * p[c];
      out[0] = sum * system.inverse_mass(0);
      return;
    }
    S product[D * block];
    for (int y = 0, x = D * k0; y < D * count; ++y, ++x)
      product[y] = jacobian.second(x) * p[x] * system.inverse_mass(x / D) +
                   jacobian.first(x) * p[x - D] * system.inverse_mass(x / D - 1);
    for (int i = 0; i < count; ++i) {
      S dot = product[D * i];
      for (int c = 1; c < D; ++c) dot += product[D * i + c];
      out[k0 + i] = dot;
    }
  }
  /// op(x, (G^T lambda)_x) for every coordinate x, or op(x, force, x - start of the block), between
  /// prepare(first body, count) and finish(first body, count) of each block.
  template <class Op, class Prepare, class Finish>
  RATTLEBACK_INLINE void for_coordinates(const Jacobian& jacobian, const Multiplier& lambda,
                                         Op&& op, Prepare&& prepare, Finish&& finish) const {
    const S* __restrict l = lambda.data();
    const auto apply = [&](int x, const S& force, int at) RATTLEBACK_INLINE_LAMBDA {
      if constexpr (requires { op(x, force, at); })
        op(x, force, at);
      else
        op(x, force);
    };
    prepare(0, 1);
    for (int c = 0; c < D; ++c) {
      S force = jacobian.root_second(c) * l[0];
      if (n_ > 1) force += jacobian.first(D + c) * l[1];
      apply(c, force, c);
    }
    finish(0, 1);
    S spread[D * (block + 1)];
    int i0 = 1;
    for (; i0 + 1 < n_; i0 += block) {
      const int count = std::min(block, n_ - 1 - i0);
      for (int i = 0; i <= count; ++i)
        for (int c = 0; c < D; ++c) spread[D * i + c] = l[i0 + i];
      prepare(i0, count);
      for (int y = 0, x = D * i0; y < D * count; ++y, ++x)
        apply(x, S(jacobian.second(x) * spread[y] + jacobian.first(x + D) * spread[y + D]), y);
      finish(i0, count);
    }
    if (n_ < 2) return;
    prepare(n_ - 1, 1);
    for (int c = 0, x = D * (n_ - 1); c < D; ++c, ++x)
      apply(x, S(jacobian.second(x) * l[n_ - 1]), c);
    finish(n_ - 1, 1);
  }
  template <class Op>
  RATTLEBACK_INLINE void for_coordinates(const Jacobian& jacobian, const Multiplier& lambda,
                                         Op&& op) const {
    for_coordinates(
        jacobian, lambda, op, [](int, int) {}, [](int, int) {});
  }

  static T dot(const Point& x, const Point& y) {
    T sum = base(x[0]) * base(y[0]);
    for (int c = 1; c < D; ++c) sum += base(x[c]) * base(y[c]);
    return sum;
  }
  /// (G_1 M^-1 G_0^T)_kk
  static T diagonal(const Sys& system, const Jacobian& j1, const Jacobian& j0, int k) {
    const T own = dot(j1.second_of(k), j0.second_of(k)) * T(system.inverse_mass(k));
    if (k == 0) return own;
    return own + dot(j1.first_of(k), j0.first_of(k)) * T(system.inverse_mass(k - 1));
  }

  /// Entries of G M^-1 G^T one by one, or for four rows k > 0 at once.
  template <class F>
  RATTLEBACK_INLINE static Row gather(F&& f) {
    return Row{f(0), f(1), f(2), f(3)};
  }
  static constexpr bool by_four = Sys::is_relative && std::is_same_v<T, double>;
  struct Diagonal {
    const Sys& system;
    const Jacobian& j;
    T operator()(int k) const { return diagonal(system, j, j, k); }
    RATTLEBACK_INLINE Row four(int k) const
      requires by_four
    {
      Row sum{};
      for (int c = 0; c < D; ++c) {
        const Row e = gather([&](int t) { return base(j.second(D * (k + t) + c)); });
        sum += e * e;
      }
      return sum * gather([&](int t) {
               return system.inverse_mass(k + t) + system.inverse_mass(k + t - 1);
             });
    }
  };
  struct Coupling {
    const Sys& system;
    const Jacobian& j;
    T operator()(int k) const {
      return T(dot(j.second_of(k - 1), j.first_of(k)) * system.inverse_mass(k - 1));
    }
    RATTLEBACK_INLINE Row four(int k) const
      requires by_four
    {
      Row sum{};
      for (int c = 0; c < D; ++c) {
        const double last = k == 1 ? base(j.root_second(c)) : base(j.second(D * (k - 1) + c));
        const Row e = gather([&](int t) { return base(j.second(D * (k + t) + c)); });
        sum -= e * Row{last, e[0], e[1], e[2]};
      }
      return sum * gather([&](int t) { return system.inverse_mass(k + t - 1); });
    }
  };

  int n_;
  ChainLdlt<T> gram_;
  std::vector<T> pivot_, upper_;  // of solve_newton
  std::int64_t beyond_ = 0;       // of the last launch()
  bool launched_ = false;
};

}  // namespace rattleback

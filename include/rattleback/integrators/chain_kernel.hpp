// The verbs of NaturalConstrained for a chain: link k joins bodies k - 1 and k, G M^-1 G^T is
// tridiagonal. A long chain is a matter of memory traffic, so that each verb is one pass.
#pragma once

#include <vector>

#include "rattleback/problem/linked_system.hpp"
#include "rattleback/problem/vector_ops.hpp"
#include "rattleback/solve/chain.hpp"
#include "rattleback/solve/rolling_predictor.hpp"

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
  /// The derivative of each link by its ends, link after link: by d = b - a where that is all there
  /// is, else by a, then by b.
  using Jacobian = Vector<S, dynamic>;
  using Predictor = RollingPredictor<Multiplier>;
  using Floor = double;  // the largest over all links: neighbours share their coordinates

  explicit ChainKernel(const Sys& system)
      : n_(system.bodies()), gram_(n_), pivot_(n_), upper_(n_) {}

  static Jacobian jacobian(const Sys& system) { return Jacobian(W * system.bodies()); }
  static void exchange(Jacobian& j, Jacobian& next) { j.swap(next); }

  /// g and G at q; whether g is round-off.
  bool settled(const Sys& system, const Position& position, Multiplier& value, Jacobian& jacobian,
               double floor) const {
    const S* __restrict q = position.data();
    S* __restrict g = value.data();
    S* __restrict j = jacobian.data();
    Point a = system.first_end(position, 0);
    bool all = true;
    for (int k = 0; k < n_; ++k) {
      Point b;
      for (int c = 0; c < D; ++c) b[c] = q[D * k + c];
      const S v = system.template link_slope<S>(a, b, k, j + W * k);
      g[k] = v;
      all &= ScalarTraits<S>::within(v, floor);
      a = b;
    }
    return all;
  }

  void linearise(const Sys& system, const Position& q, Multiplier& g, Jacobian& jacobian) const {
    settled(system, q, g, jacobian, 0);
  }

  /// q1 = q + h M^-1 (p - G^T lambda - before h V_q); the momentum waits for its final lambda.
  void launch(const Sys& system, const State<S, dynamic>& z, const Jacobian& jacobian,
              const Multiplier& lambda, const Position& v_q, const Real<S>& h, double before,
              Position& q1, Position&) const {
    const S* __restrict q = z.q.data();
    const S* __restrict p = z.p.data();
    const S* __restrict v = v_q.data();
    S* __restrict out = q1.data();
    const Real<S> kick = h * before;
    for_bodies(jacobian, lambda, [&](int i, int c, const S& force) {
      const int k = D * i + c;
      out[k] = q[k] + (p[k] - force - v[k] * kick) * (h * system.inverse_mass(i));
    });
  }
  /// q -= M^-1 G^T delta; total (+)= delta
  void shift(const Sys& system, const Jacobian& jacobian, const Multiplier& delta, bool first,
             Position& position, Multiplier& total) const {
    S* __restrict q = position.data();
    for_bodies(jacobian, delta, [&](int i, int c, const S& force) {
      q[D * i + c] -= force * system.inverse_mass(i);
    });
    if (first)
      copy(delta, total);
    else
      add_scaled(Real<S>(1), delta, total);
  }
  /// lambda += delta/h
  static void correct(const Jacobian&, const Real<S>& h, const Multiplier& delta,
                      Multiplier& lambda, Position&) {
    add_scaled(Real<S>(Real<S>(1) / h), delta, lambda);
  }
  /// p -= G^T lambda
  void kick(const Jacobian& jacobian, const Multiplier& lambda, Position& momentum) const {
    S* __restrict p = momentum.data();
    for_bodies(jacobian, lambda, [&](int i, int c, const S& force) { p[D * i + c] -= force; });
  }
  /// p = p0 - G^T lambda - before h V_q(q0) - after h V_q(q), and v_q becomes V_q(q)
  void arrive(const Sys& system, const State<S, dynamic>& z, const Jacobian& jacobian,
              const Multiplier& lambda, const Real<S>& h, double before, double after,
              const Position& position, Position& v_q, Position& momentum) const {
    const S* __restrict p = z.p.data();
    const S* __restrict q = position.data();
    S* __restrict v = v_q.data();
    S* __restrict out = momentum.data();
    const Real<S> kick = h * before, kick1 = h * after;
    Point gradient;
    for_bodies(jacobian, lambda, [&](int i, int c, const S& force) {
      if (c == 0) {
        Point x;
        for (int d = 0; d < D; ++d) x[d] = q[D * i + d];
        gradient = system.template body_gradient<S>(x, i);
      }
      const int k = D * i + c;
      out[k] = p[k] - force - v[k] * kick - gradient[c] * kick1;
      v[k] = gradient[c];
    });
  }
  /// out = G M^-1 p
  void hidden(const Sys& system, const Jacobian& jacobian, const Position& momentum,
              Multiplier& out) const {
    const S* __restrict p = momentum.data();
    const S* __restrict j = jacobian.data();
    S* __restrict o = out.data();
    for (int k = 0; k < n_; ++k) {
      const auto w = system.inverse_mass(k);
      S sum = by_second(j, k, 0) * p[D * k] * w;
      for (int c = 1; c < D; ++c) sum += by_second(j, k, c) * p[D * k + c] * w;
      if (k > 0) {
        const auto w1 = system.inverse_mass(k - 1);
        for (int c = 0; c < D; ++c) sum += by_first(j, k, c) * p[D * (k - 1) + c] * w1;
      }
      o[k] = sum;
    }
  }

  /// Factors G M^-1 G^T.
  FactorReport factor(const Sys& system, const Jacobian& jacobian) {
    const S* j = jacobian.data();
    return gram_.factor([&](int k) { return diagonal(system, j, j, k); },
                        [&](int k) {
                          T sum = base(by_second(j, k - 1, 0)) * base(by_first(j, k, 0));
                          for (int c = 1; c < D; ++c)
                            sum += base(by_second(j, k - 1, c)) * base(by_first(j, k, c));
                          return T(sum * system.inverse_mass(k - 1));
                        });
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
    const S *j0 = at_start.data(), *j1 = here.data();
    bool usable = true;
    for (int k = 0; k < n_; ++k) {
      T d = diagonal(system, j1, j0, k);
      const T a = d;
      if (k > 0) {
        T lower(0), upper(0);
        for (int c = 0; c < D; ++c) {
          lower += base(by_first(j1, k, c)) * base(by_second(j0, k - 1, c));
          upper += base(by_second(j1, k - 1, c)) * base(by_first(j0, k, c));
        }
        const T w(system.inverse_mass(k - 1));
        const T m = lower * w * pivot_[k - 1];
        upper_[k] = upper * w * pivot_[k - 1];
        d -= m * upper * w;
        b[k] -= b[k - 1] * m;
      }
      pivot_[k] = T(1) / d;
      usable = usable && beyond(d, rank_threshold<T>(n_) * magnitude(a));
    }
    b[n_ - 1] = b[n_ - 1] * pivot_[n_ - 1];
    for (int k = n_ - 2; k >= 0; --k) b[k] = b[k] * pivot_[k] - b[k + 1] * upper_[k + 1];
    return usable;
  }

  static Floor floor(const Sys&) { return 0; }
  /// relative times the largest sum_j |G_kj| |q_j|
  void measure(const Position& q, const Jacobian& jacobian, double relative, Floor& floor) const {
    const S* j = jacobian.data();
    double most = 0;
    for (int k = 0; k < n_; ++k) {
      double sum = 0;
      for (int c = 0; c < D; ++c) {
        sum += magnitude(base(by_second(j, k, c))) * magnitude(base(q[D * k + c]));
        if (k > 0) sum += magnitude(base(by_first(j, k, c))) * magnitude(base(q[D * k - D + c]));
      }
      most = larger(most, sum);
    }
    floor = relative * most;
  }
  static bool within_floor(const Multiplier& g, Floor floor, double factor) {
    return within(g, factor * floor);
  }

 private:
  static constexpr int W = Sys::is_relative ? D : 2 * D;
  using Point = Vector<S, D>;

  static S by_first(const S* j, int k, int c) {
    if constexpr (Sys::is_relative)
      return -j[W * k + c];
    else
      return j[W * k + c];
  }
  static S by_second(const S* j, int k, int c) { return j[W * k + (Sys::is_relative ? c : D + c)]; }

  /// body(i, c, (G^T lambda)_ic) for every coordinate.
  template <class Body>
  RATTLEBACK_INLINE void for_bodies(const Jacobian& jacobian, const Multiplier& lambda,
                                    Body&& body) const {
    const S* __restrict j = jacobian.data();
    const S* __restrict l = lambda.data();
    for (int i = 0; i + 1 < n_; ++i)
      for (int c = 0; c < D; ++c)
        body(i, c, S(by_second(j, i, c) * l[i] + by_first(j, i + 1, c) * l[i + 1]));
    for (int c = 0; c < D; ++c) body(n_ - 1, c, S(by_second(j, n_ - 1, c) * l[n_ - 1]));
  }
  /// (G_1 M^-1 G_0^T)_kk
  static T diagonal(const Sys& system, const S* j1, const S* j0, int k) {
    T second = base(by_second(j1, k, 0)) * base(by_second(j0, k, 0));
    for (int c = 1; c < D; ++c) second += base(by_second(j1, k, c)) * base(by_second(j0, k, c));
    if constexpr (Sys::is_relative) {
      return second * T(system.inverse_mass(k) + (k > 0 ? system.inverse_mass(k - 1) : 0));
    } else {
      second = second * T(system.inverse_mass(k));
      if (k == 0) return second;
      T first = base(by_first(j1, k, 0)) * base(by_first(j0, k, 0));
      for (int c = 1; c < D; ++c) first += base(by_first(j1, k, c)) * base(by_first(j0, k, c));
      return second + first * T(system.inverse_mass(k - 1));
    }
  }

  int n_;
  ChainLdlt<T> gram_;
  std::vector<T> pivot_, upper_;  // of solve_newton
};

}  // namespace rattleback

// The linear algebra of holonomic constraints on a natural system when G is a dense matrix.
// Systems with structure bring their own kernel with the same verbs (kernel.hpp).
#pragma once

#include "rattleback/integrators/kernel.hpp"
#include "rattleback/problem/system.hpp"
#include "rattleback/problem/vector_ops.hpp"
#include "rattleback/solve/dense.hpp"
#include "rattleback/solve/rolling_predictor.hpp"
#include "rattleback/solve/structure.hpp"
#include "rattleback/solve/thresholds.hpp"

namespace rattleback {

template <class Sys, class S>
class DenseKernel {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  using T = Base<S>;
  using Jacobian = Matrix<S, M, N>;
  using Position = Vector<S, N>;
  using Multiplier = Vector<S, M>;
  using Predictor = RollingPredictor<Multiplier>;
  using Floor = Vector<double, M>;  // one per constraint

  /// A few constraints: Newton with the exact matrix G_1 M^-1 G_0^T. Many: one factorisation of
  /// G_0 M^-1 G_0^T a step serves all iterations and the momentum projection before them.
  static constexpr bool exact_newton = M != dynamic && M <= 3;

  explicit DenseKernel(const Sys& system)
      : w_jt_(system.dimension(), system.constraint_count()),
        room_(system.dimension()),
        column_(system.dimension()),
        gram_(room_for(system.constraint_count())),
        newton_(room_for(system.constraint_count())) {}

  static SolverKind kind(const Sys&) { return SolverKind::dense; }
  static Jacobian jacobian(const Sys& system) {
    return Jacobian(system.constraint_count(), system.dimension());
  }
  RATTLEBACK_INLINE static void linearise(const Sys& system, const Position& q, Multiplier& g,
                                          Jacobian& j) {
    system.linearise(q, q, g, j, j);
  }

  /// Whether a solve gave finite values.
  RATTLEBACK_INLINE static bool solved(const Multiplier& b, double bound) {
    return within(b, bound);
  }
  RATTLEBACK_INLINE static double size(const Multiplier& g) { return largest_magnitude(g); }
  static Floor floor(const Sys& system) { return Floor(system.constraint_count()); }
  /// floor_i = relative sum_j |G_ij| |q_j|, see round_off_size
  RATTLEBACK_INLINE static void measure(const Position& q, const Jacobian& j, double relative,
                                        Floor& floor) {
    const double least = round_off_size(q);
    for (Eigen::Index i = 0; i < j.rows(); ++i) {
      double sum = 0;
      for (Eigen::Index k = 0; k < j.cols(); ++k)
        sum += magnitude(base(j(i, k))) * std::max(magnitude(base(q[k])), least);
      floor[i] = relative * sum;
    }
  }
  RATTLEBACK_INLINE static bool within_floor(const Multiplier& g, const Floor& floor,
                                             double factor = 1) {
    bool all = true;
    for (Eigen::Index i = 0; i < g.size(); ++i)
      all = all && ScalarTraits<S>::within(g[i], factor * floor[i]);
    return all;
  }
  /// g and G at q; whether g is round-off.
  RATTLEBACK_INLINE static bool settled(const Sys& system, const Position& q, Multiplier& g,
                                        Jacobian& j, const Floor& floor) {
    linearise(system, q, g, j);
    return within_floor(g, floor);
  }

  /// p = p0 - G^T lambda - before h V_q,   q = q0 + h M^-1 p. Written once: steps of packs wait for
  /// what they store.
  RATTLEBACK_INLINE void launch(const Sys& system, const Stride<S, N>& stride, const Floor&,
                                Work<DenseKernel>& w) {
    const Real<S> before = stride.h * stride.kicks.before;
    for (Eigen::Index i = 0; i < w.p.size(); ++i) {
      S p = stride.z.p[i];
      if (!none(w.lambda)) p -= transposed_product(w.jacobian, i, w.lambda);
      w.p[i] = p - w.v_q[i] * before;
    }
    Room v = use(room_);
    system.velocity(w.p, v);
    for (Eigen::Index i = 0; i < w.q.size(); ++i) w.q[i] = stride.z.q[i] + v[i] * stride.h;
  }
  /// lambda += delta/h, p -= G^T delta/h, with delta in mu
  RATTLEBACK_INLINE static void correct(const Real<S>& h, Work<DenseKernel>& w) {
    scale(Real<S>(Real<S>(1) / h), w.mu);
    kick(w.jacobian, w.mu, w.p);
    add_scaled(Real<S>(1), w.mu, w.lambda);
  }
  /// p -= after h V_q(q), and mu = G M^-1 p with the G of next where that is asked for
  RATTLEBACK_INLINE void arrive(const Sys& system, const Stride<S, N>& stride,
                                Work<DenseKernel>& w) {
    system.potential_gradient(w.q, w.v_q);
    subtract_scaled(Real<S>(stride.h * stride.kicks.after), w.v_q, w.p);
    if (stride.project) hidden(system, w.next, w.p, w.mu);
  }

  /// The Jacobian at the new position becomes the one at the old.
  RATTLEBACK_INLINE static void exchange(Jacobian& j, Jacobian& next) {
    if constexpr (N == dynamic || M == dynamic)
      j.swap(next);
    else
      for (Eigen::Index i = 0; i < j.size(); ++i) j.data()[i] = next.data()[i];
  }
  /// p -= G^T lambda
  RATTLEBACK_INLINE static void kick(const Jacobian& j, const Multiplier& lambda, Position& p) {
    if (!none(lambda)) subtract_transposed(j, lambda, p);
  }
  /// q += h M^-1 p
  RATTLEBACK_INLINE void drift(const Sys& system, const Position& p, const Real<S>& h,
                               Position& q) {
    Room v = use(room_);
    system.velocity(p, v);
    add_scaled(h, v, q);
  }
  /// q -= M^-1 G^T delta, with the G of the last prepare(); total (+)= delta
  RATTLEBACK_INLINE void shift(const Sys&, const Jacobian&, const Multiplier& delta, bool first,
                               Position& q, Multiplier& total) const {
    if (none(delta)) return;
    for (Eigen::Index k = 0; k < delta.size(); ++k)
      total[k] = first ? delta[k] : total[k] + delta[k];
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      S sum = delta[0] * w_jt_(i, 0);
      for (Eigen::Index k = 1; k < delta.size(); ++k) sum += delta[k] * w_jt_(i, k);
      q[i] -= sum;
    }
  }
  /// out = G M^-1 p
  RATTLEBACK_INLINE void hidden(const Sys& system, const Jacobian& j, const Position& p,
                                Multiplier& out) {
    Room v = use(room_);
    system.velocity(p, v);
    multiply(j, v, out);
  }

  /// Whether no constraint's gradient has turned by a right angle or more: (G_1 M^-1 G_0^T)_ii > 0.
  RATTLEBACK_INLINE bool same_branch(const Sys&, const Jacobian&, const Jacobian& j1) const {
    bool all = true;
    for (Eigen::Index i = 0; i < j1.rows(); ++i) {
      const int k = static_cast<int>(i);
      all = all && smallest(product(j1, k, k)) > 0;
    }
    return all;
  }

  /// Factors G M^-1 G^T.
  RATTLEBACK_INLINE FactorReport factor(const Sys& system, const Jacobian& j) {
    prepare(system, j);
    if (j.rows() == 0) return {};
    return gram_.factor([&](int a, int b) { return product(j, a, b); });
  }
  RATTLEBACK_INLINE void solve(Multiplier& b) const {
    if (!none(b)) gram_.solve(b);
  }

  /// b <- (G_1 M^-1 G_0^T)^-1 b with the exact matrix; false if it is singular. One constraint is
  /// one division.
  RATTLEBACK_INLINE bool solve_newton(const Sys&, const Jacobian&, const Jacobian& j1,
                                      Multiplier& b) {
    if constexpr (M == 1) {
      const T d = product(j1, 0, 0);
      b[0] = b[0] / d;
      return beyond(d, threshold::zero_pivot);
    } else {
      const FactorReport report = newton_.factor([&](int a, int c) { return product(j1, a, c); });
      newton_.solve(b);
      return report.ok;
    }
  }
  /// Factors G M^-1 G^T, and b <- (G M^-1 G^T)^-1 b where that is asked for.
  RATTLEBACK_INLINE bool solve_fresh(const Sys& system, const Jacobian& j, Multiplier& b,
                                     bool wanted) {
    if constexpr (M == 1) {
      prepare(system, j);
      if (!wanted) return beyond(product(j, 0, 0), threshold::zero_pivot);
      return solve_newton(system, j, j, b);
    } else {
      const FactorReport report = factor(system, j);
      if (wanted) solve(b);
      return report.ok;
    }
  }
  /// M^-1 G^T, of the last prepare()
  const Matrix<S, N, M>& weighted() const { return w_jt_; }
  RATTLEBACK_INLINE void prepare(const Sys& system, const Jacobian& j) {
    Room row = use(room_), column = use(column_);
    for (Eigen::Index k = 0; k < j.rows(); ++k) {
      for (Eigen::Index i = 0; i < j.cols(); ++i) row[i] = j(k, i);
      system.velocity(row, column);
      for (Eigen::Index i = 0; i < j.cols(); ++i) w_jt_(i, k) = column[i];
    }
  }

 private:
  // A vector on the way: a member where its size is dynamic, else a local one, in registers.
  struct Nothing {
    explicit Nothing(int) {}
  };
  using Room = std::conditional_t<N == dynamic, Position&, Position>;
  using OwnRoom = std::conditional_t<N == dynamic, Position, Nothing>;
  RATTLEBACK_INLINE static Room use(OwnRoom& room) {
    if constexpr (N == dynamic)
      return room;
    else
      return {};
  }
  /// Systems without constraints are known at run time only.
  RATTLEBACK_INLINE static bool none(const Multiplier& b) { return M == dynamic && b.size() == 0; }
  static int room_for(int constraints) {
    return M == dynamic && constraints == 0 ? 1 : constraints;
  }
  RATTLEBACK_INLINE T product(const Jacobian& j, int a, int b) const {
    T sum = base(j(a, 0)) * base(w_jt_(0, b));
    for (Eigen::Index i = 1; i < j.cols(); ++i) sum += base(j(a, i)) * base(w_jt_(i, b));
    return sum;
  }

  Matrix<S, N, M> w_jt_;  // M^-1 G_0^T
  OwnRoom room_, column_;
  DenseLdlt<T, M> gram_;
  DenseLu<T, M> newton_;
};

}  // namespace rattleback

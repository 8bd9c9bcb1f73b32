// The verbs of NaturalConstrained for a natural system in straight-line code
// (expression_system.hpp), in double or in packs: G is the array of its nonzeros, and the linear
// algebra around it is compiled for its pattern (sparse_algebra.hpp).
#pragma once

#include <algorithm>
#include <cstdint>

#include "rattleback/integrators/sparse_algebra.hpp"
#include "rattleback/problem/vector_ops.hpp"
#include "rattleback/solve/broyden.hpp"
#include "rattleback/solve/factor_report.hpp"
#include "rattleback/solve/rolling_predictor.hpp"

namespace rattleback {

template <class Sys, class S>
class SparseKernel {
 public:
  static constexpr int N = dynamic;
  static constexpr int M = dynamic;
  static constexpr bool exact_newton = false;
  using Position = Vector<S, dynamic>;
  using Multiplier = Vector<S, dynamic>;
  using Jacobian = Vector<S, dynamic>;  // nonzeros
  using Predictor = ProjectedPredictor<Multiplier>;
  using Floor = Vector<double, dynamic>;

  explicit SparseKernel(const Sys& system)
      : code_(system.code()),
        algebra_(system.algebra()),
        inverse_mass_(system.inverse_mass()),
        factors_(algebra_.factor_size()),
        gram_(algebra_.gram_size()),
        pivots_(code_.constraints),
        solution_(code_.constraints),
        force_(code_.dimension) {}

  static Jacobian jacobian(const Sys& system) {
    return Jacobian::Constant(system.code().pattern.nonzeros(), S(0));
  }
  static void exchange(Jacobian& j, Jacobian& next) { j.swap(next); }

  void linearise(const Sys&, const Position& q, Multiplier& g, Jacobian& j) const {
    code_.linearise(q.data(), q.data(), g.data(), j.data());
  }
  bool settled(const Sys& system, const Position& q, Multiplier& g, Jacobian& j,
               const Floor& floor) const {
    linearise(system, q, g, j);
    return within_floor(g, floor, 1);
  }

  /// p = p0 - G^T lambda - before h V_q,   q = q0 + h M^-1 p
  void launch(const Sys&, const State<S>& z, const Jacobian& j, const Jacobian&,
              const Multiplier& lambda, const Position& v_q, double h, double before, const Floor&,
              Position& q, Position& p, const Multiplier&) {
    broyden_.reset();
    const S* force = transposed(algebra_.force, j, lambda);
    kick_and_drift(code_.dimension, force, inverse_mass_.data(), v_q.data(), z.q.data(), z.p.data(),
                   h, h * before, q.data(), p.data());
  }
  /// q -= M^-1 G^T delta; total (+)= delta
  void shift(const Sys&, const Jacobian& j, const Multiplier& delta, bool first, Position& q,
             Multiplier& total) {
    subtract(transposed(algebra_.displacement, j, delta), q);
    if (first)
      copy(delta, total);
    else
      add_scaled(1.0, delta, total);
  }
  /// p -= G^T lambda
  void kick(const Jacobian& j, const Multiplier& lambda, Position& p) {
    subtract(transposed(algebra_.force, j, lambda), p);
  }
  /// lambda += delta/h, p -= G^T delta/h
  void correct(const Jacobian& j, double h, Multiplier& delta, Multiplier& lambda, Position& p) {
    scale(1 / h, delta);
    kick(j, delta, p);
    add_scaled(1.0, delta, lambda);
  }
  /// p -= after h V_q(q), and mu = G M^-1 p with the G of next where that is asked for
  void arrive(const Sys& system, const State<S>&, const Jacobian&, const Jacobian& next,
              const Multiplier&, double h, double, double after, bool project, const Position& q,
              Position& v_q, Position& p, Multiplier& mu) const {
    system.potential_gradient(q, v_q);
    if (after != 0) subtract_scaled(h * after, v_q, p);
    if (project) hidden(system, next, p, mu);
  }
  /// out = G M^-1 p
  void hidden(const Sys&, const Jacobian& j, const Position& p, Multiplier& out) const {
    algebra_.hidden(j.data(), p.data(), out.data(), out.data());
  }

  /// Factors G M^-1 G^T.
  FactorReport factor(const Sys&, const Jacobian& j) {
    algebra_.gram(j.data(), j.data(), gram_.data(), gram_.data());
    algebra_.factor(gram_.data(), gram_.data(), pivots_.data(), factors_.data());
    return report();
  }
  void solve(Multiplier& b) {
    algebra_.solve(factors_.data(), b.data(), solution_.data(), solution_.data());
    b.swap(solution_);
  }
  bool solve_fresh(const Sys& system, const Jacobian& j, Multiplier& b, bool wanted) {
    const FactorReport report = factor(system, j);
    if (wanted) solve(b);
    return report.ok;
  }
  /// b <- (G_1 M^-1 G_0^T)^-1 b by Broyden's matrix, as in LinkKernel.
  bool solve_newton(const Sys&, const Jacobian&, const Jacobian&, Multiplier& b) {
    solve(b);
    broyden_.correct(b);
    return true;
  }
  /// Whether no constraint's gradient has turned by a right angle or more.
  bool same_branch(const Sys&, const Jacobian& j0, const Jacobian& j1) {
    algebra_.alignment(j1.data(), j0.data(), solution_.data(), solution_.data());
    bool all = true;
    for (int k = 0; k < code_.constraints; ++k)
      all = all && ScalarTraits<S>::smallest(solution_[k]) > 0;
    return all;
  }

  static bool solved(const Multiplier& b, double bound) { return size(b) <= bound; }
  static double size(const Multiplier& g) {
    if constexpr (packed)
      return largest_magnitude(g);
    else
      return g.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
  }
  static Floor floor(const Sys& system) { return Floor(system.constraint_count()); }
  /// floor_k = relative sum_j |G_kj| |q_j|, see round_off_size
  void measure(const Position& q, const Jacobian& j, double relative, Floor& floor) const {
    const double least = round_off_size(q);
    for (int i = 0; i < code_.constraints; ++i) {
      double sum = 0;
      for (int k = code_.pattern.start[i]; k < code_.pattern.start[i + 1]; ++k)
        sum += magnitude(j[code_.pattern.place[k]]) *
               std::max(magnitude(q[code_.pattern.column[k]]), least);
      floor[i] = relative * sum;
    }
  }
  static bool within_floor(const Multiplier& g, const Floor& floor, double factor) {
    std::int64_t beyond = 0;  // as wide as what is compared: four at a time
    for (Eigen::Index k = 0; k < g.size(); ++k)
      beyond += ScalarTraits<S>::within(g[k], factor * floor[k]) ? 0 : 1;
    return beyond == 0;
  }

 private:
  static constexpr bool packed = ScalarTraits<S>::lanes > 1;

  const S* transposed(const CompiledFunction& product, const Jacobian& j,
                      const Multiplier& lambda) {
    product(j.data(), lambda.data(), force_.data(), force_.data());
    return force_.data();
  }
  // Not inlined: only parameters promise the compiler that eight arrays do not overlap.
  [[gnu::noinline]] static void kick_and_drift(int n, const S* __restrict force,
                                               const S* __restrict inverse_mass,
                                               const S* __restrict v_q, const S* __restrict q0,
                                               const S* __restrict p0, double h, double strength,
                                               S* __restrict q, S* __restrict p) {
    for (int i = 0; i < n; ++i) {
      const S momentum = p0[i] - v_q[i] * strength - force[i];
      p[i] = momentum;
      q[i] = q0[i] + momentum * (h * inverse_mass[i]);
    }
  }
  static void subtract(const S* __restrict x, Position& from) {
    S* __restrict y = from.data();
    for (Eigen::Index i = 0, n = from.size(); i < n; ++i) y[i] -= x[i];
  }
  /// Pivots against the diagonal they came from.
  FactorReport report() const {
    const int m = code_.constraints;
    const double threshold = rank_threshold<S>(m);
    const S* __restrict pivot = pivots_.data();
    const S* __restrict diagonal = gram_.data();
    std::int64_t weak = 0;
    for (int k = 0; k < m; ++k) weak += is_strong(pivot[k], diagonal[k], threshold) ? 0 : 1;
    FactorReport report;
    if (weak == 0) return report;
    for (int k = 0; k < m; ++k) {
      using std::abs;
      const S size = abs(pivot[k]);
      report.smallest_pivot = std::min(report.smallest_pivot, ScalarTraits<S>::smallest(size));
      if (ScalarTraits<S>::smallest(pivot[k]) < 0) ++report.negative;
      if (!is_strong(size, diagonal[k], threshold) && report.ok) {
        report.ok = false;
        report.row = k;
      }
    }
    return report;
  }
  static bool is_strong(const S& pivot, const S& diagonal, double threshold) {
    using std::abs;
    if constexpr (packed)
      return all_of(pivot > abs(diagonal) * threshold);
    else
      return pivot > threshold * abs(diagonal);
  }

  const CompiledNatural& code_;
  SparseAlgebra algebra_;
  Position inverse_mass_;
  Vector<S, dynamic> factors_, gram_, pivots_;
  Multiplier solution_;
  Position force_;
  Broyden<Multiplier> broyden_;
};

}  // namespace rattleback

// The verbs of kernel.hpp where G is sparse: the array of its nonzeros, in an order that its
// algebra knows. Two algebras are there, for bodies joined by links (link_algebra.hpp) and for
// natural systems in straight-line code (compiled_system.hpp). With W = M^-1, an algebra gives
//   nonzeros(system)          how many
//   structure(system)         what G W G^T is to a solver
//   inverse_mass(i)           W_ii
//   force(G, x, out)          out = G^T x
//   hidden(G, p, out)         out = G W p
//   alignment(G_1, G, out)    out_k = (G_1 W G^T)_kk
//   factor(G), solve(b)       b <- (G W G^T)^-1 b
//   for_entries(G, f)         f(row, column, G_row,column) for every nonzero
// and the system gives g and G at q: linearise_sparse(q, g, G).
#pragma once

#include <algorithm>
#include <cstdint>

#include "rattleback/integrators/kernel.hpp"
#include "rattleback/problem/vector_ops.hpp"
#include "rattleback/solve/broyden.hpp"
#include "rattleback/solve/rolling_predictor.hpp"
#include "rattleback/solve/structure.hpp"

namespace rattleback {

template <class Sys, class S, class Algebra>
class SparseKernel {
 public:
  static constexpr int N = dynamic;
  static constexpr int M = dynamic;
  static constexpr bool exact_newton = false;
  using T = Base<S>;
  using Position = Vector<S, dynamic>;
  using Multiplier = Vector<S, dynamic>;
  using Jacobian = Vector<S, dynamic>;  // nonzeros
  using Predictor = ProjectedPredictor<Multiplier>;
  using Floor = Vector<double, dynamic>;

  explicit SparseKernel(const Sys& system)
      : algebra_(system),
        inverse_mass_(system.dimension()),
        force_(system.dimension()),
        impulse_(system.dimension()),
        alignment_(system.constraint_count()),
        broyden_(system.constraint_count()) {
    for (int i = 0; i < system.dimension(); ++i) inverse_mass_[i] = algebra_.inverse_mass(i);
  }

  static SolverKind kind(const Sys& system) { return Algebra::structure(system).kind; }
  static Jacobian jacobian(const Sys& system) {
    return Jacobian::Constant(Algebra::nonzeros(system), S(0));
  }
  static void exchange(Jacobian& j, Jacobian& next) { j.swap(next); }
  /// What earlier iterations have shown of the matrix; launch() does it too.
  void forget() { broyden_.reset(); }

  static void linearise(const Sys& system, const Position& q, Multiplier& g, Jacobian& j) {
    system.linearise_sparse(q, g, j);
  }
  static bool settled(const Sys& system, const Position& q, Multiplier& g, Jacobian& j,
                      const Floor& floor) {
    linearise(system, q, g, j);
    return within_floor(g, floor, 1);
  }

  /// p = p0 - before h V_q - G^T lambda,   q = q0 + h M^-1 p
  void launch(const Sys&, const Stride<S, N>& stride, const Floor&, Work<SparseKernel>& w) {
    broyden_.reset();
    shifts_ = 0;
    algebra_.force(w.jacobian, w.lambda, force_);
    kick_and_drift(force_.size(), force_.data(), inverse_mass_.data(), w.v_q.data(),
                   stride.z.q.data(), stride.z.p.data(), stride.h, stride.h * stride.kicks.before,
                   w.q.data(), w.p.data());
  }
  /// q -= M^-1 G^T delta; total (+)= delta. G^T delta is kept for correct().
  void shift(const Sys&, const Jacobian& j, const Multiplier& delta, bool first, Position& q,
             Multiplier& total) {
    ++shifts_;
    algebra_.force(j, delta, impulse_);
    subtract_weighted(q.size(), impulse_.data(), inverse_mass_.data(), q.data());
    if (first)
      copy(delta, total);
    else
      add_scaled(Real<S>(1), delta, total);
  }
  /// p -= G^T lambda
  void kick(const Jacobian& j, const Multiplier& lambda, Position& p) {
    algebra_.force(j, lambda, force_);
    subtract(force_.data(), p);
  }
  /// lambda += delta/h, p -= G^T delta/h, with delta, the sum since launch(), in mu. G^T of a sum
  /// is not summed up: what was large on the way would leave its rounding.
  void correct(const Real<S>& h, Work<SparseKernel>& w) {
    const Real<S> rate = Real<S>(1) / h;
    if (shifts_ != 1) algebra_.force(w.jacobian, w.mu, impulse_);
    subtract_scaled(rate, impulse_, w.p);
    scale(rate, w.mu);
    add_scaled(Real<S>(1), w.mu, w.lambda);
  }
  /// p -= after h V_q(q), and mu = G M^-1 p with the G of next where that is asked for
  void arrive(const Sys& system, const Stride<S, N>& stride, Work<SparseKernel>& w) {
    system.potential_gradient(w.q, w.v_q);
    subtract_scaled(Real<S>(stride.h * stride.kicks.after), w.v_q, w.p);
    if (stride.project) hidden(system, w.next, w.p, w.mu);
  }
  /// out = G M^-1 p
  void hidden(const Sys&, const Jacobian& j, const Position& p, Multiplier& out) {
    algebra_.hidden(j, p, out);
  }

  /// Factors G M^-1 G^T.
  FactorReport factor(const Sys&, const Jacobian& j) { return algebra_.factor(j); }
  void solve(Multiplier& b) { algebra_.solve(b); }
  bool solve_fresh(const Sys& system, const Jacobian& j, Multiplier& b, bool wanted) {
    const FactorReport report = factor(system, j);
    if (wanted) solve(b);
    return report.ok;
  }
  /// b <- (G_1 M^-1 G_0^T)^-1 b with Broyden's matrix. The symmetric part of the exact one would
  /// not do: with A = K + N, N skew, the error is multiplied by -K^-1 N, and K becomes singular
  /// before A does.
  bool solve_newton(const Sys&, const Jacobian&, const Jacobian&, Multiplier& b) {
    solve(b);
    broyden_.correct(b);
    return true;
  }
  /// Whether no constraint's gradient has turned by a right angle or more.
  bool same_branch(const Sys&, const Jacobian& j0, const Jacobian& j1) {
    algebra_.alignment(j1, j0, alignment_);
    bool all = true;
    for (Eigen::Index k = 0; k < alignment_.size(); ++k) all = all && smallest(alignment_[k]) > 0;
    return all;
  }

  static bool solved(const Multiplier& b, double bound) { return size(b) <= bound; }
  static double size(const Multiplier& g) {
    if constexpr (std::is_same_v<S, double>)
      return g.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
    else
      return largest_magnitude(g);
  }
  static Floor floor(const Sys& system) { return Floor(system.constraint_count()); }
  /// floor_k = relative sum_j |G_kj| |q_j|, see round_off_size
  void measure(const Position& q, const Jacobian& j, double relative, Floor& floor) const {
    const double least = round_off_size(q);
    floor.setZero();
    algebra_.for_entries(j, [&](int row, int column, const S& entry) {
      floor[row] += relative * magnitude(base(entry)) * std::max(magnitude(base(q[column])), least);
    });
  }
  static bool within_floor(const Multiplier& g, const Floor& floor, double factor) {
    std::int64_t beyond = 0;  // as wide as what is compared: four at a time
    for (Eigen::Index k = 0; k < g.size(); ++k)
      beyond += ScalarTraits<S>::within(g[k], factor * floor[k]) ? 0 : 1;
    return beyond == 0;
  }

 private:
  // Not inlined: only parameters promise the compiler that eight arrays do not overlap.
  [[gnu::noinline]] static void kick_and_drift(Eigen::Index n, const S* __restrict force,
                                               const T* __restrict inverse_mass,
                                               const S* __restrict v_q, const S* __restrict q0,
                                               const S* __restrict p0, const Real<S>& h,
                                               const Real<S>& strength, S* __restrict q,
                                               S* __restrict p) {
    for (Eigen::Index i = 0; i < n; ++i) {
      const S momentum = p0[i] - v_q[i] * strength - force[i];
      p[i] = momentum;
      q[i] = q0[i] + momentum * (h * inverse_mass[i]);
    }
  }
  [[gnu::noinline]] static void subtract_weighted(Eigen::Index n, const S* __restrict x,
                                                  const T* __restrict weight, S* __restrict from) {
    for (Eigen::Index i = 0; i < n; ++i) from[i] -= x[i] * weight[i];
  }
  static void subtract(const S* __restrict x, Position& from) {
    S* __restrict y = from.data();
    for (Eigen::Index i = 0, n = from.size(); i < n; ++i) y[i] -= x[i];
  }

  Algebra algebra_;
  Vector<T, dynamic> inverse_mass_;
  Position force_, impulse_;
  long shifts_ = 0;  // since launch()
  Vector<T, dynamic> alignment_;
  Broyden<Multiplier> broyden_;
};

}  // namespace rattleback

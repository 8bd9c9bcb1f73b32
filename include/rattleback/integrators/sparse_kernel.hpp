// The verbs of NaturalConstrained for a natural system in straight-line code
// (expression_system.hpp): G is the array of its nonzeros, products with it are compiled, and the
// linear algebra of G M^-1 G^T is chosen from its pattern, once.
#pragma once

#include <algorithm>
#include <vector>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/problem/vector_ops.hpp"
#include "rattleback/solve/rolling_predictor.hpp"
#include "rattleback/solve/structured.hpp"

namespace rattleback {

template <class Sys>
class SparseKernel {
 public:
  static constexpr int N = dynamic;
  static constexpr int M = dynamic;
  static constexpr bool exact_newton = false;
  using Position = Vector<double, dynamic>;
  using Multiplier = Vector<double, dynamic>;
  using Jacobian = Vector<double, dynamic>;  // nonzeros
  using Predictor = ProjectedPredictor<Multiplier>;
  using Floor = Vector<double, dynamic>;

  explicit SparseKernel(const Sys& system)
      : code_(system.code()),
        gram_(couplings(code_.pattern)),
        entries_(code_.pattern.coupling_column.size()),
        force_(code_.dimension) {}
  const Structure& structure() const { return gram_.structure(); }

  static Jacobian jacobian(const Sys& system) {
    return Jacobian::Zero(system.code().pattern.nonzeros());
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
  void launch(const Sys&, const State<double>& z, const Jacobian& j, const Jacobian&,
              const Multiplier& lambda, const Position& v_q, double h, double before, const Floor&,
              Position& q, Position& p, const Multiplier&) {
    code_.force(j.data(), lambda.data(), force_.data(), force_.data());
    const double strength = h * before;
    const double* w = code_.inverse_mass.data();
    for (Eigen::Index i = 0; i < p.size(); ++i) {
      p[i] = z.p[i] - v_q[i] * strength - force_[i];
      q[i] = z.q[i] + p[i] * (h * w[i]);
    }
  }
  /// q -= M^-1 G^T delta; total (+)= delta
  void shift(const Sys&, const Jacobian& j, const Multiplier& delta, bool first, Position& q,
             Multiplier& total) {
    code_.displacement(j.data(), delta.data(), force_.data(), force_.data());
    for (Eigen::Index i = 0; i < q.size(); ++i) q[i] -= force_[i];
    if (first)
      copy(delta, total);
    else
      add_scaled(1.0, delta, total);
  }
  /// p -= G^T lambda
  void kick(const Jacobian& j, const Multiplier& lambda, Position& p) {
    code_.force(j.data(), lambda.data(), force_.data(), force_.data());
    for (Eigen::Index i = 0; i < p.size(); ++i) p[i] -= force_[i];
  }
  /// lambda += delta/h, p -= G^T delta/h
  void correct(const Jacobian& j, double h, Multiplier& delta, Multiplier& lambda, Position& p) {
    scale(1 / h, delta);
    kick(j, delta, p);
    add_scaled(1.0, delta, lambda);
  }
  /// p -= after h V_q(q), and mu = G M^-1 p with the G of next where that is asked for
  void arrive(const Sys& system, const State<double>&, const Jacobian&, const Jacobian& next,
              const Multiplier&, double h, double, double after, bool project, const Position& q,
              Position& v_q, Position& p, Multiplier& mu) const {
    system.potential_gradient(q, v_q);
    if (after != 0) subtract_scaled(h * after, v_q, p);
    if (project) hidden(system, next, p, mu);
  }
  /// out = G M^-1 p
  void hidden(const Sys&, const Jacobian& j, const Position& p, Multiplier& out) const {
    code_.hidden(j.data(), p.data(), out.data(), out.data());
  }

  /// Factors G M^-1 G^T.
  FactorReport factor(const Sys&, const Jacobian& j) {
    code_.gram(j.data(), j.data(), entries_.data(), entries_.data());
    return factor_entries();
  }
  void solve(Multiplier& b) const { gram_.solve(b); }
  bool solve_fresh(const Sys& system, const Jacobian& j, Multiplier& b, bool wanted) {
    const FactorReport report = factor(system, j);
    if (wanted) solve(b);
    return report.ok;
  }
  /// b <- K^-1 b with the symmetric part K of G_1 M^-1 G_0^T, whose error is of the order of the
  /// change of G along the step.
  bool solve_newton(const Sys&, const Jacobian& j0, const Jacobian& j1, Multiplier& b) {
    code_.mixed_gram(j1.data(), j0.data(), entries_.data(), entries_.data());
    const FactorReport report = factor_entries();
    gram_.solve(b);
    return report.ok;
  }
  /// Whether no constraint's gradient has turned by a right angle or more.
  bool same_branch(const Sys&, const Jacobian& j0, const Jacobian& j1) {
    code_.mixed_gram(j1.data(), j0.data(), entries_.data(), entries_.data());
    for (int k = 0; k < code_.constraints; ++k)
      if (!(entries_[code_.pattern.coupling_start[k + 1] - 1] > 0)) return false;
    return true;
  }

  static bool solved(const Multiplier& b, double bound) { return within(b, bound); }
  static double size(const Multiplier& g) { return largest_magnitude(g); }
  static Floor floor(const Sys& system) { return Floor(system.constraint_count()); }
  /// floor_k = relative sum_j |G_kj| |q_j|
  void measure(const Position& q, const Jacobian& j, double relative, Floor& floor) const {
    for (int i = 0; i < code_.constraints; ++i) {
      double sum = 0;
      for (int k = code_.pattern.start[i]; k < code_.pattern.start[i + 1]; ++k)
        sum += std::abs(j[k]) * std::abs(q[code_.pattern.column[k]]);
      floor[i] = relative * sum;
    }
  }
  static bool within_floor(const Multiplier& g, const Floor& floor, double factor) {
    bool all = true;
    for (Eigen::Index k = 0; k < g.size(); ++k) all &= std::abs(g[k]) <= factor * floor[k];
    return all;
  }

 private:
  static CouplingPattern couplings(const JacobianPattern& pattern) {
    CouplingPattern coupled(pattern.start.size() - 1);
    for (std::size_t i = 0; i < coupled.size(); ++i)
      for (int k = pattern.coupling_start[i]; k < pattern.coupling_start[i + 1]; ++k)
        if (pattern.coupling_column[k] != static_cast<int>(i))
          coupled[i].push_back(pattern.coupling_column[k]);
    return normalised(coupled);
  }
  FactorReport factor_entries() {
    return gram_.factor([this](int i, int j) { return entry(i, j); });
  }
  /// Entry (i, j), i >= j; the diagonal closes its row. Rows of chains and bands are short.
  double entry(int i, int j) const {
    const JacobianPattern& p = code_.pattern;
    const int end = p.coupling_start[i + 1];
    if (i == j) return entries_[end - 1];
    for (int k = end - 2; k >= p.coupling_start[i]; --k)
      if (p.coupling_column[k] == j) return entries_[k];
    return 0;
  }

  const CompiledNatural& code_;
  StructuredLdlt<double> gram_;
  std::vector<double> entries_;  // of G M^-1 G^T
  Position force_;
};

}  // namespace rattleback

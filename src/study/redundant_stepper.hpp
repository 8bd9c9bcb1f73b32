// Steps of a system with redundant constraints. Near a regular point the constraints are those of
// any maximal independent set of rows, and a step depends on the row space of dg and on g = 0
// alone: so it is made with a set of rows that is well conditioned where the state is, chosen again
// where it no longer is, and the method stays the same.
#pragma once

#include <map>
#include <vector>

#include "rattleback/integrators/family.hpp"
#include "rattleback/solve/rank_revealing.hpp"
#include "rattleback/solve/sparse.hpp"
#include "rattleback/solve/sparse_row.hpp"
#include "rattleback/study/problem.hpp"

namespace rattleback::study {

/// Stepper of Problem::complete. Multipliers are those of all constraints as written, with zeros
/// for those that are not in use. A step after which a constraint is violated that is not in use
/// went to another branch: it is tried with other rows, and fails where that does not help.
class RedundantStepper final : public AnyStepper<double> {
 public:
  RedundantStepper(const Problem& problem, const Method& method, const SolveOptions& solve);

  Status step(const AnySystem& system, State<double>& z, const double& h) override;
  Advance advance(const AnySystem& system, State<double>& z, const double& h, long count) override;
  /// The next step chooses from the state alone.
  void reset() override { in_use_ = nullptr; }
  Status present(const AnySystem& system, State<double>& z) override;
  MultiplierView<double> lambda() const override { return {lambda_.data(), lambda_.size()}; }
  Projections projections(long steps, long looks) override;
  std::string structure(const AnySystem&) const override;

 private:
  /// The system of some of the rows.
  struct Choice {
    std::vector<int> rows;
    AnySystem system;
    AnyStepperPointer<double> stepper;
    SparseLdlt<double> gram;  // of dg of these rows, of unit length
  };

  Choice& with(const std::vector<int>& rows);
  bool choose(const AnySystem& system, const State<double>& z);
  void linearise(const AnySystem& system, const State<double>& z);
  double cancellation(Choice& choice);
  bool violated(const AnySystem& system, const State<double>& z);
  Status attempt(const AnySystem& system, State<double>& z, double h);

  CanonicalSystem form_;  // as written
  Method method_;
  SolveOptions solve_;
  std::vector<int> usual_;  // the rows that are kept where they are well conditioned
  std::map<std::vector<int>, Choice> choices_;
  Choice* in_use_ = nullptr;
  Choice* last_ = nullptr;
  double lost_ = 1;  // digits that rows lost to each other where they were chosen
  Vector<double, dynamic> lambda_, g_;
  Matrix<double, dynamic> g_q_, g_p_;
  std::vector<SparseRow> rows_;    // dg, of unit length
  std::vector<double> round_off_;  // of g
  State<double> before_;
};

}  // namespace rattleback::study

#include "rattleback/study/diagnosis.hpp"

#include <utility>

#include "rattleback/geometry/point_report.hpp"
#include "rattleback/integrators/phase_space_motion.hpp"
#include "rattleback/solve/rank_revealing.hpp"
#include "rattleback/study/verdict.hpp"

namespace rattleback::study {

namespace {

/// The constraint that is closest to depending on the others.
std::string weakest_constraint(const Problem& problem, const State<double>& z, double smallest) {
  const RankReport rank = RankRevealing(2 * smallest).factor(slopes(problem.system, z));
  int i = 0;
  while (i < rank.rank && i + 1 < problem.system.constraint_count() && rank.independent[i] == i)
    ++i;
  return "'" + problem.label(i) + "'";
}

}  // namespace

std::string fault_of_model(const Problem& problem, const FinishedRun& run) {
  if (run.ok() || run.steps > 0) return {};
  const std::string why = refusal(analysis_of(problem));
  return why.empty() ? why : problem.file.path + ": " + why;
}

std::string lost_on_the_way(const Problem& problem, const FinishedRun& run) {
  constexpr double most_left = 0.05;
  const AnySystem& system = problem.system;
  const int m = system.constraint_count();
  if (run.ok() || run.steps == 0 || m == 0 || m > PointReport::most_constraints) return {};
  if (run.failure.outcome == Outcome::not_finite) return {};  // what overflows looks singular
  const PointReport before = report_point(system, *problem.start);
  const State<double> end = phase_point(run.final);
  const PointReport after = report_point(system, end);
  if (!before.finite() || !after.finite()) return {};
  const double dg_before = before.jacobian_rank * slopes(system, *problem.start).norm();
  const double dg_after = after.jacobian_rank * slopes(system, end).norm();
  const auto fell = [](const std::string& what, double from, double to) {
    return "the smallest singular value of " + what + " fell from " + detail::quote(from) +
           " at the start to " + detail::quote(to) +
           ": the motion comes to a singular point, where rank is lost";
  };
  if (dg_after < most_left * dg_before)
    return fell("dg", dg_before, dg_after) + ". Weakest there: constraint " +
           weakest_constraint(problem, end, after.jacobian_rank);
  if (after.nondegeneracy < most_left * before.nondegeneracy)
    return fell("N = {{g,H},g} (relative)", before.nondegeneracy, after.nondegeneracy);
  return {};
}

void explain_better(const Problem& problem, FinishedRun& run) {
  if (run.ok()) return;
  // What is large and then not finite has overflowed.
  const double most = run.failure.outcome == Outcome::not_finite ? 1e30 : 1e75;
  if (std::string cause = overflow_at(problem.system, phase_point(run.final), most);
      !cause.empty()) {
    run.failure.cause = std::move(cause);
    return;
  }
  if (std::string cause = lost_on_the_way(problem, run); !cause.empty())
    run.failure.cause = std::move(cause);
}

}  // namespace rattleback::study

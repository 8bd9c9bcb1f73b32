#include "rattleback/integrators/explain.hpp"

#include <cstdio>

#include "rattleback/problem/transform_failure.hpp"

namespace rattleback {

namespace {

std::string figures(const char* format, double a, double b) {
  char text[400];
  std::snprintf(text, sizeof text, format, a, b);
  return text;
}

/// Below this a singular value counts as zero in a message.
constexpr double degenerate = 1e-8;

}  // namespace

std::string explain_failure(const Status& status, const PointReport& at, double step, double time) {
  std::string what = figures("step of size %.6g failed at t = %.6g: ", step, time);
  switch (status.outcome) {
    case Outcome::ok:
      return {};
    case Outcome::no_convergence:
      what += figures("the multipliers did not converge (residual %.3g after %.0f iterations). ",
                      status.residual, status.iterations);
      break;
    case Outcome::rank_loss:
      what += "the matrix of the multipliers is singular. ";
      break;
    case Outcome::branch_jump:
      what +=
          "a solution was found on another branch of the fibre (the inertia of N changed, or the "
          "multipliers jumped). ";
      break;
    case Outcome::not_finite:
      what += "a value is not finite. ";
      break;
  }
  if (!detail::transform_failure.empty())
    what += "Likely cause: " + detail::transform_failure + ". ";
  else if (!at.finite())
    what += "Likely cause: the motion left the domain of H or g. ";
  else if (at.ranks_known && !(at.jacobian_rank > degenerate))
    what += figures(
        "Likely cause: the constraints are dependent here (relative smallest singular "
        "value of dg %.3g): redundant constraints or a singular configuration. ",
        at.jacobian_rank, 0);
  else if (at.ranks_known && !(at.nondegeneracy > degenerate))
    what += figures(
        "Likely cause: the system is degenerate here (relative smallest singular value "
        "of N = {{g,H},g} %.3g): a constraint that H does not determine, H = const as a "
        "constraint, or index above 3. ",
        at.nondegeneracy, 0);
  else if (status.outcome == Outcome::branch_jump)
    what +=
        "Likely cause: the step is too large for this fibre, or the trajectory reaches a "
        "degenerate point; a smaller step tells which. ";
  else
    what += figures(
        "Likely cause: the step is too large for the motion (%.3g per step); try half of "
        "it (%.3g). ",
        step, step / 2);
  what += "At the last good state: " + at.text() + ".";
  return what;
}

}  // namespace rattleback

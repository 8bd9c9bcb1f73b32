#include "rattleback/integrators/explain.hpp"

#include <cstdio>
#include <ostream>

namespace rattleback {

namespace {

std::string figures(const char* format, double a, double b) {
  char text[400];
  std::snprintf(text, sizeof text, format, a, b);
  return text;
}

/// Below this a singular value counts as zero in a message.
constexpr double degenerate = 1e-8;

std::string what_happened(const Status& status) {
  switch (status.outcome) {
    case Outcome::ok:
      break;
    case Outcome::no_convergence:
      return figures("the multipliers did not converge (residual %.3g after %.0f iterations)",
                     status.residual, status.iterations);
    case Outcome::rank_loss:
      return "the matrix of the multipliers is singular";
    case Outcome::branch_jump:
      return "a solution was found on another branch of the fibre (the inertia of N changed, or "
             "the multipliers jumped)";
    case Outcome::not_finite:
      return "a value is not finite";
    case Outcome::divergence:
      return figures("the series of the motion diverges (its term of order %.0f is %.3g)",
                     status.iterations, status.residual);
  }
  return {};
}

std::string likely_cause(const Status& status, const PointReport& at, double step) {
  if (!at.finite()) return "the motion left the domain of H or g";
  // What overflows looks singular: it dwarfs the rest.
  if (status.outcome == Outcome::not_finite)
    return figures(
        "a value overflows where the step leads, or H or g is not defined there; half the step "
        "(%.3g) tells whether it leads too far",
        step / 2, 0);
  if (at.ranks_known && !(at.jacobian_rank > degenerate))
    return figures(
        "the constraints are dependent here (relative smallest singular value of dg %.3g): "
        "redundant constraints or a singular configuration",
        at.jacobian_rank, 0);
  if (at.ranks_known && !(at.nondegeneracy > degenerate))
    return figures(
        "the system is degenerate here (relative smallest singular value of N = {{g,H},g} %.3g): "
        "a constraint that H does not determine, H = const as a constraint, or index above 3",
        at.nondegeneracy, 0);
  if (status.outcome == Outcome::branch_jump)
    return "the step is too large for this fibre, or the trajectory reaches a degenerate point; a "
           "smaller step tells which";
  return figures("the step is too large for the motion (%.3g per step); try half of it (%.3g)",
                 step, step / 2);
}

}  // namespace

Failure explain_failure(const Status& status, const PointReport& at, const std::string& undefined,
                        double step, double time) {
  if (status) return {};
  Status seen = status;
  if (!undefined.empty()) seen.outcome = Outcome::not_finite;
  return {what_happened(seen),
          undefined.empty() ? likely_cause(seen, at, step) : undefined,
          at.text(),
          seen.outcome,
          step,
          time};
}

std::string Failure::text() const {
  if (outcome == Outcome::ok) return what;
  std::string text = figures("step of size %.6g failed at t = %.6g: ", step, time) + what + ". ";
  if (!cause.empty()) text += "Likely cause: " + cause + ". ";
  return text + "At the last good state: " + place + ".";
}

std::ostream& operator<<(std::ostream& out, const Failure& failure) {
  return out << failure.text();
}

}  // namespace rattleback

#include "mechanism_failure.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rattleback/problem/error.hpp"

namespace rattleback {

namespace {

/// Joints that pull with F at an arm p make a body of inertia I swing about them with F p / I: the
/// largest such square of a frequency.
double fastest_swing(const MechanismModel& model, const std::vector<double>& reactions) {
  std::vector<double> squares(model.bodies(), 0);
  for (std::size_t k = 0; k < model.true_joints(); ++k) {
    const JointPlace& joint = model.joints.joints[k];
    const double force = Eigen::Map<const Vector3>(reactions.data() + 6 * k).norm();
    const auto add = [&](int body, const Vector3& point) {
      const double arm = point.norm();
      if (body < 0 || !(arm > 0)) return;
      const auto i = static_cast<std::size_t>(body);
      // Across the arm only: about it the force has no lever.
      const Matrix3 across = Matrix3::Identity() - point * point.transpose() / (arm * arm);
      const Matrix3 inverse = across * model.inverse_inertia[i] * across;
      const double half = 0.5 * inverse.trace();
      const double minors = 0.5 * (inverse.trace() * inverse.trace() - inverse.squaredNorm());
      squares[i] += force * arm * (half + std::sqrt(std::max(0.0, half * half - minors)));
    };
    add(joint.a, joint.point_a);
    add(joint.b, joint.point_b);
  }
  return squares.empty() ? 0 : *std::max_element(squares.begin(), squares.end());
}

std::string cause_of(Outcome outcome, double turn, double swing) {
  std::string turns =
      "the step is too large: a body turns by " + detail::quote(turn) + " radians in it";
  if (turn > std::numbers::pi) return turns;
  if (outcome != Outcome::not_finite && swing > 2)
    return "the step is too large: joints pull so strongly that a body swings about them by " +
           detail::quote(swing) +
           " radians of its oscillation in a step; beyond 2 steps of such methods are unstable";
  if (outcome == Outcome::rank_loss)
    return "the joints lose rank: the mechanism is in a singular position";
  if (outcome == Outcome::branch_jump)
    return "another way to assemble the mechanism was found; the step is too large, or the "
           "mechanism is near a position where two of them meet";
  if (turn > 0.5) return turns;
  return outcome == Outcome::not_finite
             ? "a value overflowed"
             : "the step is too large, or the mechanism is near a singular position";
}

}  // namespace

Failure explain_step(const Mechanism& mechanism, const MechanismModel& model, MechanismLook& look,
                     const Status& status, const MechanismState<double>& z, double step,
                     double time) {
  double fastest = 0;
  std::size_t which = 0;
  for (std::size_t i = 0; i < z.poses.size(); ++i) {
    const double speed = look.velocity(i, z).head<3>().norm();
    if (!(speed > fastest)) continue;
    fastest = speed;
    which = i;
  }
  const std::string iterations = std::to_string(status.iterations) + " iterations";
  std::string place = "the last correction was " + detail::quote(status.residual);
  if (fastest > 0)
    place += ", the fastest body '" + mechanism.bodies[which].name + "' turns at " +
             detail::quote(fastest) + " radians per time";
  const std::string what =
      status.outcome == Outcome::not_finite  ? "a value is not finite"
      : status.outcome == Outcome::rank_loss ? "the joints could not be solved"
      : status.outcome == Outcome::branch_jump
          ? "the step jumped"
          : "the step did not converge in " + iterations + ", nor did parts of it";
  std::vector<double> reactions;
  look.at(z);
  const bool known = look.reactions(z, reactions);
  const double swing = known ? std::abs(step) * std::sqrt(fastest_swing(model, reactions)) : 0;
  return {what,  cause_of(status.outcome, fastest * std::abs(step), swing),
          place, status.outcome,
          step,  time};
}

}  // namespace rattleback

#include "robot_kinematics.hpp"

#include <cmath>

#include "rattleback/problem/error.hpp"

namespace rattleback {

namespace {

using Rotation = lie::SO3<double>;

Rotation quaternion_at(const std::vector<double>& numbers, std::size_t at) {
  const Vector3 v(numbers[at + 1], numbers[at + 2], numbers[at + 3]);
  const double length = std::sqrt(numbers[at] * numbers[at] + v.squaredNorm());
  return {numbers[at] / length, v / length};
}

Vector3 three(const std::vector<double>& numbers, std::size_t at = 0) {
  return {numbers[at], numbers[at + 1], numbers[at + 2]};
}

Placement frame_in(const std::vector<Body>& bodies, int body, const Placement& frame) {
  if (body < 0) return frame;
  const Body& b = bodies[static_cast<std::size_t>(body)];
  return Placement{b.position, b.orientation} * frame;
}

/// Velocity of a point in space that moves with a body, and its angular velocity.
FrameRates rates_of_point(const std::vector<Body>& bodies, int body, const Vector3& point) {
  if (body < 0) return {};
  const Body& b = bodies[static_cast<std::size_t>(body)];
  const Vector3 turn = b.orientation(b.angular_velocity);
  return {b.velocity + lie::cross<double>(turn, point - b.position), turn};
}

}  // namespace

int numbers_of(CoordinateType type) {
  switch (type) {
    case CoordinateType::fixed:
      return 0;
    case CoordinateType::revolute:
    case CoordinateType::prismatic:
      return 1;
    case CoordinateType::planar:
      return 3;
    case CoordinateType::ball:
      return 4;
    default:
      return 7;
  }
}

int rates_of(CoordinateType type) {
  const int numbers = numbers_of(type);
  return numbers > 3 ? numbers - 1 : numbers;
}

std::array<Vector3, 2> directions_across(const Vector3& axis) {
  // The shortest turn from z to the axis; from z to -z about x.
  const Vector3 z = Vector3::UnitZ();
  Rotation turn{1 + axis[2], lie::cross<double>(z, axis)};
  const double length = std::sqrt(turn.w * turn.w + turn.v.squaredNorm());
  if (length < 1e-9) return {Vector3::UnitX(), -Vector3::UnitY()};
  turn = {turn.w / length, turn.v / length};
  return {turn(Vector3::UnitX()), turn(Vector3::UnitY())};
}

double angle_about(const Vector3& axis, const Rotation& turn) {
  const double sign = turn.w < 0 ? -1 : 1;
  return 2 * std::atan2(sign * turn.v.dot(axis), std::abs(turn.w));
}

Placement motion_by(CoordinateType type, const Vector3& axis, const std::vector<double>& numbers) {
  switch (type) {
    case CoordinateType::fixed:
      return {};
    case CoordinateType::revolute:
      return {Vector3::Zero(), Rotation::exp(axis * numbers[0])};
    case CoordinateType::prismatic:
      return {axis * numbers[0], {}};
    case CoordinateType::ball:
      return {Vector3::Zero(), quaternion_at(numbers, 0)};
    case CoordinateType::floating:
      return {three(numbers), quaternion_at(numbers, 3)};
    default: {
      const auto [u, v] = directions_across(axis);
      return {u * numbers[0] + v * numbers[1], Rotation::exp(axis * numbers[2])};
    }
  }
}

FrameRates rates_by(CoordinateType type, const Vector3& axis, const Placement& to,
                    const std::vector<double>& rates) {
  const Vector3 none = Vector3::Zero();
  switch (type) {
    case CoordinateType::fixed:
      return {};
    case CoordinateType::revolute:
      return {none, axis * rates[0]};
    case CoordinateType::prismatic:
      return {axis * rates[0], none};
    case CoordinateType::ball:
      return {none, to.orientation(three(rates))};
    case CoordinateType::floating:
      return {three(rates), to.orientation(three(rates, 3))};
    default: {
      const auto [u, v] = directions_across(axis);
      return {u * rates[0] + v * rates[1], axis * rates[2]};
    }
  }
}

std::vector<double> value_of(const JointCoordinate& c, const std::vector<Body>& bodies) {
  const Placement between = frame_in(bodies, c.bodies[0], c.frames[0]).inverse() *
                            frame_in(bodies, c.bodies[1], c.frames[1]);
  const Vector3& x = between.position;
  const double sign = between.orientation.w < 0 ? -1 : 1;
  const Rotation r{sign * between.orientation.w, sign * between.orientation.v};
  switch (c.type) {
    case CoordinateType::fixed:
      return {};
    case CoordinateType::revolute:
      return {angle_about(c.axis, r)};
    case CoordinateType::prismatic:
      return {c.axis.dot(x)};
    case CoordinateType::ball:
      return {r.w, r.v[0], r.v[1], r.v[2]};
    case CoordinateType::floating:
      return {x[0], x[1], x[2], r.w, r.v[0], r.v[1], r.v[2]};
    default: {
      const auto [u, v] = directions_across(c.axis);
      return {u.dot(x), v.dot(x), angle_about(c.axis, r)};
    }
  }
}

std::vector<double> velocity_of(const JointCoordinate& c, const std::vector<Body>& bodies) {
  const Placement a = frame_in(bodies, c.bodies[0], c.frames[0]),
                  b = frame_in(bodies, c.bodies[1], c.frames[1]);
  const FrameRates of_a = rates_of_point(bodies, c.bodies[0], b.position),
                   of_b = rates_of_point(bodies, c.bodies[1], b.position);
  const Vector3 apart = of_b.shift - of_a.shift, turning = of_b.turn - of_a.turn;
  const Vector3 shift = a.orientation.inverse()(apart), turn = a.orientation.inverse()(turning),
                own = b.orientation.inverse()(turning);
  switch (c.type) {
    case CoordinateType::fixed:
      return {};
    case CoordinateType::revolute:
      return {c.axis.dot(turn)};
    case CoordinateType::prismatic:
      return {c.axis.dot(shift)};
    case CoordinateType::ball:
      return {own[0], own[1], own[2]};
    case CoordinateType::floating:
      return {apart[0], apart[1], apart[2], own[0], own[1], own[2]};
    default: {
      const auto [u, v] = directions_across(c.axis);
      return {u.dot(shift), v.dot(shift), c.axis.dot(turn)};
    }
  }
}

Placement frame_of(const RobotLink& link, const std::vector<Body>& bodies) {
  return frame_in(bodies, link.body, link.frame);
}

Vector3 center_of(const RobotLink& link, const std::vector<Body>& bodies) {
  return frame_in(bodies, link.body, {link.center_of_mass, {}}).position;
}

RobotPose::RobotPose(const Robot& robot) : robot_(robot), links_(robot.links.size()) {
  std::vector<int> above(robot.links.size(), -1);  // the joint that moves a link
  std::vector<std::vector<int>> below(robot.links.size());
  const auto count = static_cast<int>(robot.links.size());
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    const Robot::Joint& joint = robot.joints[i];
    if (joint.parent < 0 || joint.parent >= count || joint.child < 0 || joint.child >= count)
      throw InputError("joints", "joint '" + joint.name + "' has links that are not there");
    if (above[static_cast<std::size_t>(joint.child)] >= 0)
      throw InputError("joints", "link '" +
                                     robot.links[static_cast<std::size_t>(joint.child)].name +
                                     "' is the child of two joints");
    above[static_cast<std::size_t>(joint.child)] = static_cast<int>(i);
    below[static_cast<std::size_t>(joint.parent)].push_back(static_cast<int>(i));
  }
  std::vector<int> roots;
  for (int i = 0; i < count; ++i)
    if (above[static_cast<std::size_t>(i)] < 0) roots.push_back(i);
  if (roots.size() != 1) throw InputError("links", "a robot needs one link that no joint moves");
  root_ = roots[0];
  std::vector<int> waiting{root_};
  while (!waiting.empty()) {
    const auto link = static_cast<std::size_t>(waiting.back());
    waiting.pop_back();
    for (const int joint : below[link]) {
      order_.push_back(joint);
      waiting.push_back(robot.joints[static_cast<std::size_t>(joint)].child);
    }
  }
  if (order_.size() != robot.joints.size())
    throw InputError("joints", "some joints move each other in a circle");
  for (const Robot::Joint& joint : robot.joints) {
    std::vector<double> drawn(static_cast<std::size_t>(numbers_of(joint.type)), 0.0);
    if (drawn.size() > 3) drawn[drawn.size() - 4] = 1;  // no turn
    numbers.push_back(joint.drawn.empty() ? drawn : joint.drawn);
  }
  place();
}

void RobotPose::place() {
  links_[static_cast<std::size_t>(root_)] = {};
  for (const int i : order_) {
    const Robot::Joint& j = robot_.joints[static_cast<std::size_t>(i)];
    links_[static_cast<std::size_t>(j.child)] =
        joint(i) * motion_by(j.type, j.axis / j.axis.norm(), numbers[static_cast<std::size_t>(i)]) *
        j.rest;
  }
}

Placement RobotPose::joint(int i) const {
  const Robot::Joint& j = robot_.joints[static_cast<std::size_t>(i)];
  return link(j.parent) * j.origin;
}

void RobotPose::nudge(int joint, int rate, double by) {
  const CoordinateType type = robot_.joints[static_cast<std::size_t>(joint)].type;
  std::vector<double>& all = numbers[static_cast<std::size_t>(joint)];
  const bool shifts = type == CoordinateType::floating && rate < 3;
  if (all.size() <= 3 || shifts) {
    all[static_cast<std::size_t>(rate)] += by;
    return;
  }
  const std::size_t at = all.size() - 4;
  const Rotation r =
      quaternion_at(all, at) * Rotation::exp(Vector3::Unit(rate - static_cast<int>(at)) * by);
  all[at] = r.w;
  for (int k = 0; k < 3; ++k) all[at + 1 + static_cast<std::size_t>(k)] = r.v[k];
}

}  // namespace rattleback

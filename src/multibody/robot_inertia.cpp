// Whether the mass of a robot is regular in the numbers of its joints, by articulated inertias:
// from the leaves to the root each joint must have D = S^T I S > 0, with I what hangs on it and S
// its motion; the parent then carries I - I S D^-1 S^T I.
#include <algorithm>
#include <cmath>

#include "rattleback/problem/error.hpp"
#include "robot_kinematics.hpp"

namespace rattleback {

namespace {

using Matrix6 = Matrix<double, 6>;
using Vector6 = Vector<double, 6>;

/// Over (turn, shift) of the point, in space axes.
Matrix6 inertia_about(const Vector3& point, const Body& body) {
  const Matrix3 r = body.orientation.matrix();
  const Matrix3 c = lie::cross_matrix<double>(body.position - point);
  Matrix6 m;
  m << r * body.inertia * r.transpose() - body.mass * c * c, body.mass * c,
      body.mass * c.transpose(), body.mass * Matrix3::Identity();
  return m;
}

/// The same inertia over (turn, shift) of another point.
Matrix6 shifted(const Matrix6& m, const Vector3& from, const Vector3& to) {
  Matrix6 x = Matrix6::Identity();
  x.bottomLeftCorner<3, 3>() = -lie::cross_matrix<double>(from - to);
  return x.transpose() * m * x;
}

/// What a joint can do, over (turn, shift) of its point in space axes.
std::vector<Vector6> motions(const Robot::Joint& joint, const Placement& base) {
  const Vector3 axis = base.orientation(joint.axis / joint.axis.norm()), none = Vector3::Zero();
  const auto twist = [](const Vector3& turn, const Vector3& shift) {
    Vector6 t;
    t << turn, shift;
    return t;
  };
  switch (joint.type) {
    case CoordinateType::fixed:
      return {};
    case CoordinateType::revolute:
      return {twist(axis, none)};
    case CoordinateType::prismatic:
      return {twist(none, axis)};
    case CoordinateType::planar: {
      const auto [u, v] = directions_across(axis);
      return {twist(none, u), twist(none, v), twist(axis, none)};
    }
    default: {
      std::vector<Vector6> all(joint.type == CoordinateType::ball ? 3 : 6);
      for (std::size_t k = 0; k < all.size(); ++k) all[k] = Vector6::Unit(static_cast<int>(k));
      return all;
    }
  }
}

/// Takes one motion out of an inertia; false where nothing resists it.
bool eliminate(const Vector6& s, double armature, const Matrix6& whole, Matrix6& left) {
  constexpr double round_off = 1e-12;
  const Vector6 f = left * s;
  const double d = s.dot(f), scale = whole.topLeftCorner<3, 3>().norm() * s.head<3>().norm() +
                                     whole.bottomRightCorner<3, 3>().norm() * s.tail<3>().norm();
  if (!(d > round_off * scale)) return armature > 0;
  left -= f * f.transpose() / (d + armature);
  return true;
}

}  // namespace

void require_inertia(const Robot& robot, const RobotPose& pose, const Mechanism& mechanism,
                     const std::vector<int>& body_of_link) {
  const auto body = [&](int link) { return body_of_link[static_cast<std::size_t>(link)]; };
  std::vector<Matrix6> carried(mechanism.bodies.size());
  std::vector<bool> held(mechanism.bodies.size(), false);  // by a loop: it may have inertia there
  for (std::size_t i = 0; i < carried.size(); ++i)
    carried[i] = inertia_about(Vector3::Zero(), mechanism.bodies[i]);
  const auto hold = [&](int link) {
    if (body(link) >= 0) held[static_cast<std::size_t>(body(link))] = true;
  };
  for (const auto& loop : robot.loops) hold(loop.first), hold(loop.second);
  for (const auto& relation : robot.relations) {
    hold(robot.joints[static_cast<std::size_t>(relation.joint)].child);
    if (relation.other >= 0) hold(robot.joints[static_cast<std::size_t>(relation.other)].child);
  }
  for (auto i = pose.order().rbegin(); i != pose.order().rend(); ++i) {
    const Robot::Joint& joint = robot.joints[static_cast<std::size_t>(*i)];
    if (joint.type == CoordinateType::fixed) continue;
    const auto own = static_cast<std::size_t>(body(joint.child));
    const Vector3 point = (pose.link(joint.child) * joint.rest.inverse()).position;
    const Matrix6 whole = shifted(carried[own], Vector3::Zero(), point);
    Matrix6 left = whole;
    for (const Vector6& s : motions(joint, pose.joint(*i)))
      if (!eliminate(s, joint.armature, whole, left) && !held[own])
        throw ModelError((joint.where.empty() ? "" : joint.where + ": ") + "joint '" + joint.name +
                         "' moves nothing that has inertia in its direction: link '" +
                         robot.links[static_cast<std::size_t>(joint.child)].name +
                         "' and what hangs on it. Make the joint fixed, or give the link a mass");
    if (body(joint.parent) < 0) continue;
    const auto parent = static_cast<std::size_t>(body(joint.parent));
    carried[parent] += shifted(left, point, Vector3::Zero());
    if (held[own]) held[parent] = true;
  }
}

}  // namespace rattleback

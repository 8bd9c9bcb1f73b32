#include "joint_equations.hpp"

#include <algorithm>
#include <unordered_map>

#include "rattleback/problem/error.hpp"

namespace rattleback {

namespace {

using Kind = JointEquation::Kind;

Pose<double> pose_of(const Mechanism& m, int body) {
  if (body == Mechanism::world) return {};
  const Body& b = m.bodies[static_cast<std::size_t>(body)];
  return {b.orientation, b.position};
}

/// Makes the equations of one joint.
class JointBuilder {
 public:
  JointBuilder(const Mechanism& m, const Joint& joint, int first, int second, JointEquations& to)
      : m_(m), joint_(joint), to_(to) {
    place_ = {first,
              second,
              to.count(),
              0,
              joint.points[0],
              joint.points[1],
              info(joint.type).points_meet};
    if (place_.a == place_.b)
      throw InputError("bodies", m.label(joint) + " must connect two different bodies");
    const Pose<double> a = pose_of(m, place_.a), b = pose_of(m, place_.b);
    ra_ = a.r.matrix(), rb_ = b.r.matrix();
    gap_ = b.x + rb_ * joint.points[1] - a.x - ra_ * joint.points[0];
    size_ = std::max({1.0, a.x.norm(), b.x.norm(), joint.points[0].norm(), joint.points[1].norm()});
  }

  void build() {
    if (info(joint_.type).has_axis) frame(unit(joint_.axis, "axis"));
    switch (joint_.type) {
      case JointType::ball:
        meet();
        break;
      case JointType::revolute:
        meet(), keep_axis();
        break;
      case JointType::universal:
        meet(), perpendicular();
        break;
      case JointType::prismatic:
        slide(across_[0]), slide(across_[1]), keep_orientation();
        break;
      case JointType::cylindrical:
        slide(across_[0]), slide(across_[1]), keep_axis();
        break;
      case JointType::planar:
        slide(axis_), keep_axis();
        break;
      case JointType::fixed:
        meet(), keep_orientation();
        break;
      case JointType::distance:
        length();
        break;
    }
    place_.count = to_.count() - place_.first;
    to_.joints.push_back(place_);
  }

 private:
  /// What is still taken for zero at the start.
  static constexpr double tolerance = 1e-9;

  Vector3 unit(const Vector3& v, const char* what) const {
    const double length = v.norm();
    if (!(length > 0) || !std::isfinite(length))
      throw InputError(what, m_.label(joint_) + " has an axis without a direction");
    return v / length;
  }
  /// The axis, and two directions across it.
  void frame(const Vector3& axis) {
    int least = 0;
    for (int i = 1; i < 3; ++i)
      if (std::abs(axis[i]) < std::abs(axis[least])) least = i;
    axis_ = axis;
    const Vector3 other = lie::cross<double>(axis, Vector3::Unit(least));
    across_[0] = other / other.norm();
    across_[1] = lie::cross<double>(axis, across_[0]);
  }
  /// A direction of the first body as the second one has it at the start.
  Vector3 in_second(const Vector3& u) const { return rb_.transpose() * (ra_ * u); }

  [[noreturn]] void refuse(const std::string& what) const {
    throw ModelError(m_.label(joint_) + ": " + what);
  }
  void meet() {
    if (!(gap_.norm() <= tolerance * size_))
      refuse("its two points are " + detail::quote(gap_.norm()) + " apart at the start, by (" +
             detail::quote(gap_[0]) + ", " + detail::quote(gap_[1]) + ", " +
             detail::quote(gap_[2]) + "), and must coincide (" + detail::quote(tolerance * size_) +
             " is still taken for 0)");
    for (int i = 0; i < 3; ++i) to_.equations.push_back({Kind::meet, Vector3::Unit(i)});
  }
  void slide(const Vector3& u) {
    const double off = (ra_ * u).dot(gap_);
    if (!(std::abs(off) <= tolerance * size_))
      refuse("its second point is " + detail::quote(std::abs(off)) + " off the " +
             (joint_.type == JointType::planar ? "plane" : "line") +
             " through its first point at the start");
    to_.equations.push_back({Kind::slide, u});
  }
  void align(const Vector3& u, const Vector3& c) { to_.equations.push_back({Kind::align, u, c}); }
  void keep_axis() {
    for (const Vector3& u : across_) align(u, in_second(axis_));
  }
  void keep_orientation() {
    for (int i = 0; i < 3; ++i) align(Vector3::Unit(i), in_second(Vector3::Unit((i + 1) % 3)));
  }
  void perpendicular() {
    const Vector3 axis2 = unit(joint_.axis2, "axis2");
    const double cosine = axis_.dot(ra_.transpose() * (rb_ * axis2));
    if (!(std::abs(cosine) <= tolerance))
      refuse("'axis' and 'axis2' must be perpendicular; the cosine of their angle is " +
             detail::quote(cosine) + " at the start");
    align(axis_, axis2);
  }
  void length() {
    if (!(gap_.norm() > tolerance * size_))
      refuse("its points coincide at the start; a distance must be positive");
    to_.equations.push_back({Kind::length, Vector3::Zero(), Vector3::Zero(), gap_.norm()});
  }

  const Mechanism& m_;
  const Joint& joint_;
  JointEquations& to_;
  JointPlace place_{};
  Matrix3 ra_, rb_;
  Vector3 gap_, axis_, across_[2];
  double size_ = 1;
};

}  // namespace

JointEquations joint_equations(const Mechanism& mechanism) {
  JointEquations all;
  std::unordered_map<std::string, int> places{{"world", Mechanism::world}};
  for (std::size_t i = 0; i < mechanism.bodies.size(); ++i)
    places.emplace(mechanism.bodies[i].name, static_cast<int>(i));
  const auto place = [&](const std::string& name) {
    const auto found = places.find(name);
    return found == places.end() ? mechanism.index(name) : found->second;  // which throws
  };
  for (const Joint& joint : mechanism.joints)
    JointBuilder(mechanism, joint, place(joint.bodies[0]), place(joint.bodies[1]), all).build();
  add_shafts(mechanism, all);
  return all;
}

}  // namespace rattleback

#include "mechanism_forces.hpp"

#include <cmath>
#include <numbers>

#include "rattleback/problem/error.hpp"

namespace rattleback {

namespace {

using Force = Vector<double, 6>;

Pose<double> start_of(const Mechanism& m, int body) {
  if (body < 0) return {};
  const Body& b = m.bodies[static_cast<std::size_t>(body)];
  return {b.orientation, b.position};
}

/// A force in space axes at a point of the body in its own.
void push(const Matrix3& r, const Vector3& point, const Vector3& force, Force& on) {
  on.head<3>() += lie::cross<double>(point, r.transpose() * force);
  on.tail<3>() += force;
}

}  // namespace

MechanismForces::MechanismForces(const Mechanism& mechanism) {
  for (const Spring& spring : mechanism.springs) springs_.push_back(place_of(mechanism, spring));
  for (const Potential& potential : mechanism.potentials) {
    PotentialPlace place{{}, potential.energy};
    if (!place.energy)
      throw InputError("potential", "potential '" + potential.name + "' has no energy");
    for (const std::string& name : potential.bodies) place.bodies.push_back(mechanism.index(name));
    place.poses.resize(place.bodies.size()), place.wrenches.resize(place.bodies.size());
    potentials_.push_back(std::move(place));
  }
}

MechanismForces::SpringPlace MechanismForces::place_of(const Mechanism& m,
                                                       const Spring& spring) const {
  const std::string what = "spring" + (spring.name.empty() ? "" : " '" + spring.name + "'");
  if (!std::isfinite(spring.stiffness) || !std::isfinite(spring.rest))
    throw InputError("stiffness", what + " has a stiffness or a rest that is not finite");
  if (!spring.joint.empty()) return at_joint(m, spring);
  SpringPlace place{.kind = Kind::line,
                    .a = m.index(spring.bodies[0]),
                    .b = m.index(spring.bodies[1]),
                    .point_a = spring.points[0],
                    .point_b = spring.points[1],
                    .axis_a = Vector3::Zero(),
                    .axis_b = Vector3::Zero(),
                    .stiffness = spring.stiffness,
                    .rest = spring.rest};
  if (place.a == place.b) throw InputError("bodies", what + " must connect two different bodies");
  return place;
}

MechanismForces::SpringPlace MechanismForces::at_joint(const Mechanism& m,
                                                       const Spring& spring) const {
  for (const Joint& joint : m.joints) {
    if (joint.name != spring.joint) continue;
    if (joint.type != JointType::revolute && joint.type != JointType::prismatic)
      throw InputError(
          "joint", "a spring acts on revolute and prismatic joints; this is a " + m.label(joint));
    SpringPlace place{.kind = joint.type == JointType::revolute ? Kind::turn : Kind::slide,
                      .a = m.index(joint.bodies[0]),
                      .b = m.index(joint.bodies[1]),
                      .point_a = joint.points[0],
                      .point_b = joint.points[1],
                      .axis_a = joint.axis / joint.axis.norm(),
                      .axis_b = Vector3::Zero(),
                      .stiffness = spring.stiffness,
                      .rest = spring.rest};
    const Pose<double> a = start_of(m, place.a), b = start_of(m, place.b);
    place.axis_b = b.r.inverse()(a.r(place.axis_a));
    place.start = a.r.inverse() * b.r;
    return place;
  }
  throw InputError("joint", "there is no joint '" + spring.joint + "' for a spring");
}

double MechanismForces::at(const std::vector<Pose<double>>& poses, Twists& to) const {
  const Pose<double> ground{};
  Force of_ground;
  for (Force& f : to) f.setZero();
  double energy = 0;
  for (const SpringPlace& spring : springs_) {
    const auto a = static_cast<std::size_t>(spring.a), b = static_cast<std::size_t>(spring.b);
    energy += apply(spring, spring.a < 0 ? ground : poses[a], spring.b < 0 ? ground : poses[b],
                    spring.a < 0 ? of_ground : to[a], spring.b < 0 ? of_ground : to[b]);
  }
  for (const PotentialPlace& potential : potentials_) energy += apply(potential, poses, to);
  return energy;
}

double MechanismForces::apply(const SpringPlace& spring, const Pose<double>& a,
                              const Pose<double>& b, Force& on_a, Force& on_b) {
  const double k = spring.stiffness;
  if (spring.kind == Kind::turn) {
    const lie::SO3<double> turn = (a.r.inverse() * b.r) * spring.start.inverse();
    const double angle = 2 * std::atan2(turn.v.dot(spring.axis_a), turn.w);
    const double off = std::remainder(angle - spring.rest, 2 * std::numbers::pi);
    on_a.head<3>() += (k * off) * spring.axis_a;
    on_b.head<3>() -= (k * off) * spring.axis_b;
    return 0.5 * k * off * off;
  }
  const Matrix3 ra = a.r.matrix(), rb = b.r.matrix();
  const Vector3 gap = (b.x - a.x) + (rb * spring.point_b - ra * spring.point_a);
  if (spring.kind == Kind::slide) {
    const Vector3 along = ra * spring.axis_a;
    const double off = along.dot(gap) - spring.rest;
    const Vector3 pull = (-k * off) * along;  // along the gap: the joint keeps both on one line
    push(rb, spring.point_b, pull, on_b);
    push(ra, spring.point_a, -pull, on_a);
    return 0.5 * k * off * off;
  }
  const double length = gap.norm(), off = length - spring.rest;
  const Vector3 pull = length > 0 ? Vector3((-k * off / length) * gap) : Vector3(Vector3::Zero());
  push(rb, spring.point_b, pull, on_b);
  push(ra, spring.point_a, -pull, on_a);
  return 0.5 * k * off * off;
}

double MechanismForces::apply(const PotentialPlace& potential,
                              const std::vector<Pose<double>>& poses, Twists& to) {
  for (std::size_t i = 0; i < potential.bodies.size(); ++i) {
    potential.wrenches[i] = {};
    if (potential.bodies[i] < 0) continue;
    const auto& [r, x] = poses[static_cast<std::size_t>(potential.bodies[i])];
    potential.poses[i] = {r.matrix(), x};
  }
  const double energy = potential.energy(potential.poses, potential.wrenches);
  for (std::size_t i = 0; i < potential.bodies.size(); ++i) {
    if (potential.bodies[i] < 0) continue;
    Force& on = to[static_cast<std::size_t>(potential.bodies[i])];
    on.head<3>() += potential.wrenches[i].torque;
    on.tail<3>() += potential.wrenches[i].force;
  }
  return energy;
}

}  // namespace rattleback

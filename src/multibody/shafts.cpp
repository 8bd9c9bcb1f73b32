#include <algorithm>
#include <cmath>

#include "../problem/suggest.hpp"
#include "joint_equations.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {

namespace {

lie::SO3<double> orientation_of(const Mechanism& m, int body) {
  return body < 0 ? lie::SO3<double>{} : m.bodies[static_cast<std::size_t>(body)].orientation;
}

std::string called(const Coupling& coupling) {
  return "coupling" + (coupling.name.empty() ? "" : " '" + coupling.name + "'");
}

class ShaftBuilder {
 public:
  ShaftBuilder(const Mechanism& m, JointEquations& to) : m_(m), to_(to) {}

  void rotor(std::size_t k) {
    const Joint& joint = m_.joints[k];
    if (!std::isfinite(joint.armature) || joint.armature < 0)
      throw InputError("armature", m_.label(joint) + ": 'armature' must not be negative: " +
                                       detail::quote(joint.armature));
    require_one_number(joint, "armature", "an armature is of");
    ShaftPlace shaft{.inertia = joint.armature};
    shaft.rows.push_back(measure(k, 0, {0, 1}));
    to_.shafts.push_back(std::move(shaft));
  }

  void coupling(const Coupling& coupling) {
    const std::size_t x = find(coupling, 0), y = find(coupling, 1);
    if (x == y) throw InputError("joints", called(coupling) + " must connect two different joints");
    double sum = 0;
    for (std::size_t i = coupling.coefficients.size(); i-- > 0;) {
      if (!std::isfinite(coupling.coefficients[i]))
        throw InputError("coefficients", called(coupling) + " has one that is not finite");
      sum = sum * coupling.start[0] + coupling.coefficients[i];
    }
    const double off = coupling.start[1] - sum;
    if (!(std::abs(off) <= 1e-9 * std::max(1.0, std::abs(sum))))
      throw ModelError(called(coupling) + ": joint '" + coupling.joints[1] + "' is at " +
                       detail::quote(coupling.start[1]) + " at the start, and must be at " +
                       detail::quote(sum) + " where joint '" + coupling.joints[0] + "' is at " +
                       detail::quote(coupling.start[0]));
    ShaftPlace shaft{.start = coupling.start[0]};
    shaft.rows.push_back(measure(x, coupling.start[0], {0, 1}));
    shaft.rows.push_back(measure(y, coupling.start[1], coupling.coefficients));
    to_.shafts.push_back(std::move(shaft));
  }

 private:
  void require_one_number(const Joint& joint, const char* key, const std::string& what) const {
    if (joint.type != JointType::revolute && joint.type != JointType::prismatic)
      throw InputError(key, what + " revolute and prismatic joints; this is a " + m_.label(joint));
  }
  std::size_t find(const Coupling& coupling, std::size_t side) const {
    const std::string& name = coupling.joints[side];
    std::vector<std::string> known;
    for (std::size_t k = 0; k < m_.joints.size(); ++k) {
      if (!name.empty() && m_.joints[k].name == name) {
        require_one_number(m_.joints[k], "joints", called(coupling) + " is of");
        return k;
      }
      known.push_back(m_.joints[k].name);
    }
    throw InputError("joints", called(coupling) + ": there is no joint '" + name + "'" +
                                   detail::suggestion(name, known));
  }
  /// The equation that measures joint k, which is `from` at the start.
  ShaftPlace::Row measure(std::size_t k, double from, const std::vector<double>& polynomial) {
    JointPlace place = to_.joints[k];
    const Joint& joint = m_.joints[k];
    const Vector3 axis = joint.axis / joint.axis.norm();
    const lie::SO3<double> a = orientation_of(m_, place.a), b = orientation_of(m_, place.b);
    const auto in_second = [&](const Vector3& v) { return Vector3(b.inverse()(a(v))); };
    const bool turns = joint.type == JointType::revolute;
    double offset = from;
    if (turns) {
      int least = 0;
      axis.cwiseAbs().minCoeff(&least);
      const Vector3 u = lie::cross<double>(axis, Vector3::Unit(least)).normalized();
      to_.equations.push_back(
          {JointEquation::Kind::turned, u, in_second(u), 0, axis, in_second(axis)});
    } else {
      to_.equations.push_back({JointEquation::Kind::slide, axis, {}});
      offset -= gap(place).dot(a(axis));
    }
    place.first = to_.count() - 1, place.count = 1;
    place.meets = false, place.measures = static_cast<int>(k);
    to_.joints.push_back(place);
    return {static_cast<int>(to_.joints.size()) - 1, turns, offset, polynomial};
  }
  /// Of the joint's points at the start.
  Vector3 gap(const JointPlace& place) const {
    const auto at = [&](int body, const Vector3& point) {
      if (body < 0) return point;
      const Body& of = m_.bodies[static_cast<std::size_t>(body)];
      return Vector3(of.position + of.orientation(point));
    };
    return at(place.b, place.point_b) - at(place.a, place.point_a);
  }

  const Mechanism& m_;
  JointEquations& to_;
};

}  // namespace

void add_shafts(const Mechanism& mechanism, JointEquations& to) {
  ShaftBuilder builder(mechanism, to);
  for (std::size_t k = 0; k < mechanism.joints.size(); ++k)
    if (mechanism.joints[k].armature != 0) builder.rotor(k);
  for (const Coupling& coupling : mechanism.couplings) builder.coupling(coupling);
}

}  // namespace rattleback

#include <algorithm>
#include <cmath>

#include "mechanism_look.hpp"
#include "rattleback/multibody/mechanism_motion.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/solve/independent_rows.hpp"

namespace rattleback {

namespace {

constexpr double velocity_tolerance = 1e-9;

std::string labelled(const Mechanism& m, const MechanismModel& model, int equation) {
  for (std::size_t k = 0; k < model.joints.joints.size(); ++k) {
    const JointPlace& joint = model.joints.joints[k];
    if (equation < joint.first || equation >= joint.first + joint.count) continue;
    if (joint.measures >= 0)
      return "the coupling of " + m.label(m.joints[static_cast<std::size_t>(joint.measures)]);
    return m.label(m.joints[k]) + ", equation " + std::to_string(equation - joint.first + 1) +
           " of " + std::to_string(joint.count);
  }
  return {};
}

/// Each row over the numbers of both bodies, velocities weighed by their inertia: rows of one joint
/// are then of a size, whatever the units are.
std::vector<SparseRow> weighed_rows(const MechanismModel& model, const JointRows<double>& rows) {
  std::vector<SparseRow> all;
  for (const JointPlace& joint : model.joints.joints)
    for (int i = joint.first; i < joint.first + joint.count; ++i) {
      SparseRow row;
      const auto add = [&](int body, const Vector<double, 6>& part) {
        if (body < 0) return;
        const auto& of = model.inertia[static_cast<std::size_t>(body)];
        for (int k = 0; k < 6; ++k) {
          const double own = k < 3 ? of.inertia(k, k) : of.mass;
          const double weight = own > 0 ? own : k < 3 ? model.mean_inertia() : model.mean_mass;
          if (part[k] != 0) row.emplace_back(6 * body + k, part[k] / std::sqrt(weight));
        }
      };
      const auto k = static_cast<std::size_t>(i);
      add(std::min(joint.a, joint.b), joint.a < joint.b ? rows.first[k] : rows.second[k]);
      add(std::max(joint.a, joint.b), joint.a < joint.b ? rows.second[k] : rows.first[k]);
      all.push_back(std::move(row));
    }
  std::size_t next = 0;
  for (std::size_t k = 0; k < model.shafts.size(); ++k)
    for (const auto& of : model.joints.shafts[k].rows) {
      const int equation = model.joints.joints[static_cast<std::size_t>(of.joint)].first;
      all[static_cast<std::size_t>(equation)].emplace_back(
          static_cast<int>(6 * model.bodies() + k),
          rows.slopes[next++] / std::sqrt(model.mean_inertia()));
    }
  return all;
}

}  // namespace

MechanismReport report_on(const Mechanism& mechanism) {
  const MechanismModel model(mechanism);
  JointRows<double> rows(model);
  rows_at(model, model.start.poses, rows);
  MechanismReport report{.bodies = static_cast<int>(model.bodies()),
                         .equations = model.joints.count(),
                         .loops = model.softening > 0};
  if (report.loops) report.redundant = independent_rows(weighed_rows(model, rows)).dependent;
  // Each shaft is a number more, and an equation.
  report.equations -= static_cast<int>(model.shafts.size());
  report.rank = report.equations - static_cast<int>(report.redundant.size());
  for (const int i : report.redundant) report.labels.push_back(labelled(mechanism, model, i));
  return report;
}

Mechanism with_consistent_velocities(Mechanism mechanism) {
  const MechanismModel model(mechanism);
  MechanismLook look(model);
  MechanismState<double> z = model.start;
  look.at(z);
  if (!look.project(z))
    throw ModelError("the joints of '" + mechanism.name + "' lose rank at the start");
  for (std::size_t i = 0; i < z.momenta.size(); ++i) {
    const Vector<double, 6> v = look.velocity(i, z);
    mechanism.bodies[i].angular_velocity = v.head<3>();
    mechanism.bodies[i].velocity = v.tail<3>();
  }
  return mechanism;
}

void require_consistent_velocities(const Mechanism& mechanism) {
  const MechanismModel model(mechanism);
  MechanismLook look(model);
  look.at(model.start);
  double fastest = 1;
  for (const Body& body : mechanism.bodies)
    fastest = std::max({fastest, body.velocity.norm(), body.angular_velocity.norm()});
  if (look.hidden(model.start) <= velocity_tolerance * fastest) return;
  Eigen::Index worst = 0;
  look.rates().cwiseAbs().maxCoeff(&worst);
  throw ModelError(labelled(mechanism, model, static_cast<int>(worst)) +
                   ": the velocities at the start change it by " +
                   detail::quote(look.rates()[worst]) + " per time, and must not (" +
                   detail::quote(velocity_tolerance * fastest) +
                   " is still taken for 0). In [initial], project = true takes the nearest "
                   "velocities that the joints allow, allow_inconsistent = true runs as it is");
}

}  // namespace rattleback

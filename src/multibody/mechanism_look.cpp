#include "mechanism_look.hpp"

#include <limits>
#include <numbers>

namespace rattleback {

namespace {

using Twist = Vector<double, 6>;

}  // namespace

MechanismLook::MechanismLook(const MechanismModel& model)
    : model_(model),
      rows_(model),
      pulled_(model),
      matrix_(model.pattern),
      forces_(model.bodies()),
      rates_(Vector<double, dynamic>::Zero(model.joints.count())),
      change_(Vector<double, dynamic>::Zero(model.pattern.rows())) {}

void MechanismLook::at(const MechanismState<double>& z) {
  for (std::size_t k = 0; k < z.shafts.size(); ++k) rows_.shafts[k] = z.shafts[k].position;
  rows_at(model_, z.poses, rows_);
  factored_ = false;
}

Twist MechanismLook::velocity(std::size_t body, const Twist& momentum) const {
  Twist v;
  v << model_.inverse_inertia[body] * momentum.head<3>(),
      momentum.tail<3>() * model_.inverse_mass[body];
  return v;
}

Twist MechanismLook::velocity(std::size_t body, const MechanismState<double>& z) const {
  return model_.massless && model_.is_kept[body] ? z.velocities[body]
                                                 : velocity(body, z.momenta[body]);
}

double MechanismLook::energy(const MechanismState<double>& z) {
  double sum = model_.forces.empty() ? 0 : model_.forces.at(z.poses, forces_);
  for (std::size_t i = 0; i < z.poses.size(); ++i) {
    const Twist v = velocity(i, z);
    const auto& [inertia, mass] = model_.inertia[i];
    sum += 0.5 * (v.head<3>().dot(inertia * v.head<3>()) + mass * v.tail<3>().squaredNorm()) -
           mass * model_.gravity.dot(z.poses[i].x);
  }
  for (std::size_t k = 0; k < z.shafts.size(); ++k)
    sum += 0.5 * model_.joints.shafts[k].inertia * z.shafts[k].velocity * z.shafts[k].velocity;
  return sum;
}

double MechanismLook::constraint() const {
  double largest = 0;
  for (const double g : rows_.value) largest = larger(largest, std::abs(g));
  return largest;
}

void MechanismLook::place_shafts(MechanismState<double>& z) {
  constexpr double turn = 2 * std::numbers::pi, fits = 1e-7;
  constexpr int most = 1000;
  if (z.shafts.empty()) return;
  for (auto& shaft : z.shafts) shaft.position = 0;
  at(z);
  const auto measured = [&](const ShaftPlace::Row& row) {
    const JointPlace& joint = model_.joints.joints[index(row.joint)];
    return rows_.value[index(joint.first)] + row.at(0.0).value;
  };
  for (std::size_t k = 0; k < z.shafts.size(); ++k) {
    const auto& rows = model_.joints.shafts[k].rows;
    const double first = measured(rows[0]);
    double best = 0, least = std::numeric_limits<double>::infinity();
    for (int n = 0; n <= (rows.size() > 1 && rows[0].turns ? 2 * most : 0) && least > fits; ++n) {
      const double s = first + turn * (n % 2 == 0 ? n / 2 : -(n + 1) / 2);
      double off = 0;
      for (const auto& row : rows)
        off = larger(off, std::abs(row.least(measured(row) - row.at(s).value)));
      if (off < least) least = off, best = s;
    }
    z.shafts[k].position = best;
    const JointPlace& joint = model_.joints.joints[index(rows[0].joint)];
    const auto rate = [&](int body, const std::vector<Twist>& of) {
      return body < 0 ? 0.0 : of[index(joint.first)].dot(velocity(index(body), z));
    };
    z.shafts[k].velocity = rate(joint.a, rows_.first) + rate(joint.b, rows_.second);
    z.shafts[k].momentum = model_.joints.shafts[k].inertia * z.shafts[k].velocity;
  }
}

double MechanismLook::hidden(const MechanismState<double>& z) {
  for (const JointPlace& joint : model_.joints.joints) {
    const Twist none = Twist::Zero();
    const Twist a = joint.a < 0 ? none : velocity(index(joint.a), z);
    const Twist b = joint.b < 0 ? none : velocity(index(joint.b), z);
    for (int i = joint.first; i < joint.first + joint.count; ++i)
      rates_[i] = rows_.first[index(i)].dot(a) + rows_.second[index(i)].dot(b);
  }
  std::size_t next = 0;
  for (std::size_t k = 0; k < z.shafts.size(); ++k)
    for (const auto& row : model_.joints.shafts[k].rows)
      rates_[model_.joints.joints[index(row.joint)].first] +=
          rows_.slopes[next++] * z.shafts[k].velocity;
  return largest_magnitude(rates_);
}

/// The matrix of J and G.
bool MechanismLook::factor() {
  if (factored_) return true;
  for (const JointPlace& joint : model_.joints.joints)
    for (auto k = index(joint.first); k < index(joint.first + joint.count); ++k) {
      const auto pull = [&](int body, const Twist& row, Twist& to) {
        if (body >= 0) to = model_.is_kept[index(body)] ? row : velocity(index(body), row);
      };
      pull(joint.a, rows_.first[k], pulled_.first[k]);
      pull(joint.b, rows_.second[k], pulled_.second[k]);
    }
  pulled_.slopes = rows_.slopes;
  const auto own = [this](std::size_t i) { return model_.inertia[i].full(); };
  assemble<true>(model_, pulled_, rows_, own, matrix_);
  factored_ = matrix_.factor(model_.softening, model_.soft, model_.scale);
  return factored_;
}

/// J v + G^T nu = m, G v = 0, and m becomes J v.
Status MechanismLook::project(MechanismState<double>& z) {
  if (model_.massless) z.velocities.resize(z.poses.size());
  for (const auto& body : model_.kept)
    if (model_.massless) z.velocities[body.body] = velocity(body.body, z.momenta[body.body]);
  for (std::size_t k = 0; k < z.shafts.size(); ++k) {
    const double own = model_.joints.shafts[k].inertia;
    z.shafts[k].velocity = own > 0 ? z.shafts[k].momentum / own : 0;
  }
  if (!factor()) return {Outcome::rank_loss};
  const int passes = 2;  // the second removes what softening and round-off left of the first
  for (int pass = 0; pass < passes; ++pass) project_once(z, pass == 0);
  return {};
}

void MechanismLook::project_once(MechanismState<double>& z, bool first) {
  (void)hidden(z);
  for (std::size_t j = 0; j < model_.row.size(); ++j) {
    const JointPlace& joint = model_.joints.joints[j];
    change_.segment(model_.row[j], joint.count) = rates_.segment(joint.first, joint.count);
  }
  // What of a kept body's momentum its velocity does not tell is the joints' to take.
  for (const auto& body : model_.kept) {
    Twist rest = Twist::Zero();
    if (first && model_.massless)
      rest = z.momenta[body.body] - own_momentum(body.body, z.velocities[body.body]);
    change_.segment<6>(body.row) = rest;
  }
  for (const auto& shaft : model_.shafts) change_[shaft.row] = 0;
  matrix_.solve(change_);
  for (std::size_t j = 0; j < model_.row.size(); ++j) {
    const JointPlace& joint = model_.joints.joints[j];
    for (int i = 0; i < joint.count; ++i) {
      const auto k = index(joint.first + i);
      const double nu = change_[model_.row[j] + i];
      const auto take = [&](int body, const Twist& row) {
        if (body >= 0 && !model_.is_kept[index(body)]) z.momenta[index(body)] -= row * nu;
      };
      take(joint.a, rows_.first[k]);
      take(joint.b, rows_.second[k]);
    }
  }
  for (const auto& body : model_.kept) {
    const Twist change = change_.segment<6>(body.row);
    if (model_.massless) {
      z.velocities[body.body] += change;
      z.momenta[body.body] = own_momentum(body.body, z.velocities[body.body]);
    } else {
      z.momenta[body.body] += own_momentum(body.body, change);
    }
  }
  for (std::size_t k = 0; k < model_.shafts.size(); ++k) {
    z.shafts[k].velocity += change_[model_.shafts[k].row];
    z.shafts[k].momentum = model_.joints.shafts[k].inertia * z.shafts[k].velocity;
  }
}

Twist MechanismLook::own_momentum(std::size_t body, const Twist& v) const {
  Twist m;
  m << model_.inertia[body].inertia * v.head<3>(), model_.inertia[body].mass * v.tail<3>();
  return m;
}

}  // namespace rattleback

#include "mechanism_look.hpp"

namespace rattleback {

namespace {

using Twist = Vector<double, 6>;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

MechanismLook::MechanismLook(const MechanismModel& model)
    : model_(model),
      rows_(model.joints.count()),
      matrix_(model.pattern),
      rates_(Vector<double, dynamic>::Zero(model.joints.count())) {}

void MechanismLook::at(const MechanismState<double>& z) { rows_at(model_, z.poses, rows_); }

Twist MechanismLook::velocity(std::size_t body, const Twist& momentum) const {
  Twist v;
  v << model_.inverse_inertia[body] * momentum.head<3>(),
      momentum.tail<3>() / model_.inertia[body].mass;
  return v;
}

double MechanismLook::energy(const MechanismState<double>& z) const {
  double sum = 0;
  for (std::size_t i = 0; i < z.poses.size(); ++i)
    sum += 0.5 * z.momenta[i].dot(velocity(i, z.momenta[i])) -
           model_.inertia[i].mass * model_.gravity.dot(z.poses[i].x);
  return sum;
}

double MechanismLook::constraint() const {
  double largest = 0;
  for (const double g : rows_.value) largest = larger(largest, std::abs(g));
  return largest;
}

double MechanismLook::hidden(const MechanismState<double>& z) {
  for (const JointPlace& joint : model_.joints.joints) {
    const Twist none = Twist::Zero();
    const Twist a = joint.a < 0 ? none : velocity(index(joint.a), z.momenta[index(joint.a)]);
    const Twist b = joint.b < 0 ? none : velocity(index(joint.b), z.momenta[index(joint.b)]);
    for (int i = joint.first; i < joint.first + joint.count; ++i)
      rates_[i] = rows_.first[index(i)].dot(a) + rows_.second[index(i)].dot(b);
  }
  return largest_magnitude(rates_);
}

Status MechanismLook::project(MechanismState<double>& z) {
  matrix_.clear();
  for (const auto& m : model_.meetings) {
    const JointPlace& row = model_.joints.joints[index(m.row)];
    const JointPlace& column = model_.joints.joints[index(m.column)];
    const auto body = index(m.row_second ? row.b : row.a);
    const Twist* left = (m.row_second ? rows_.second : rows_.first).data() + row.first;
    const Twist* right = (m.column_second ? rows_.second : rows_.first).data() + column.first;
    double* to = matrix_.block(m.place);
    for (int i = 0; i < row.count; ++i) {
      const Twist pulled = velocity(body, left[i]);
      for (int j = 0; j < column.count; ++j) *to++ += pulled.dot(right[j]);
    }
  }
  if (!matrix_.factor(model_.softening)) return {Outcome::rank_loss};
  const int passes = 2;  // the second removes what softening and round-off left of the first
  for (int pass = 0; pass < passes; ++pass) {
    (void)hidden(z);
    matrix_.solve(rates_);
    for (const JointPlace& joint : model_.joints.joints)
      for (int i = joint.first; i < joint.first + joint.count; ++i) {
        if (joint.a >= 0) z.momenta[index(joint.a)] -= rows_.first[index(i)] * rates_[i];
        if (joint.b >= 0) z.momenta[index(joint.b)] -= rows_.second[index(i)] * rates_[i];
      }
  }
  return {};
}

}  // namespace rattleback

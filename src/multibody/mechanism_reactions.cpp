#include "mechanism_look.hpp"

namespace rattleback {

namespace {

using Twist = Vector<double, 6>;
using Moving = Dual<double, 1>;

std::size_t place(int i) { return static_cast<std::size_t>(i); }

/// With its rate: R' = R hat(w), x' = v.
Pose<Moving> moving(const Pose<double>& pose, const Twist& v) {
  const lie::SO3<double> rate = pose.r * lie::SO3<double>{0, v.head<3>() / 2};
  Pose<Moving> m;
  const auto with = [](double value, double slope) {
    Moving x(value);
    x.partials[0] = slope;
    return x;
  };
  m.r.w = with(pose.r.w, rate.w);
  for (int i = 0; i < 3; ++i) {
    m.r.v[i] = with(pose.r.v[i], rate.v[i]);
    m.x[i] = with(pose.x[i], v[3 + i]);
  }
  return m;
}

}  // namespace

/// use(row of slopes, shaft, equation, its place among the unknowns)
template <class Use>
void MechanismLook::each_shaft_row(const Use& use) const {
  std::size_t next = 0;
  for (std::size_t k = 0; k < model_.shafts.size(); ++k)
    for (const auto& row : model_.joints.shafts[k].rows)
      use(next++, k, model_.joints.joints[place(row.joint)].first, model_.row[place(row.joint)]);
}

/// Forces f, with w x J w, and G' v.
void MechanismLook::accelerate(const MechanismState<double>& z) {
  const std::size_t n = z.poses.size();
  if (!accelerations_) {
    const Vector<double, dynamic> none = Vector<double, dynamic>::Zero(model_.joints.count());
    accelerations_ = std::make_unique<Accelerations>(
        Accelerations{JointRows<Moving>(model_), std::vector<Pose<Moving>>(n),
                      std::vector<Twist>(n), std::vector<Twist>(n), std::vector<Twist>(n), none,
                      none, std::vector<double>(model_.shafts.size())});
  }
  Accelerations& at = *accelerations_;
  if (!model_.forces.empty())
    (void)model_.forces.at(z.poses, at.forces);
  else
    for (Twist& f : at.forces) f.setZero();
  for (std::size_t i = 0; i < n; ++i) {
    const Twist v = velocity(i, z);
    const Vector3 w = v.head<3>(), spin = model_.inertia[i].inertia * w;
    at.poses[i] = moving(z.poses[i], v);
    at.forces[i].head<3>() -= lie::cross<double>(w, spin);
    at.forces[i].tail<3>() += model_.inertia[i].mass * model_.gravity;
  }
  for (std::size_t k = 0; k < z.shafts.size(); ++k) {
    at.rows.shafts[k] = Moving(z.shafts[k].position);
    at.rows.shafts[k].partials[0] = z.shafts[k].velocity;
  }
  rows_at(model_, at.poses, at.rows);
  for (const JointPlace& joint : model_.joints.joints)
    for (int i = joint.first; i < joint.first + joint.count; ++i) {
      at.bend[i] = 0;
      const auto add = [&](int body, const Vector<Moving, 6>& row) {
        if (body < 0) return;
        const Twist v = velocity(place(body), z);
        for (int k = 0; k < 6; ++k) at.bend[i] += row[k].partials[0] * v[k];
      };
      add(joint.a, at.rows.first[place(i)]);
      add(joint.b, at.rows.second[place(i)]);
    }
  each_shaft_row([&](std::size_t row, std::size_t shaft, int equation, int) {
    at.bend[equation] += at.rows.slopes[row].partials[0] * z.shafts[shaft].velocity;
  });
}

/// use(equation, row of the matrix, body, row of G, J^-1 of it) for both ends of every equation.
template <class Use>
void MechanismLook::each_joint_row(const Use& use) const {
  for (std::size_t j = 0; j < model_.row.size(); ++j) {
    const JointPlace& joint = model_.joints.joints[j];
    for (int i = 0; i < joint.count; ++i) {
      const int equation = joint.first + i, row = model_.row[j] + i;
      const auto k = place(equation);
      if (joint.a >= 0) use(equation, row, place(joint.a), rows_.first[k], pulled_.first[k]);
      if (joint.b >= 0) use(equation, row, place(joint.b), rows_.second[k], pulled_.second[k]);
    }
  }
}

/// Residuals f - J a - G^T lambda, and of that and G a + G' v the right-hand side of a correction.
void MechanismLook::acceleration_residuals() {
  Accelerations& at = *accelerations_;
  for (std::size_t i = 0; i < at.forces.size(); ++i)
    at.residual[i] = at.forces[i] - own_momentum(i, at.accelerations[i]);
  each_joint_row([&](int i, int, std::size_t body, const Twist& row, const Twist&) {
    at.residual[body] -= row * at.lambda[i];
  });
  for (std::size_t j = 0; j < model_.row.size(); ++j) {
    const JointPlace& joint = model_.joints.joints[j];
    change_.segment(model_.row[j], joint.count) = at.bend.segment(joint.first, joint.count);
  }
  each_joint_row([&](int, int to, std::size_t body, const Twist& row, const Twist& pulled) {
    change_[to] += row.dot(at.accelerations[body]);
    if (!model_.is_kept[body]) change_[to] += pulled.dot(at.residual[body]);
  });
  for (const auto& body : model_.kept) change_.segment<6>(body.row) = at.residual[body.body];
  for (std::size_t k = 0; k < at.shafts.size(); ++k)
    change_[model_.shafts[k].row] = -model_.joints.shafts[k].inertia * at.shafts[k];
  each_shaft_row([&](std::size_t row, std::size_t shaft, int equation, int to) {
    change_[to] += rows_.slopes[row] * at.shafts[shaft];
    change_[model_.shafts[shaft].row] -= rows_.slopes[row] * at.lambda[equation];
  });
}

/// One correction of accelerations and multipliers.
void MechanismLook::correct_accelerations() {
  Accelerations& at = *accelerations_;
  acceleration_residuals();
  matrix_.solve(change_);
  each_joint_row([&](int, int from, std::size_t body, const Twist& row, const Twist&) {
    at.residual[body] -= row * change_[from];
  });
  for (std::size_t j = 0; j < model_.row.size(); ++j) {
    const JointPlace& joint = model_.joints.joints[j];
    at.lambda.segment(joint.first, joint.count) += change_.segment(model_.row[j], joint.count);
  }
  for (std::size_t i = 0; i < at.accelerations.size(); ++i)
    if (!model_.is_kept[i]) at.accelerations[i] += velocity(i, at.residual[i]);
  for (const auto& body : model_.kept) at.accelerations[body.body] += change_.segment<6>(body.row);
  for (std::size_t k = 0; k < at.shafts.size(); ++k) at.shafts[k] += change_[model_.shafts[k].row];
}

bool MechanismLook::reactions(const MechanismState<double>& z, std::vector<double>& to) {
  to.assign(6 * model_.true_joints(), std::nan(""));
  if (!factor()) return false;
  accelerate(z);
  Accelerations& at = *accelerations_;
  at.lambda.setZero();
  for (Twist& a : at.accelerations) a.setZero();
  std::fill(at.shafts.begin(), at.shafts.end(), 0.0);
  const int passes = 2;  // the second removes what round-off and softening left
  for (int pass = 0; pass < passes; ++pass) correct_accelerations();
  std::fill(to.begin(), to.end(), 0.0);
  for (std::size_t j = 0; j < model_.joints.joints.size(); ++j) {
    const JointPlace& joint = model_.joints.joints[j];
    Twist on = Twist::Zero();
    for (int i = joint.first; i < joint.first + joint.count; ++i)
      on -= rows_.second[place(i)] * at.lambda[i];
    const Matrix3 r = joint.b < 0 ? Matrix3(Matrix3::Identity()) : rows_.frames[place(joint.b)].r;
    const Vector3 force = on.tail<3>(),
                  torque = r * on.head<3>() - lie::cross<double>(r * joint.point_b, force);
    // What a shaft does to a joint, it does at that joint.
    double* out = to.data() + 6 * (joint.measures < 0 ? j : place(joint.measures));
    for (const Vector3& v : {force, torque})
      for (const double x : v) *out++ += x;
  }
  return true;
}

}  // namespace rattleback

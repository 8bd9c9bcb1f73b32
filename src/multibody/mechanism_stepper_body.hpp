// The equations of MechanismStepper: residuals, matrix and corrections.
#pragma once

#include "mechanism_stepper.hpp"

namespace rattleback {

template <class S, class Body>
MechanismStepper<S, Body>::MechanismStepper(const MechanismModel& model,
                                            const SolveOptions& options)
    : model_(model),
      options_(options),
      bodies_(model.bodies()),
      xi_(model.bodies(), Twist::Constant(S(0))),
      guess_(xi_),
      target_(xi_),
      residual_(xi_),
      forces_(model.forces.empty() ? 0 : model.bodies(), Twist::Constant(S(0))),
      ends_(model.bodies()),
      slopes_(model.massless || !model.kept.empty() ? model.bodies() : 0),
      rows0_(model),
      rows1_(model),
      pulled_(model),
      matrix_(model.pattern),
      mu_(Vector<S, dynamic>::Constant(model.joints.count(), S(0))),
      change_(Vector<S, dynamic>::Constant(model.pattern.rows(), S(0))),
      followed_(mu_),
      softening_(model.softening) {
  for (const ShaftPlace& shaft : model.joints.shafts)
    shafts_.push_back({S(shaft.inertia), S(0), S(0)});
  for (auto& past : history_.last) past = xi_;
  for (auto& past : history_.impulses) past = mu_;
  for (const auto& body : model.inertia) {
    BodyInertia<S> lifted{Matrix<S, 3>(), S(body.mass)};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) lifted.inertia(i, j) = S(body.inertia(i, j));
    inertia_.push_back(lifted);
  }
}

template <class S, class Body>
void MechanismStepper<S, Body>::rows_in_group(const std::vector<Pose<S>>& poses,
                                              JointRows<S>& rows) const {
  rows_at(model_, poses, rows);
  for (const JointPlace& joint : model_.joints.joints)
    for (int i = joint.first; i < joint.first + joint.count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      if (joint.a >= 0)
        rows.first[k] = Body::to_group(poses[static_cast<std::size_t>(joint.a)], rows.first[k]);
      if (joint.b >= 0)
        rows.second[k] = Body::to_group(poses[static_cast<std::size_t>(joint.b)], rows.second[k]);
    }
}

template <class S, class Body>
void MechanismStepper<S, Body>::guess_from_momentum() {
  for (std::size_t i = 0; i < xi_.size(); ++i)
    xi_[i] << model_.inverse_inertia[i].template cast<S>() * target_[i].template head<3>(),
        target_[i].template tail<3>() * S(model_.inverse_mass[i]);
}

/// As the joints that they are measured by.
template <class S, class Body>
void MechanismStepper<S, Body>::guess_shafts() {
  for (std::size_t k = 0; k < shafts_.size(); ++k) {
    const auto row = static_cast<std::size_t>(model_.joints.shafts[k].rows[0].joint);
    const JointPlace& joint = model_.joints.joints[row];
    const auto i = static_cast<std::size_t>(joint.first);
    S rate(0);
    if (joint.a >= 0) rate = rate + rows0_.first[i].dot(xi_[static_cast<std::size_t>(joint.a)]);
    if (joint.b >= 0) rate = rate + rows0_.second[i].dot(xi_[static_cast<std::size_t>(joint.b)]);
    shafts_[k].xi = rate;
  }
}

template <class S, class Body>
void MechanismStepper<S, Body>::predict(const Real<S>& h) {
  if (history_.h != h) history_.known = 0;
  history_.h = h;
  const auto& [a, b, c] = history_.last;
  for (std::size_t i = 0; i < xi_.size(); ++i) {
    if (history_.known >= 3)
      xi_[i] = Real<S>(3) * (a[i] - b[i]) + c[i];
    else if (history_.known == 2)
      xi_[i] = Real<S>(2) * a[i] - b[i];
    else if (history_.known == 1)
      xi_[i] = a[i];
  }
  if (history_.known == 0) guess_from_momentum();
  // What redundant joints share as they like, no equation corrects: extrapolated, it would grow.
  const int known = model_.softening == 0 ? history_.known : std::min(history_.known, 1);
  const auto& [x, y, z] = history_.impulses;
  if (known >= 3)
    mu_ = Real<S>(3) * (x - y) + z;
  else if (known == 2)
    mu_ = Real<S>(2) * x - y;
  else if (known == 1)
    mu_ = x;
  else
    mu_.setConstant(S(0));
}

template <class S, class Body>
void MechanismStepper<S, Body>::record() {
  auto& [a, b, c] = history_.last;
  c.swap(b);
  b.swap(a);
  for (std::size_t i = 0; i < xi_.size(); ++i) a[i] = xi_[i];
  auto& [x, y, z] = history_.impulses;
  z.swap(y);
  y.swap(x);
  x = mu_;
  if (history_.known < 3) ++history_.known;
}

/// r = D(h xi, J xi) - target + G0^T mu
template <class S, class Body>
void MechanismStepper<S, Body>::residuals() {
  for (std::size_t i = 0; i < xi_.size(); ++i)
    residual_[i] = bodies_[i].momentum_at_start() - target_[i];
  for (const JointPlace& joint : model_.joints.joints)
    for (int i = joint.first; i < joint.first + joint.count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      if (joint.a >= 0) residual_[static_cast<std::size_t>(joint.a)] += rows0_.first[k] * mu_[i];
      if (joint.b >= 0) residual_[static_cast<std::size_t>(joint.b)] += rows0_.second[k] * mu_[i];
    }
}

/// Of shafts: I xi - p0 + (dg/ds)^T mu, negative, on the right hand side.
template <class S, class Body>
void MechanismStepper<S, Body>::shaft_residuals() {
  std::size_t next = 0;
  for (std::size_t k = 0; k < shafts_.size(); ++k) {
    S sum = shafts_[k].inertia * shafts_[k].xi - shafts_[k].target;
    for (const auto& row : model_.joints.shafts[k].rows)
      sum = sum + rows0_.slopes[next++] *
                      mu_[model_.joints.joints[static_cast<std::size_t>(row.joint)].first];
    change_[model_.shafts[k].row] = -sum;
  }
}

/// The matrix, and its right hand side.
template <class S, class Body>
void MechanismStepper<S, Body>::linearise(const State& z, const Real<S>& h) {
  for (std::size_t i = 0; i < xi_.size(); ++i) {
    if (model_.is_kept[i])
      slopes_[i] = bodies_[i].evaluate_kept(inertia_[i], h, z.poses[i], xi_[i]);
    else
      bodies_[i].evaluate(inertia_[i], h, z.poses[i], xi_[i]);
    ends_[i] = bodies_[i].end();
  }
  for (std::size_t k = 0; k < shafts_.size(); ++k)
    rows1_.shafts[k] = z.shafts[k].position + h * shafts_[k].xi;
  rows_in_group(ends_, rows1_);
  const auto pull = [&](int body, const Twist& row, Twist& pulled) {
    if (body >= 0) pulled = bodies_[static_cast<std::size_t>(body)].pull(row);
  };
  for (const JointPlace& joint : model_.joints.joints)
    for (int i = joint.first; i < joint.first + joint.count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      pull(joint.a, rows1_.first[k], pulled_.first[k]);
      pull(joint.b, rows1_.second[k], pulled_.second[k]);
    }
  pulled_.slopes = rows1_.slopes;
  right_hand_side(h);
  assemble<Body::split>(
      model_, pulled_, rows0_, [this](std::size_t i) -> const Matrix<S, 6>& { return slopes_[i]; },
      matrix_);
}

/// The right hand side only: for the matrix of an iteration before.
template <class S, class Body>
void MechanismStepper<S, Body>::evaluate(const State& z, const Real<S>& h) {
  for (std::size_t i = 0; i < xi_.size(); ++i) {
    bodies_[i].finish(inertia_[i], h, z.poses[i], xi_[i]);
    ends_[i] = bodies_[i].end();
  }
  for (std::size_t k = 0; k < shafts_.size(); ++k)
    rows1_.shafts[k] = z.shafts[k].position + h * shafts_[k].xi;
  values_at(model_, ends_, rows1_);
  right_hand_side(h);
}

/// g/h - G1 T A^-1 r, and -r of what is kept.
template <class S, class Body>
void MechanismStepper<S, Body>::right_hand_side(const Real<S>& h) {
  residuals();
  const Real<S> inverse_h = Real<S>(1) / h;
  for (std::size_t j = 0; j < model_.row.size(); ++j) {
    const JointPlace& joint = model_.joints.joints[j];
    S* right = change_.data() + model_.row[j];
    for (int i = joint.first; i < joint.first + joint.count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      S value = rows1_.value[k] * inverse_h;
      const auto take = [&](int body, const Twist& pulled) {
        const auto b = static_cast<std::size_t>(body);
        if (body >= 0 && !model_.is_kept[b]) value = value - pulled.dot(residual_[b]);
      };
      take(joint.a, pulled_.first[k]);
      take(joint.b, pulled_.second[k]);
      *right++ = value;
    }
  }
  for (const auto& body : model_.kept)
    change_.template segment<6>(body.row) = -residual_[body.body];
  shaft_residuals();
}

template <class S, class Body>
auto MechanismStepper<S, Body>::correct(const Real<S>& h) -> Correction {
  for (std::size_t j = 0; j < model_.row.size(); ++j) {
    const JointPlace& joint = model_.joints.joints[j];
    const S* change = change_.data() + model_.row[j];
    for (int i = joint.first; i < joint.first + joint.count; ++i, ++change) {
      const auto k = static_cast<std::size_t>(i);
      mu_[i] = mu_[i] + *change;
      if (joint.a >= 0) residual_[static_cast<std::size_t>(joint.a)] += rows0_.first[k] * *change;
      if (joint.b >= 0) residual_[static_cast<std::size_t>(joint.b)] += rows0_.second[k] * *change;
    }
  }
  double turn = 0, shift = 0;
  const auto move = [&](std::size_t i, const Twist& d) {
    xi_[i] -= d;
    for (int k = 0; k < 3; ++k) turn = larger(turn, magnitude(d[k]));
    for (int k = 3; k < 6; ++k) shift = larger(shift, magnitude(d[k]));
  };
  for (std::size_t i = 0; i < xi_.size(); ++i)
    if (!model_.is_kept[i]) move(i, bodies_[i].solve(residual_[i]));
  for (const auto& body : model_.kept) move(body.body, -change_.template segment<6>(body.row));
  for (std::size_t k = 0; k < shafts_.size(); ++k)
    shafts_[k].xi = shafts_[k].xi + change_[model_.shafts[k].row];
  const double step = std::abs(static_cast<double>(h));
  return {step * turn, step * shift / model_.size};
}

/// Momenta += by f, in the axes of the state.
template <class S, class Body>
void MechanismStepper<S, Body>::kick(State& z, const Real<S>& by) const {
  const Vector<S, 3> gravity = detail::lifted<S>(model_.gravity) * by;
  for (std::size_t i = 0; i < xi_.size(); ++i) {
    z.momenta[i].template tail<3>() += gravity * inertia_[i].mass;
    if (!forces_.empty()) z.momenta[i] += forces_[i] * by;
  }
}

/// Joints and forces where the state is.
template <class S, class Body>
void MechanismStepper<S, Body>::look_around(const State& z) {
  for (std::size_t k = 0; k < shafts_.size(); ++k) rows0_.shafts[k] = z.shafts[k].position;
  rows_in_group(z.poses, rows0_);
  if (!forces_.empty()) (void)model_.forces.at(z.poses, forces_);
  rows_known_ = true;
}

template <class S, class Body>
void MechanismStepper<S, Body>::finish(State& z, const Real<S>& h, const ForceWeights& weights) {
  for (std::size_t i = 0; i < xi_.size(); ++i) {
    bodies_[i].finish(inertia_[i], h, z.poses[i], xi_[i]);
    z.poses[i] = bodies_[i].end();
    z.momenta[i] = Body::from_group(z.poses[i], bodies_[i].momentum_at_end());
  }
  for (std::size_t k = 0; k < shafts_.size(); ++k) {
    auto& shaft = z.shafts[k];
    shaft.position = shaft.position + h * shafts_[k].xi;
    shaft.momentum = shafts_[k].inertia * shafts_[k].xi;
  }
  look_around(z);
  kick(z, h * Real<S>(weights.end));
  record();
}

}  // namespace rattleback

// The functions of MechanismStepper, for the one source that makes steppers.
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
      ends_(model.bodies()),
      rows0_(model.joints.count()),
      rows1_(model.joints.count()),
      pulled_(model.joints.count()),
      matrix_(model.pattern),
      mu_(Vector<S, dynamic>::Constant(model.joints.count(), S(0))),
      change_(mu_) {
  for (auto& past : history_.last) past = xi_;
  for (const auto& body : model.inertia) {
    BodyInertia<S> lifted{Matrix<S, 3>(), S(body.mass)};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) lifted.inertia(i, j) = S(body.inertia(i, j));
    inertia_.push_back(lifted);
  }
  for (const auto& pose : model.start.poses) size_ = std::max(size_, pose.x.norm());
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
    else
      xi_[i] << inverse_of<S, 3>(inertia_[i].inertia) * target_[i].template head<3>(),
          target_[i].template tail<3>() / inertia_[i].mass;
    guess_[i] = xi_[i];
  }
}

template <class S, class Body>
void MechanismStepper<S, Body>::record() {
  auto& [a, b, c] = history_.last;
  c.swap(b);
  b.swap(a);
  for (std::size_t i = 0; i < xi_.size(); ++i) a[i] = xi_[i];
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

/// S, and its right hand side g/h - G1 T A^-1 r.
template <class S, class Body>
void MechanismStepper<S, Body>::linearise(const State& z, const Real<S>& h) {
  for (std::size_t i = 0; i < xi_.size(); ++i) {
    bodies_[i].evaluate(inertia_[i], h, z.poses[i], xi_[i]);
    ends_[i] = bodies_[i].end();
  }
  residuals();
  rows_in_group(ends_, rows1_);
  const Real<S> inverse_h = Real<S>(1) / h;
  for (const JointPlace& joint : model_.joints.joints)
    for (int i = joint.first; i < joint.first + joint.count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      change_[i] = rows1_.value[k] * inverse_h;
      if (joint.a >= 0) {
        const auto a = static_cast<std::size_t>(joint.a);
        pulled_.first[k] = bodies_[a].pull(rows1_.first[k]);
        change_[i] = change_[i] - pulled_.first[k].dot(residual_[a]);
      }
      if (joint.b >= 0) {
        const auto b = static_cast<std::size_t>(joint.b);
        pulled_.second[k] = bodies_[b].pull(rows1_.second[k]);
        change_[i] = change_[i] - pulled_.second[k].dot(residual_[b]);
      }
    }
  matrix_.clear();
  for (const auto& m : model_.meetings) {
    const JointPlace& row = model_.joints.joints[static_cast<std::size_t>(m.row)];
    const JointPlace& column = model_.joints.joints[static_cast<std::size_t>(m.column)];
    const Twist* left = (m.row_second ? pulled_.second : pulled_.first).data() + row.first;
    const Twist* right = (m.column_second ? rows0_.second : rows0_.first).data() + column.first;
    S* to = matrix_.block(m.place);
    for (int i = 0; i < row.count; ++i)
      for (int j = 0; j < column.count; ++j, ++to) *to = *to + left[i].dot(right[j]);
  }
}

/// The largest turn and shift, the latter relative to the mechanism, by which the ends move.
template <class S, class Body>
double MechanismStepper<S, Body>::correct(const Real<S>& h) {
  mu_ += change_;
  for (const JointPlace& joint : model_.joints.joints)
    for (int i = joint.first; i < joint.first + joint.count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      if (joint.a >= 0)
        residual_[static_cast<std::size_t>(joint.a)] += rows0_.first[k] * change_[i];
      if (joint.b >= 0)
        residual_[static_cast<std::size_t>(joint.b)] += rows0_.second[k] * change_[i];
    }
  double turn = 0, shift = 0;
  for (std::size_t i = 0; i < xi_.size(); ++i) {
    const Twist d = bodies_[i].solve(residual_[i]);
    xi_[i] -= d;
    for (int k = 0; k < 3; ++k) turn = larger(turn, magnitude(d[k]));
    for (int k = 3; k < 6; ++k) shift = larger(shift, magnitude(d[k]));
  }
  return std::abs(static_cast<double>(h)) * larger(turn, shift / size_);
}

template <class S, class Body>
Outcome MechanismStepper<S, Body>::judge_solution(const Real<S>& h, int iterations) const {
  // Beyond half a turn a step does not know how often it turned.
  constexpr double farthest = 0.5;  // from the guess, in radians or sizes of the mechanism
  const double step = std::abs(static_cast<double>(h));
  double turn = 0, away = 0;
  for (std::size_t i = 0; i < xi_.size(); ++i)
    for (int k = 0; k < 6; ++k) {
      if (k < 3) turn = larger(turn, magnitude(xi_[i][k]));
      away = larger(away, magnitude(S(xi_[i][k] - guess_[i][k])) / (k < 3 ? 1 : size_));
    }
  if (!(step * turn < std::numbers::pi)) return Outcome::no_convergence;
  if (iterations > threshold::few_iterations && step * away > farthest) return Outcome::branch_jump;
  return Outcome::ok;
}

template <class S, class Body>
void MechanismStepper<S, Body>::finish(State& z, const Real<S>& h, const ForceWeights& weights) {
  const Vector<S, 3> kick = detail::lifted<S>(model_.gravity) * Real<S>(h * Real<S>(weights.end));
  for (std::size_t i = 0; i < xi_.size(); ++i) {
    bodies_[i].finish(inertia_[i], h, z.poses[i], xi_[i]);
    z.poses[i] = bodies_[i].end();
    z.momenta[i] = Body::from_group(z.poses[i], bodies_[i].momentum_at_end());
    z.momenta[i].template tail<3>() += kick * inertia_[i].mass;
  }
  rows_in_group(z.poses, rows0_);
  rows_known_ = true;
  record();
}

template <class S, class Body>
Status MechanismStepper<S, Body>::step(State& z, const Real<S>& h, const ForceWeights& weights) {
  // Below this the next correction, its square, is round-off.
  constexpr double last_but_one = 3e-9;
  if (!rows_known_) rows_in_group(z.poses, rows0_);
  const Vector<S, 3> kick = detail::lifted<S>(model_.gravity) * Real<S>(h * Real<S>(weights.start));
  for (std::size_t i = 0; i < xi_.size(); ++i) {
    Twist momentum = z.momenta[i];
    momentum.template tail<3>() += kick * inertia_[i].mass;
    target_[i] = Body::to_group(z.poses[i], momentum);
  }
  predict(h);
  mu_.setConstant(S(0));
  Stopping stopping(std::max(4 * epsilon<S>, options_.tolerance), options_.band);
  Status status{Outcome::no_convergence};
  constexpr bool fast = epsilon<S> > 1e-20 && !ScalarTraits<S>::is_dual;
  for (int k = 0; k < options_.max_iterations; ++k) {
    linearise(z, h);
    status.iterations = k + 1;
    if (!matrix_.factor(model_.softening)) {
      status.outcome = Outcome::rank_loss;
      break;
    }
    matrix_.solve(change_);
    status.residual = correct(h);
    const auto verdict = stopping.judge(status.residual);
    // A softened matrix leaves of mu, from zero, a part of 1e-9 to the next iteration.
    const bool quadratic = fast && (k > 0 || model_.softening == 0);
    if (verdict == Stopping::Verdict::not_finite) {
      status.outcome = Outcome::not_finite;
      break;
    }
    if (verdict == Stopping::Verdict::done || (quadratic && status.residual < last_but_one)) {
      status.outcome = judge_solution(h, status.iterations);
      break;
    }
  }
  if (status)
    finish(z, h, weights);
  else
    reset();
  return status;
}

}  // namespace rattleback

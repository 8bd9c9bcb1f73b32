// How MechanismStepper finds the solution of its equations.
#pragma once

#include "mechanism_stepper_body.hpp"

namespace rattleback {

template <class S, class Body>
Outcome MechanismStepper<S, Body>::judge_solution(const Real<S>& h, int iterations) const {
  // Beyond half a turn a step does not know how often it turned.
  constexpr double farthest = 0.5;  // from the guess, in radians or sizes of the mechanism
  const double step = std::abs(static_cast<double>(h));
  double turn = 0, away = 0;
  for (std::size_t i = 0; i < xi_.size(); ++i) {
    for (int k = 0; k < 3; ++k) turn = larger(turn, magnitude(xi_[i][k]));
    if (history_.known == 0 && model_.is_kept[i]) continue;  // its momentum was no guess
    for (int k = 0; k < 6; ++k)
      away = larger(away, magnitude(S(xi_[i][k] - guess_[i][k])) / (k < 3 ? 1 : model_.size));
  }
  if (!(step * turn < std::numbers::pi)) return Outcome::no_convergence;
  if (iterations > threshold::few_iterations && step * away > farthest) return Outcome::branch_jump;
  return Outcome::ok;
}

/// The momentum that a step of h begins with.
template <class S, class Body>
void MechanismStepper<S, Body>::aim(const State& z, const Real<S>& h, const ForceWeights& weights) {
  const Vector<S, 3> gravity = detail::lifted<S>(model_.gravity) * Real<S>(h * weights.start);
  for (std::size_t i = 0; i < xi_.size(); ++i) {
    Twist momentum = z.momenta[i];
    momentum.template tail<3>() += gravity * inertia_[i].mass;
    if (!forces_.empty()) momentum += forces_[i] * Real<S>(h * weights.start);
    target_[i] = Body::to_group(z.poses[i], momentum);
  }
  for (std::size_t k = 0; k < shafts_.size(); ++k) shafts_[k].target = z.shafts[k].momentum;
}

/// Newton, from what stands in xi and mu. After a small correction the matrix is kept: what it
/// costs is most of an iteration.
template <class S, class Body>
Status MechanismStepper<S, Body>::solve(const State& z, const Real<S>& h, int most) {
  // A next correction below this need not be made: a free body keeps its momentum to 1e-13 over
  // 10^5 steps, with 1e-17 to 1e-12 only. After a small one the matrix is still good.
  constexpr double negligible = 1e-19, small = 1e-3, last_but_one = 3e-9;
  constexpr bool fast = epsilon<S> > 1e-20 && !ScalarTraits<S>::is_dual;
  guess_ = xi_;
  guess_shafts();
  Stopping stopping(std::max(4 * epsilon<S>, options_.tolerance), options_.band);
  Status status{Outcome::no_convergence};
  bool keep = false;
  for (int k = 0; k < most; ++k) {
    status.iterations = k + 1;
    const double before = status.residual;
    if (keep) {
      evaluate(z, h);
    } else {
      linearise(z, h);
      if (!matrix_.factor(softening_, model_.soft, model_.scale)) {
        status.outcome = Outcome::rank_loss;
        break;
      }
    }
    matrix_.solve(change_);
    const Correction change = correct(h);
    const double size = status.residual = larger(change.turn, change.shift);
    // Positions round by their size, and a joint near a centre of mass makes a turn of that.
    const double floor = larger(change.turn * model_.arm / model_.size, change.shift);
    const auto verdict = stopping.judge(floor);
    if (verdict == Stopping::Verdict::not_finite) {
      status.outcome = Outcome::not_finite;
      break;
    }
    // A softened matrix leaves of mu, from zero, a part to the next iteration.
    const bool predictable = fast && (k > 0 || model_.softening == 0);
    const bool last = keep ? size * (size / before) < negligible : size < last_but_one;
    if (verdict == Stopping::Verdict::done || (predictable && last)) {
      status.outcome = judge_solution(h, status.iterations);
      break;
    }
    keep = fast && size < small && !(keep && size > threshold::kept_contraction * before);
  }
  return status;
}

/// Where no guess was good enough, the solution is followed from small steps to this one: xi as a
/// function of h begins at the velocity, and is the branch that the motion takes. The equations
/// that hold at the end are those of the step.
template <class S, class Body>
Status MechanismStepper<S, Body>::follow(const State& z, const Real<S>& h,
                                         const ForceWeights& weights) {
  constexpr int most = 12;
  constexpr double shortest = 1.0 / 256;
  aim(z, Real<S>(0), weights);
  guess_from_momentum();
  mu_.setConstant(S(0));
  followed_ = mu_;
  Real<S> reached(0), part(1);
  int iterations = 0;
  for (;;) {
    const Real<S> next = part < Real<S>(1) - reached ? Real<S>(reached + part) : Real<S>(1);
    aim(z, h * next, weights);
    const Status status = solve(z, h * next, most);
    iterations += status.iterations;
    if (status) {
      if (next == Real<S>(1)) return {Outcome::ok, iterations, status.residual};
      followed_ = mu_;
      reached = next;
      part = part * Real<S>(2);
      continue;
    }
    xi_ = guess_, mu_ = followed_;
    part = part / Real<S>(2);
    if (part < Real<S>(shortest)) return {status.outcome, iterations, status.residual};
  }
}

/// At a singular position the joints cannot do all that the step asks of them: in the directions
/// that they have lost, its equations have no solution, or one that no digits are left for. Solved
/// in the others, with a gap that is small against the motion; the next step closes it.
template <class S, class Body>
Status MechanismStepper<S, Body>::pass_singular(const State& z, const Real<S>& h,
                                                const ForceWeights& weights) {
  constexpr int most = 12;
  constexpr double lost = 1e-6, small_gap = 1e-3;
  aim(z, h, weights);
  guess_from_momentum();
  mu_.setConstant(S(0));
  softening_ = lost;
  Status status = solve(z, h, most);
  softening_ = model_.softening;
  if (!status) return status;
  double gap = 0, moved = 0;
  evaluate(z, h);
  for (const S& value : rows1_.value) gap = larger(gap, magnitude(value));
  for (const Twist& xi : xi_)
    for (int k = 0; k < 6; ++k)
      moved = larger(moved, magnitude(xi[k]) * (k < 3 ? model_.arm : 1.0));
  if (!(gap <= small_gap * moved * std::abs(static_cast<double>(h))))
    status.outcome = Outcome::rank_loss;
  return status;
}

template <class S, class Body>
Status MechanismStepper<S, Body>::step(State& z, const Real<S>& h, const ForceWeights& weights) {
  // A hundred four-bars in a row that begin a step at an angle a to the flat position have little
  // left to push with: the softening of other steps hides it from a = 1e-5 on, this one from 1e-9.
  constexpr double near_singular = 1e-13;
  if (!rows_known_) look_around(z);
  aim(z, h, weights);
  predict(h);
  Status status = solve(z, h, options_.max_iterations);
  if (!status) {
    history_.known = 0;
    Status again = follow(z, h, weights);
    if (!again && model_.softening > 0) {
      softening_ = near_singular;
      again = follow(z, h, weights);
      softening_ = model_.softening;
    }
    if (!again && model_.softening > 0) again = pass_singular(z, h, weights);
    if (again) status = again;
  }
  if (status)
    finish(z, h, weights);
  else
    reset();
  return status;
}

}  // namespace rattleback

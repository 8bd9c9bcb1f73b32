// The bodies of MultistepStepper that make a step of its landing.
#pragma once

#include "rattleback/integrators/multistep.hpp"

namespace rattleback {

template <class Sys, class S, class K>
RATTLEBACK_INLINE Status MultistepStepper<Sys, S, K>::go_on(const Sys& system, K& kernel,
                                                            MultistepWork<K>& work) {
  Status status;
  if constexpr (in_passes) {
    status = land_in_passes(system, kernel, work);
  } else {
    memory_.guess(work.g);
    copy(work.force, work.w);
    kernel.shift(system, work.jacobian, work.g, true, work.w, work.lambda);
    if constexpr (fixed) foresee(work);
    status = land(system, kernel, work);
  }
  if (status.iterations > threshold::few_iterations) [[unlikely]]
    if (status && !kernel.same_branch(system, work.jacobian, work.next))
      status.outcome = Outcome::branch_jump;
  if (!status) return status;
  if constexpr (!in_passes) {
    kernel.exchange(work.jacobian, work.next);
    if (!kernel.solve_fresh(system, work.jacobian, work.g, false)) {
      fresh_ = false;
      return {Outcome::rank_loss, status.iterations};
    }
  }
  arrive(system, kernel, work);
  stepped_ = true;
  push(system, work);
  return status;
}

/// What the next step begins with, as far as it is known before the iteration, which the processor
/// need not wait for then.
template <class Sys, class S, class K>
RATTLEBACK_INLINE void MultistepStepper<Sys, S, K>::foresee(MultistepWork<K>& work) {
  const auto& w = as_row(work.w);
  memory_.arrive(work.coast, work.history, w, work.u, work.ahead);
  memory_.foresee(work.u, w, work.ahead, work.next_history, work.next_coast);
  work.foreseen = w;
}

template <class Sys, class S, class K>
RATTLEBACK_INLINE void MultistepStepper<Sys, S, K>::arrive(const Sys& system, K& kernel,
                                                           MultistepWork<K>& work) {
  if constexpr (in_passes) {
    kernel.follow(system, work.jacobian, work.lambda, reach_of(work), work.w);
    memory_.arrive(work.w, work.u, work.front, work.q, work.near);
    work.front.q.swap(work.q);  // the G of rods stands in the positions
    kernel.exchange(work.jacobian, work.next);
  } else if constexpr (fixed) {
    Row missed = as_row(work.w);
    subtract_scaled(R(1), work.foreseen, missed);
    memory_.mend(missed, work.u, work.ahead, work.next_history, work.next_coast);
    work.front = work.ahead, work.coast = work.next_coast, work.history = work.next_history;
  } else {
    memory_.arrive(work.w, work.u, work.front, work.front.q, work.near);
  }
  memory_.keep(work.u, work.w, work.lambda);
}

/// h^2 M^-1 f at the front; V_q where the kernel has passes of its own.
template <class Sys, class S, class K>
RATTLEBACK_INLINE void MultistepStepper<Sys, S, K>::push(const Sys& system,
                                                         MultistepWork<K>& work) {
  if constexpr (in_passes) return system.potential_gradient(work.front.q, work.force);
  Working<fixed, Position> v_q = v_q_;
  if constexpr (fixed)
    system.potential_gradient(work.q, v_q);
  else
    system.potential_gradient(work.front.q, v_q);
  system.velocity(v_q, work.force);
  scale(R(-h_ * h_), work.force);
}

/// What follows from the front alone.
template <class Sys, class S, class K>
[[gnu::noinline]] Status MultistepStepper<Sys, S, K>::refresh(const Sys& system) {
  per_drive_ = R(1) / memory_.coefficients().drive[0];
  for (Eigen::Index i = 0; i < work_.q.size(); ++i)
    work_.q[i] = entry(work_.front.q, i) + entry(work_.front.q_low, i);
  const Position& q = in_front();
  kernel_.linearise(system, q, work_.g, work_.jacobian);
  if (FactorReport f = kernel_.factor(system, work_.jacobian); !f.ok)
    return {Outcome::rank_loss, 0, f.smallest_pivot};
  measure_floor(q, work_.jacobian);
  if constexpr (knows_left_over) left_over_ = kernel_.left_over(system, work_.jacobian);
  push(system, work_);
  if constexpr (fixed)
    memory_.remember(work_.front, work_.history, work_.coast, work_.g);
  else
    memory_.resume(work_.front, work_.near);
  fresh_ = true;
  return {};
}

}  // namespace rattleback

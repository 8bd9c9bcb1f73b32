// The body of MultistepStepper in which a step finds its multiplier.
#pragma once

#include "rattleback/integrators/multistep.hpp"

namespace rattleback {

/// Newton on g(q1) = 0 in Lambda, from the guess in g. One correction is always made: a guess
/// that happens to be good enough is off by more than round-off, and to one side. One quadratic
/// constraint has a closed form.
template <class Sys, class S, class K>
RATTLEBACK_INLINE Status MultistepStepper<Sys, S, K>::land(const Sys& system, K& kernel,
                                                           MultistepWork<K>& work) {
  memory_.reach(work.coast, work.w, work.q);
  if constexpr (requires { kernel.forget(); }) kernel.forget();
  if constexpr (std::is_same_v<K, DenseKernel<Sys, S>> && detail::maybe_one_quadratic<Sys>)
    if (S s;
        system.traits().quadratic && detail::land_on_quadratic(system, kernel.weighted(), floor_,
                                                               work.q, work.g, work.next, s)) {
      work.g[0] = s * per_drive_;
      kernel.shift(system, work.jacobian, work.g, false, work.w, work.lambda);
      return {Outcome::ok, 1};
    }
  double last = std::numeric_limits<double>::infinity();
  bool exact = K::exact_newton;
  for (int k = 0; k < options_.max_iterations; ++k) {
    const bool settled = kernel.settled(system, work.q, work.g, work.next, floor_);
    if (settled && k > 0) return {Outcome::ok, k};
    if (k > 1) [[unlikely]] {
      const double size = K::size(work.g);
      if (!(size < threshold::residual_overflow)) return {Outcome::not_finite, k, size};
      if (size > threshold::poor_contraction * last) {
        if (stalled_at_round_off(work.g, work.next, work.q)) return {Outcome::ok, k, size};
        exact = true;
      }
      last = size;
    }
    if (!exact)
      kernel.solve(work.g);
    else if (!kernel.solve_newton(system, work.jacobian, work.next, work.g))
      return {Outcome::rank_loss, k, last};
    if constexpr (fixed) {  // q without the way through w: a third less for the next g to wait
      Multiplier unused;
      kernel.shift(system, work.jacobian, work.g, true, work.q, unused);
    }
    scale(per_drive_, work.g);
    kernel.shift(system, work.jacobian, work.g, false, work.w, work.lambda);
    if constexpr (!fixed) memory_.reach(work.coast, work.w, work.q);
  }
  return {Outcome::no_convergence, options_.max_iterations, last};
}
/// The same from the guess in lambda, each iteration one pass of the kernel. The matrix is the
/// symmetric part of that of Newton's first step, the exact one where that does not contract.
template <class Sys, class S, class K>
[[gnu::noinline]] Status MultistepStepper<Sys, S, K>::land_in_passes(const Sys& system, K& kernel,
                                                                     MultistepWork<K>& work) {
  const Reach<S, K::N> to{work.force, work.coast.q, work.coast.q_low,
                          memory_.coefficients().drive[0]};
  const R per_drive = per_drive_;  // a copy: it cannot be one of the numbers that are written
  double last = std::numeric_limits<double>::infinity();
  bool exact = false;
  for (int k = 0; k < options_.max_iterations; ++k) {
    const bool settled = kernel.reach(system, work.jacobian, work.lambda, to, floor_, work.w,
                                      work.q, work.g, work.next);
    if (settled && k > 0) return {Outcome::ok, k};
    if (k == 0) {
      exact = !kernel.factor_between(system, work.jacobian, work.next).ok;
    } else if (k > 1) {
      const double size = K::size(work.g);
      if (!(size < threshold::residual_overflow)) return {Outcome::not_finite, k, size};
      if (size > threshold::poor_contraction * last) {
        if (stalled_at_round_off(work.g, work.next, work.q)) return {Outcome::ok, k, size};
        exact = true;
      }
      last = size;
    }
    if (!exact)
      kernel.solve(work.g);
    else if (!kernel.solve_newton(system, work.jacobian, work.next, work.g))
      return {Outcome::rank_loss, k, last};
    add_scaled(per_drive, work.g, work.lambda);
  }
  return {Outcome::no_convergence, options_.max_iterations, last};
}
/// By value: the caller's copies stay in registers.
template <class Sys, class S, class K>
bool MultistepStepper<Sys, S, K>::stalled_at_round_off(
    Working<fixed, const Multiplier> g, Working<fixed, const typename K::Jacobian> jacobian,
    Working<fixed, const Position> q) {
  measure_floor(q, jacobian);
  return K::within_floor(g, floor_, threshold::constraint_band);
}

}  // namespace rattleback

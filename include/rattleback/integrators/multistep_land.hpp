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
  reach(work);
  if constexpr (requires { kernel.forget(); }) kernel.forget();
  if constexpr (std::is_same_v<K, DenseKernel<Sys, S>> && detail::maybe_one_quadratic<Sys>)
    if (S s;
        system.traits().quadratic && detail::land_on_quadratic(system, kernel.weighted(), floor_,
                                                               work.q, work.g, work.next, s)) {
      work.g[0] = s * per_drive_;
      kernel.shift(system, work.jacobian, work.g, false, work.w, work.lambda);
      return {Outcome::ok, 1};
    }
  const auto correct = [&]() RATTLEBACK_INLINE_LAMBDA {
    scale(per_drive_, work.g);
    kernel.shift(system, work.jacobian, work.g, false, work.w, work.lambda);
  };
  Contraction contraction;
  bool exact = K::exact_newton;
  for (int k = 0; k < options_.max_iterations; ++k) {
    const bool settled = kernel.settled(system, work.q, work.g, work.next, floor_);
    if (settled && k > 0) {
      if (!fixed && !exact) {  // what is left makes the round-off of H seven times as large
        kernel.solve(work.g);
        correct();
      }
      return {Outcome::ok, k};
    }
    if (k > 1) [[unlikely]] {
      const auto verdict = contraction.judge(K::size(work.g));
      if (verdict == Contraction::Verdict::not_finite)
        return {Outcome::not_finite, k, contraction.last()};
      if (verdict == Contraction::Verdict::poor) {
        if (stalled_at_round_off(work.g, work.next, work.q))
          return {Outcome::ok, k, contraction.last()};
        exact = true;
      }
    }
    if (!exact)
      kernel.solve(work.g);
    else if (!kernel.solve_newton(system, work.jacobian, work.next, work.g))
      return {Outcome::rank_loss, k, contraction.last()};
    if constexpr (fixed) {  // q without the way through w: a third less for the next g to wait
      Multiplier unused;
      kernel.shift(system, work.jacobian, work.g, true, work.q, unused);
    }
    correct();
    if constexpr (!fixed) reach(work);
  }
  return {Outcome::no_convergence, options_.max_iterations, contraction.last()};
}
/// The same from the guess in lambda, each iteration one pass of the kernel. The matrix is that of
/// Newton's first step, and made anew where that does not contract.
template <class Sys, class S, class K>
[[gnu::noinline]] Status MultistepStepper<Sys, S, K>::land_in_passes(const Sys& system, K& kernel,
                                                                     MultistepWork<K>& work) {
  const Reach<S, K::N> to = reach_of(work);
  const R per_drive = per_drive_;  // a copy: it cannot be one of the numbers that are written
  const auto reach = [&] {
    return kernel.reach(system, work.jacobian, work.lambda, to, floor_, work.q, work.g, work.next);
  };
  memory_.guess(work.lambda);
  reach();
  Contraction contraction;
  bool exact = true;  // whether the next correction has Newton's matrix
  for (int k = 1; k <= options_.max_iterations; ++k) {
    if (exact && !kernel.factor_between(system, work.jacobian, work.next).ok)
      return {Outcome::rank_loss, k, contraction.last()};
    kernel.solve_between(work.g);
    add_scaled(per_drive, work.g, work.lambda);
    if constexpr (knows_left_over)
      if (const double size = K::size(work.g); exact && left_over_ * size * size <= floor_)
        return {Outcome::ok, k};
    exact = false;
    if (reach()) return {Outcome::ok, k};
    if (k > 1) {
      const auto verdict = contraction.judge(K::size(work.g));
      if (verdict == Contraction::Verdict::not_finite)
        return {Outcome::not_finite, k, contraction.last()};
      exact = verdict == Contraction::Verdict::poor;
      if (exact && stalled_at_round_off(work.g, work.next, work.q))
        return {Outcome::ok, k, contraction.last()};
    }
  }
  return {Outcome::no_convergence, options_.max_iterations, contraction.last()};
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

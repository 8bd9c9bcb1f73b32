// integrate(system, method, start, options): the run of a phase point.
#pragma once

#include <string>
#include <utility>

#include "rattleback/geometry/consistent.hpp"
#include "rattleback/integrators/phase_space_motion.hpp"
#include "rattleback/integrators/run_motion.hpp"
#include "rattleback/integrators/shake_rattle.hpp"

namespace rattleback {

/// Runs a stepper that was made for this system, by itself or behind a pointer.
template <class Sys, class Stepper>
RATTLEBACK_INLINE auto integrate_with(const Sys& system, Stepper stepper, const std::string& method,
                                      const StateOf<Sys, double>& start,
                                      const RunOptions<StateOf<Sys, double>>& options) {
  PhaseSpaceMotion<const Sys&, Stepper> motion(system, std::move(stepper), start,
                                               {.method = method});
  return run_motion(motion, options);
}

/// A start with another number of coordinates.
template <ConstrainedSystem Sys, class M, int N>
  requires(N != Sys::dimension_at_compile_time)
auto integrate(const Sys&, const M&, const State<double, N>&,
               const RunOptions<StateOf<Sys, double>>&) {
  static_assert(N == Sys::dimension_at_compile_time,
                "rattleback: the start has another number of coordinates than the system");
}

/// integrate(system, Rattle{}, start, {.step = 0.01, .steps = 1000})
template <ConstrainedSystem Sys, class M>
auto integrate(const Sys& system, const M& method, const StateOf<Sys, double>& start,
               const RunOptions<StateOf<Sys, double>>& options) {
  if (!options.allow_inconsistent) require_consistent(system, start, {options.consistency});
  return integrate_with(system, method.template stepper<double>(system), method.info().name, start,
                        options);
}

}  // namespace rattleback

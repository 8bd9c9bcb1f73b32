// The steppers of SHAKE and RATTLE for systems known at run time. The cores compile long: every
// scalar has a source of its own, so that they compile side by side.
#pragma once

#include "common_options.hpp"
#include "rattleback/integrators/compiled_natural.hpp"
#include "rattleback/integrators/natural_steps.hpp"

namespace rattleback {

template <class S>
AnyStepperPointer<S> shake_rattle_stepper(const AnySystem& system, const BaseMapChoice& base,
                                          Projection project, const SolveOptions& solve) {
  const auto kick = kicks(base.map);
  const Traits t = system.traits();
  if (kick)
    if (const auto own = system.model<S>().natural_steps())
      return own->stepper(*kick, project, solve);
  if constexpr (std::is_same_v<S, double> || std::is_same_v<S, Pack>)
    if (kick)
      if (auto fast = compiled_stepper<S>(system, *kick, project, solve)) return fast;
  if (t.natural && t.holonomic && kick && system.constraint_count() > 0)
    return erase<S>(NaturalStepper<AnySystem, S>(system, *kick, project, solve));
  return erase<S>(GeneralStepper<AnySystem, S>(system, base, project, solve));
}

}  // namespace rattleback

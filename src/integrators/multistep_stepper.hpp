// The multistep methods for systems known at run time. Every scalar has a source of its own, so
// that they compile side by side.
#pragma once

#include "rattleback/integrators/compiled_natural.hpp"
#include "rattleback/integrators/natural_steps.hpp"
#include "rattleback/problem/pack.hpp"

namespace rattleback {

/// By the fastest kernel that fits. The system is natural, with constraints on positions.
template <class S>
AnyStepperPointer<S> multistep_stepper(const AnySystem& system, int order,
                                       const SolveOptions& solve) {
  const bool constrained = system.constraint_count() > 0;  // what is fast is so by its constraints
  if (const auto own = system.model<S>().natural_steps(); own && constrained)
    return own->multistep(order, solve);
  if constexpr (std::is_same_v<S, double> || std::is_same_v<S, Pack>)
    if (auto fast = constrained ? compiled_multistep<S>(system, order, solve) : nullptr)
      return fast;
  return erase<S>(MultistepStepper<AnySystem, S>(system, order, Projection::output, solve));
}

}  // namespace rattleback

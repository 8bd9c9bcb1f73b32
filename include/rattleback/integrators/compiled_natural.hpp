// SHAKE and RATTLE on natural systems in straight-line code: small ones with static sizes, larger
// ones with the structure of their constraints.
#pragma once

#include "rattleback/integrators/natural_steps.hpp"

namespace rattleback {

/// A stepper on system.model<S>().compiled(), S a double or a Pack; null if there is none, or if
/// the base map neither kicks nor has stages.
template <class S>
AnyStepperPointer<S> compiled_stepper(const AnySystem& system, const BaseMapChoice& base,
                                      Projection project, const SolveOptions& options);
/// The same of the multistep method of that order.
template <class S>
AnyStepperPointer<S> compiled_multistep(const AnySystem& system, int order,
                                        const SolveOptions& options);

}  // namespace rattleback

// SHAKE and RATTLE on natural systems in straight-line code: small ones with static sizes, larger
// ones with the structure of their constraints.
#pragma once

#include "rattleback/integrators/natural_steps.hpp"

namespace rattleback {

/// A stepper for kick - drift - kick on system.model<S>().compiled(), S a double or a Pack; null if
/// there is none.
template <class S>
AnyStepperPointer<S> compiled_stepper(const AnySystem& system, Kicks kicks, Projection project,
                                      const SolveOptions& options);

}  // namespace rattleback

// Steppers of the underlying equations, one source for each scalar: they compile long.
#pragma once

#include "rattleback/integrators/any_stepper.hpp"
#include "rattleback/integrators/underlying.hpp"

namespace rattleback {

/// Instantiated for double, Quad and Pack.
template <class S>
AnyStepperPointer<S> underlying_stepper(const AnySystem& system, const UnderlyingOptions& options,
                                        const SolveOptions& solve);

#define RATTLEBACK_UNDERLYING_STEPPER(S)                                                      \
  template <>                                                                                 \
  AnyStepperPointer<S> underlying_stepper<S>(                                                 \
      const AnySystem& system, const UnderlyingOptions& options, const SolveOptions& solve) { \
    return erase<S>(UnderlyingStepper<AnySystem, S>(system, options, solve));                 \
  }

}  // namespace rattleback

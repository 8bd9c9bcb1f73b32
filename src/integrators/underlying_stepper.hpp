// Steppers of the underlying equations, one source for each scalar: they compile long.
#pragma once

#include "rattleback/integrators/any_stepper.hpp"
#include "rattleback/integrators/underlying.hpp"
#include "rattleback/problem/pack.hpp"

namespace rattleback {

template <class S>
AnyStepperPointer<S> underlying_stepper(const AnySystem& system, const UnderlyingOptions& options,
                                        const SolveOptions& solve) {
  return erase<S>(UnderlyingStepper<AnySystem, S>(system, options, solve));
}

extern template AnyStepperPointer<double> underlying_stepper(const AnySystem&,
                                                             const UnderlyingOptions&,
                                                             const SolveOptions&);
extern template AnyStepperPointer<Quad> underlying_stepper(const AnySystem&,
                                                           const UnderlyingOptions&,
                                                           const SolveOptions&);
extern template AnyStepperPointer<Pack> underlying_stepper(const AnySystem&,
                                                           const UnderlyingOptions&,
                                                           const SolveOptions&);

}  // namespace rattleback

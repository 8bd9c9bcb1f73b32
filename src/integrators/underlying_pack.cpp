#include "underlying_stepper.hpp"

namespace rattleback {

template AnyStepperPointer<Pack> underlying_stepper(const AnySystem&, const UnderlyingOptions&,
                                                    const SolveOptions&);

}  // namespace rattleback

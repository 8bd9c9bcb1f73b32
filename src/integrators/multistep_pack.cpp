#include "multistep_stepper.hpp"

namespace rattleback {

template AnyStepperPointer<Pack> multistep_stepper(const AnySystem&, int, const SolveOptions&);

}  // namespace rattleback

#include "multistep_stepper.hpp"

namespace rattleback {

template AnyStepperPointer<double> multistep_stepper(const AnySystem&, int, const SolveOptions&);

}  // namespace rattleback

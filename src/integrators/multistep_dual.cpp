#include "multistep_stepper.hpp"

namespace rattleback {

template AnyStepperPointer<Dual<double, 4>> multistep_stepper(const AnySystem&, int,
                                                              const SolveOptions&);

}  // namespace rattleback

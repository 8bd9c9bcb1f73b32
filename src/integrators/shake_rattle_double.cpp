#include "shake_rattle_stepper.hpp"

namespace rattleback {

template AnyStepperPointer<double> shake_rattle_stepper(const AnySystem&, const BaseMapChoice&,
                                                        Projection, const SolveOptions&);

}  // namespace rattleback

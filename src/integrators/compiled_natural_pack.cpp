#include "compiled_natural_stepper.hpp"

namespace rattleback {

template class CompiledAlgebra<Pack>;

template AnyStepperPointer<Pack> compiled_stepper(const AnySystem&, const BaseMapChoice&,
                                                  Projection, const SolveOptions&);

}  // namespace rattleback

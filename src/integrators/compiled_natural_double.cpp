#include "compiled_natural_stepper.hpp"

namespace rattleback {

template class CompiledAlgebra<double>;

template AnyStepperPointer<double> compiled_stepper(const AnySystem&, const BaseMapChoice&,
                                                    Projection, const SolveOptions&);

}  // namespace rattleback

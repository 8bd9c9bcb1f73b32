#include "compiled_small_stepper.hpp"

namespace rattleback::detail {

template AnyStepperPointer<double> small_compiled_stepper(const AnySystem&, const BaseMapChoice&,
                                                          Projection, const SolveOptions&);

}  // namespace rattleback::detail

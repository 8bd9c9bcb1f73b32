#include "compiled_multistep.hpp"

namespace rattleback {

template AnyStepperPointer<double> compiled_multistep(const AnySystem&, int, const SolveOptions&);

}  // namespace rattleback

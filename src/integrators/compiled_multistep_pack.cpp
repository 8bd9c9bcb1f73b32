#include "compiled_multistep.hpp"

namespace rattleback {

template AnyStepperPointer<Pack> compiled_multistep(const AnySystem&, int, const SolveOptions&);

}  // namespace rattleback

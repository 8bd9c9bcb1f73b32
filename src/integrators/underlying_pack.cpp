#include "rattleback/problem/pack.hpp"
#include "underlying_stepper.hpp"

namespace rattleback {
RATTLEBACK_UNDERLYING_STEPPER(Pack)
}  // namespace rattleback

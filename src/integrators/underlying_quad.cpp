
#include "underlying_stepper.hpp"

namespace rattleback {
RATTLEBACK_UNDERLYING_STEPPER(Quad)
}  // namespace rattleback

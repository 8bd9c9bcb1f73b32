
#include "underlying_stepper.hpp"

namespace rattleback {
RATTLEBACK_UNDERLYING_STEPPER(double)
}  // namespace rattleback

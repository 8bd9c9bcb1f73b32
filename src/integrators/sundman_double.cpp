#include "sundman_stepper.hpp"

namespace rattleback {

template <>
AnyStepperPointer<double> sundman_stepper(const AnySystem& system, int stages, double accuracy) {
  return detail::make_sundman<double>(system, stages, accuracy);
}

}  // namespace rattleback

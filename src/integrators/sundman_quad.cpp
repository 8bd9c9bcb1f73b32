#include "sundman_stepper.hpp"

namespace rattleback {

template <>
AnyStepperPointer<Quad> sundman_stepper(const AnySystem& system, int stages, double accuracy) {
  return detail::make_sundman<Quad>(system, stages, accuracy);
}

}  // namespace rattleback

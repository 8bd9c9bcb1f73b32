#include "sundman_stepper.hpp"

namespace rattleback {

template <>
AnyStepperPointer<Quad> sundman_stepper(const AnySystem& system, int stages, double accuracy) {
  return detail::make_sundman<Quad>(system, stages, accuracy);
}
template <>
ForceRate<Quad> force_rate(const AnySystem& system) {
  return detail::make_force_rate<Quad>(system);
}

}  // namespace rattleback

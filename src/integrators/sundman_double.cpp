#include "sundman_stepper.hpp"

namespace rattleback {

template <>
AnyStepperPointer<double> sundman_stepper(const AnySystem& system, const SundmanOptions& options) {
  return detail::make_sundman<double>(system, options);
}
template <>
ForceRate<double> force_rate(const AnySystem& system) {
  return detail::make_force_rate<double>(system);
}

}  // namespace rattleback

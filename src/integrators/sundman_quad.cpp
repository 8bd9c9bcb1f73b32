#include "sundman_stepper.hpp"

namespace rattleback {

template <>
AnyStepperPointer<Quad> sundman_stepper(const AnySystem& system, const SundmanOptions& options) {
  return detail::make_sundman<Quad>(system, options);
}
template <>
ForceRate<Quad> force_rate(const AnySystem& system) {
  return detail::make_force_rate<Quad>(system);
}

}  // namespace rattleback

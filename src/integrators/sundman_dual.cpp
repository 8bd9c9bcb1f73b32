#include "sundman_stepper.hpp"

namespace rattleback {

template <>
AnyStepperPointer<Dual<double, 4>> sundman_stepper(const AnySystem& system,
                                                   const SundmanOptions& options) {
  return detail::make_sundman<Dual<double, 4>>(system, options);
}

}  // namespace rattleback

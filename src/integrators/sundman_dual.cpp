#include "sundman_stepper.hpp"

namespace rattleback {

template <>
AnyStepperPointer<Dual<double, 4>> sundman_stepper(const AnySystem& system, int stages,
                                                   double accuracy) {
  return detail::make_sundman<Dual<double, 4>>(system, stages, accuracy);
}

}  // namespace rattleback

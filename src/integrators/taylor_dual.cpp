#include "taylor_stepper.hpp"

namespace rattleback {

template <>
AnyStepperPointer<Dual<double, 4>> taylor_stepper(const AnySystem& system, int order,
                                                  const SolveOptions& solve) {
  return make_taylor_stepper<Dual<double, 4>>(system, order, solve);
}

}  // namespace rattleback

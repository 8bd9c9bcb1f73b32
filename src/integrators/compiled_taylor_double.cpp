#include "taylor_stepper.hpp"

namespace rattleback {

template <>
AnyStepperPointer<double> taylor_stepper(const AnySystem& system, int order,
                                         const SolveOptions& solve) {
  return make_taylor_stepper<double>(system, order, solve);
}

}  // namespace rattleback

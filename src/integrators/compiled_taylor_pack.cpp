#include "taylor_stepper.hpp"

namespace rattleback {

template <>
AnyStepperPointer<Pack> taylor_stepper(const AnySystem& system, int order,
                                       const SolveOptions& solve) {
  return make_taylor_stepper<Pack>(system, order, solve);
}

}  // namespace rattleback

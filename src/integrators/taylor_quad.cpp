#include "taylor_stepper.hpp"

namespace rattleback {

template <>
AnyStepperPointer<Quad> taylor_stepper(const AnySystem& system, int order,
                                       const SolveOptions& solve) {
  return make_taylor_stepper<Quad>(system, order, solve);
}

}  // namespace rattleback

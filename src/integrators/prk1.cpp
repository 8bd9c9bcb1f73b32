#include "rattleback/integrators/prk1.hpp"

#include "common_options.hpp"
#include "rattleback/expression/sparse_derivatives.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {

namespace {

struct MakePrk1 {
  template <class S>
  AnyStepperPointer<S> operator()(const Values&, const AnySystem& system,
                                  const SolveOptions& solve) const {
    if (!system.traits().holonomic)
      throw ModelError("prk1: " + system.name() + " has constraints on momenta");
    // The same map, by the structure of the constraints and of H.
    if (sparse_derivatives(system))
      return shake_rattle_stepper<S>(system, BaseMap::euler_a, Projection::every, solve);
    return erase<S>(Prk1Stepper<AnySystem, S>(system, solve));
  }
};

}  // namespace

Family prk1_family() {
  return {.name = "prk1",
          .text = "one-stage partitioned Runge-Kutta method, p~ and lambda solved for together",
          .options = {},
          .claims = [](const Values&) -> Claims { return prk1_info(); },
          .make = MakePrk1{}};
}

}  // namespace rattleback

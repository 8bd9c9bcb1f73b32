#include "rattleback/integrators/cotangent.hpp"

#include "../common_options.hpp"

namespace rattleback {

namespace {

struct MakeCotangent {
  template <class S>
  AnyStepperPointer<S> operator()(const Values& values, const AnySystem& system,
                                  const SolveOptions& solve) const {
    if (!system.traits().holonomic)
      throw ModelError("cotangent: g = 0 of " + system.name() +
                       " is not a configuration manifold: its constraints contain momenta");
    using Inner = OwnedStepper<S>;
    Inner shake{shake_rattle_stepper<S>(system, base_of(values), Projection::output, solve)};
    return erase<S>(CotangentStepper<AnySystem, S, Inner>(system, std::move(shake)));
  }
};

}  // namespace

Family cotangent_family(FamilyScalars) {
  return composable(
      {.name = "cotangent",
       .text = "SHAKE as a map of T*Q, Q = { g(q) = 0 }: shown by canonical representatives",
       .options = {base_option(), theta_option()},
       .claims = [](const Values& v) -> Claims { return cotangent_info(base_of(v)); },
       .make = steppers(MakeCotangent{})});
}

}  // namespace rattleback

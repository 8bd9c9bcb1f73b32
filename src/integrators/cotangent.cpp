#include "rattleback/integrators/cotangent.hpp"

#include "common_options.hpp"

namespace rattleback {

namespace {

/// RATTLE's projection of what is looked at, by the structure of the constraints.
template <class S>
struct Presenter {
  OwnedStepper<S> rattle;
  Status project(const AnySystem& system, State<S>& z) { return rattle.present(system, z); }
};

struct MakeCotangent {
  template <class S>
  AnyStepperPointer<S> operator()(const Values& values, const AnySystem& system,
                                  const SolveOptions& solve) const {
    if (!system.traits().holonomic)
      throw ModelError("cotangent: g = 0 of " + system.name() +
                       " is not a configuration manifold: its constraints contain momenta");
    using Inner = OwnedStepper<S>;
    Inner shake{shake_rattle_stepper<S>(system, base_of(values), Projection::never, solve)};
    Presenter<S> presenter{
        {shake_rattle_stepper<S>(system, base_of(values), Projection::output, solve)}};
    return erase<S>(CotangentStepper<AnySystem, S, Inner, Presenter<S>>(system, std::move(shake),
                                                                        std::move(presenter)));
  }
};

}  // namespace

Family cotangent_family() {
  return composable(
      {.name = "cotangent",
       .text = "SHAKE as a map of T*Q, Q = { g(q) = 0 }: shown by canonical representatives",
       .options = {base_option(), theta_option()},
       .claims = [](const Values& v) -> Claims { return cotangent_info(base_of(v)); },
       .make = MakeCotangent{}});
}

}  // namespace rattleback

#include "rattleback/integrators/shake_rattle.hpp"

#include "common_options.hpp"
#include "rattleback/integrators/compiled_natural.hpp"
#include "rattleback/integrators/natural_steps.hpp"

namespace rattleback {

template <class S>
AnyStepperPointer<S> shake_rattle_stepper(const AnySystem& system, BaseMap base, Projection project,
                                          const SolveOptions& solve) {
  const Traits t = system.traits();
  if (kicks(base))
    if (const auto own = system.model<S>().natural_steps())
      return own->stepper(*kicks(base), project, solve);
  if constexpr (std::is_same_v<S, double> || std::is_same_v<S, Pack>)
    if (kicks(base))
      if (auto fast = compiled_stepper<S>(system, *kicks(base), project, solve)) return fast;
  if (t.natural && t.holonomic && kicks(base) && system.constraint_count() > 0)
    return erase<S>(NaturalStepper<AnySystem, S>(system, *kicks(base), project, solve));
  return erase<S>(GeneralStepper<AnySystem, S>(system, base, project, solve));
}
template AnyStepperPointer<double> shake_rattle_stepper(const AnySystem&, BaseMap, Projection,
                                                        const SolveOptions&);
template AnyStepperPointer<Dual<double, 4>> shake_rattle_stepper(const AnySystem&, BaseMap,
                                                                 Projection, const SolveOptions&);
template AnyStepperPointer<Quad> shake_rattle_stepper(const AnySystem&, BaseMap, Projection,
                                                      const SolveOptions&);
template AnyStepperPointer<Pack> shake_rattle_stepper(const AnySystem&, BaseMap, Projection,
                                                      const SolveOptions&);

namespace {

struct MakeShakeRattle {
  template <class S>
  AnyStepperPointer<S> operator()(const Values& values, const AnySystem& system,
                                  const SolveOptions& solve) const {
    return shake_rattle_stepper<S>(system, base_of(values), projection_of(values), solve);
  }
};

Claims claims(const Values& values) {
  return shake_rattle_info(base_of(values), projection_of(values));
}

}  // namespace

Family shake_family() {
  return {.name = "shake",
          .text = "SHAKE: lands on g = 0, and leaves {g,H} = 0 to whoever looks",
          .options = {base_option()},
          .claims = claims,
          .make = MakeShakeRattle{}};
}

Family rattle_family() {
  Family rattle{.name = "rattle",
                .text = "RATTLE: the map of SHAKE on fibres, with momenta on {g,H} = 0",
                .options = {base_option(), project_option()},
                .claims = claims,
                .make = MakeShakeRattle{}};
  for (const OptionValue& base : base_option().samples)
    rattle.together.push_back({{"base", base}, {"project", "output"}});
  rattle.together.push_back({{"base", "midpoint"}, {"compose", "triplejump4"}});
  rattle.together.push_back({{"project", "output"}, {"compose", "triplejump4"}});
  return composable(std::move(rattle));
}

}  // namespace rattleback

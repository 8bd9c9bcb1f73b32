#include "rattleback/integrators/shake_rattle.hpp"

#include "../common_options.hpp"

namespace rattleback {

namespace {

Option sums_option() {
  return word_option("sums",
                     "compensated: round-off of the energy grows like the square root of the "
                     "steps, at several times the cost",
                     {"plain", "compensated"});
}
Sums sums_of(const Values& values) {
  return values.word("sums") == "plain" ? Sums::plain : Sums::compensated;
}

struct MakeShakeRattle {
  template <class S>
  AnyStepperPointer<S> operator()(const Values& values, const AnySystem& system,
                                  const SolveOptions& solve) const {
    const BaseMapChoice base = base_of(values);
    const Projection project = projection_of(values);
    if (sums_of(values) == Sums::compensated) {
      detail::require_compensable(system.traits());
      if constexpr (std::is_same_v<S, double>)
        return erase<S>(CompensatedStepper<AnySystem>(system, *kicks(base.map), project, solve));
      if constexpr (std::is_same_v<S, Pack>) return nullptr;  // see Shake
    }
    return shake_rattle_stepper<S>(system, base, project, solve);
  }
};

Claims rattle_claims(const Values& values) {
  const Sums sums = sums_of(values);
  if (sums == Sums::compensated && !kicks(base_of(values).map))
    return Refusal{"compensated sums are there for kick-drift-kick: base verlet, euler-a, euler-b"};
  if (sums == Sums::compensated && values.has("compose") && values.word("compose") != "none")
    return Refusal{"compensated sums are not composed: a projection between steps would round p"};
  return shake_rattle_info(base_of(values), projection_of(values), sums);
}

}  // namespace

Family shake_family(FamilyScalars) {
  return {.name = "shake",
          .text = "SHAKE: lands on g = 0, and leaves {g,H} = 0 to whoever looks",
          .options = {base_option(), theta_option(), sums_option()},
          .claims = rattle_claims,
          .make = steppers(MakeShakeRattle{})};
}

Family rattle_family(FamilyScalars) {
  Family rattle{.name = "rattle",
                .text = "RATTLE: the map of SHAKE on fibres, with momenta on {g,H} = 0",
                .options = {base_option(), theta_option(), project_option(), sums_option()},
                .claims = rattle_claims,
                .make = steppers(MakeShakeRattle{})};
  for (const OptionValue& base : base_option().samples)
    rattle.together.push_back({{"base", base}, {"project", "output"}});
  rattle.together.push_back({{"project", "output"}, {"sums", "compensated"}});
  rattle.together.push_back({{"base", "midpoint"}, {"compose", "triplejump4"}});
  rattle.together.push_back({{"project", "output"}, {"compose", "triplejump4"}});
  return with_density(composable(std::move(rattle)),
                      {{{"density", "reversible"}},
                       {{"project", "output"}, {"compose", "suzuki4"}, {"density", "reversible"}}});
}

}  // namespace rattleback

#include "rattleback/integrators/density.hpp"

#include "../common_options.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {

template <>
ForceRate<double> force_rate(const AnySystem& system);
template <>
ForceRate<Quad> force_rate(const AnySystem& system);

namespace {

bool varies(const Values& values) { return values.word("density") != "none"; }

Claims density_claims(Claims claims) {
  auto* info = std::get_if<MethodInfo>(&claims);
  if (!info) return claims;
  if (!info->symmetric)
    return Refusal{"it is not symmetric, and steps that vary are for symmetric methods"};
  info->nearly_keeps_energy = keeps_energy(*info);
  info->symplectic_on = SymplecticOn::nothing;
  info->loses_energy = false;
  info->varies_steps = true;
  info->applies.natural = info->applies.holonomic = true;
  info->cite += ", [Hairer05]";
  return claims;
}

/// Of G, where the force is found by full matrices, as in sundman.
constexpr long most_entries_for_density = 40'000;

void require_force(const AnySystem& system) {
  if (!system.traits().natural || !system.traits().holonomic)
    throw ModelError("density: " + system.name() +
                     " is not a natural system with constraints on positions");
  if (long{system.constraint_count()} * system.dimension() > most_entries_for_density)
    throw ModelError("density: full matrices for the " + std::to_string(system.constraint_count()) +
                     " constraints of " + system.name() + " on " +
                     std::to_string(system.dimension()) + " coordinates; it is for few");
}

struct MakeDensity {
  std::string family;
  Factories make;
  std::function<Claims(const Values&)> claims;

  template <class S>
  AnyStepperPointer<S> operator()(const Values& values, const AnySystem& system,
                                  const SolveOptions& solve) const {
    if (!varies(values)) return make.stepper<S>(values, system, solve);
    if constexpr (std::is_same_v<S, Pack>) {
      throw ModelError("density: every copy of " + system.name() +
                       " varies its steps, and those in a pack have the same ones");
    } else {
      require_force(system);
      AnyStepperPointer<double> pilot;
      if constexpr (!std::is_same_v<S, double>)
        pilot = find_family(family)->make.stepper<double>(values, system, solve);
      typename DensityStepper<S>::Derivatives derivatives = [&] {
        if constexpr (is_dual<S>)
          return DensityDerivatives<S>(system.dimension(),
                                       make.stepper<Quad>(values, system, solve),
                                       force_rate<Quad>(system));
        else
          return typename DensityStepper<S>::None{};
      }();
      return erase<S>(DensityStepper<S>(system, make.stepper<S>(values, system, solve),
                                        std::get<MethodInfo>(claims(values)).order,
                                        values.number("accuracy"), std::move(pilot),
                                        std::move(derivatives)));
    }
  }
};

}  // namespace

Family with_density(Family family, std::vector<Values> in_laws, FamilyScalars) {
  const Family plain = family;
  Option option =
      word_option("density", "reversible: steps vary with the force, and come back with time",
                  {"none", "reversible"});
  option.in_laws = {std::string("none")};
  family.options.push_back(std::move(option));
  family.options.push_back(
      {.name = "accuracy",
       .text = "wanted error at the end, by which the steps are chosen; 0: as given",
       .standard = 0.0,
       .samples = {},
       .least = 0,
       .most = 1,
       .only_with = {"density", "reversible"}});
  family.together.insert(family.together.end(), in_laws.begin(), in_laws.end());
  family.claims = [plain](const Values& values) -> Claims {
    return varies(values) ? density_claims(plain.claims(values)) : plain.claims(values);
  };
  family.make = steppers(MakeDensity{plain.name, plain.make, plain.claims});
  return family;
}

}  // namespace rattleback

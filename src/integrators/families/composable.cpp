#include "../common_options.hpp"
#include "rattleback/integrators/composition.hpp"

namespace rattleback {

namespace {

/// Nothing for compose=none.
const CompositionInfo* scheme_of(const Values& values) {
  for (const CompositionInfo& scheme : compositions)
    if (scheme.name == values.word("compose")) return &scheme;
  return nullptr;
}

struct MakeComposed {
  Factories make;

  template <class S>
  AnyStepperPointer<S> operator()(const Values& values, const AnySystem& system,
                                  const SolveOptions& solve) const {
    const CompositionInfo* by = scheme_of(values);
    if (!by) return make.stepper<S>(values, system, solve);
    const bool project = projection_of(values) == Projection::every;
    Values fibre = values;
    if (project) fibre.set("project", "output");
    using Inner = OwnedStepper<S>;
    return erase<S>(ComposedStepper<AnySystem, S, Inner>(
        system, Inner{make.stepper<S>(fibre, system, solve)}, by->scheme, project));
  }
};

}  // namespace

Family composable(Family family, FamilyScalars) {
  std::vector<std::string> names{"none"};
  for (const CompositionInfo& scheme : compositions) names.emplace_back(scheme.name);
  const Family plain = family;
  Option option = word_option(
      "compose", "substeps that raise the order of a symmetric method, to that in their name",
      names);
  // They differ in numbers only, and composition_test.cpp holds all of these.
  option.in_laws = {std::string("none"), std::string("triplejump4")};
  family.options.push_back(std::move(option));
  family.claims = [plain](const Values& values) -> Claims {
    Claims claims = plain.claims(values);
    const CompositionInfo* by = scheme_of(values);
    auto* inner = std::get_if<MethodInfo>(&claims);
    if (!by || !inner) return claims;
    inner->name = plain.name_of(values);
    if (const std::string why = obstacle_to_composition(*inner, by->scheme); !why.empty())
      return Refusal{why};
    return composed_info(std::move(*inner), by->scheme);
  };
  family.make = steppers(MakeComposed{plain.make});
  return family;
}

}  // namespace rattleback

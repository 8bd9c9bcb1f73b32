#include "rattleback/integrators/variational.hpp"

#include "../common_options.hpp"

namespace rattleback {

namespace {

Option quadrature_option() {
  std::vector<std::string> names;
  names.reserve(std::size(quadratures));
  for (const auto& rule : quadratures) names.emplace_back(rule.name);
  Option option = word_option("quadrature", "of the discrete Lagrangian", names);
  option.in_name = true;
  return option;
}

Quadrature quadrature_of(const Values& values) {
  for (const auto& rule : quadratures)
    if (rule.name == values.word("quadrature")) return rule.quadrature;
  throw InputError("quadrature", "unknown quadrature '" + values.word("quadrature") + "'");
}

struct MakeVariational {
  template <class S>
  AnyStepperPointer<S> operator()(const Values& values, const AnySystem& system,
                                  const SolveOptions& solve) const {
    const Quadrature quadrature = quadrature_of(values);
    const Traits t = system.traits();
    if (!variational_info(quadrature).applies(t))
      throw ModelError("variational: " + system.name() + " has " +
                       (t.holonomic ? "no known Lagrangian" : "constraints on momenta"));
    const BaseMap same = base_map(quadrature);
    const Projection project = projection_of(values);
    if (t.natural && system.constraint_count() > 0)
      return shake_rattle_stepper<S>(system, same, project, solve);
    return erase<S>(VariationalStepper<AnySystem, S>(system, quadrature, project, solve));
  }
};

}  // namespace

Family variational_family(FamilyScalars) {
  return with_density(composable(
      {.name = "variational",
       .text = "constrained discrete Lagrangian with multipliers at both ends",
       .options = {quadrature_option(), project_option()},
       .claims = [](const Values& v) -> Claims { return variational_info(quadrature_of(v)); },
       .make = steppers(MakeVariational{})}));
}

}  // namespace rattleback

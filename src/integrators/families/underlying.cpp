#include "rattleback/integrators/underlying.hpp"

#include "../underlying_stepper.hpp"
#include "rattleback/problem/error.hpp"
#include "scalars.hpp"

namespace rattleback {

namespace {

const std::vector<std::pair<std::string, UnderlyingFormulation>> formulations{
    {"dirac", UnderlyingFormulation::dirac},
    {"classical", UnderlyingFormulation::classical},
    {"total", UnderlyingFormulation::total},
    {"impetus", UnderlyingFormulation::impetus}};

UnderlyingOptions options_of(const Values& values) {
  UnderlyingOptions options;
  for (const auto& [name, formulation] : formulations)
    if (name == values.word("formulation")) options.formulation = formulation;
  for (const OdeMethodInfo& method : ode_methods)
    if (method.name == values.word("ode")) options.ode = method.method;
  const std::string& project = values.word("project");
  options.position = project == "position" || project == "both";
  options.momentum = project == "momentum" || project == "both";
  options.threshold = values.number("threshold");
  options.tolerance = values.number("tolerance");
  return options;
}

Claims claims_for(const Values& values) {
  const UnderlyingOptions o = options_of(values);
  if (o.threshold > 0 && !o.position && !o.momentum)
    return Refusal{"threshold says when to project: give project=momentum, position or both"};
  if (o.tolerance > 0 && o.ode != OdeMethod::dopri5 && o.ode != OdeMethod::dop853)
    return Refusal{"tolerance is for ode=dopri5 and dop853: " + values.word("ode") +
                   " does not estimate its error"};
  return underlying_info(o);
}

/// The steppers that are compiled elsewhere, as what is differenced.
template <class Sys, class R>
struct CompiledUnderlying : OwnedStepper<R> {
  CompiledUnderlying(const Sys& system, const UnderlyingOptions& options, const SolveOptions& solve)
      : OwnedStepper<R>{underlying_stepper<R>(system, options, solve)} {}
};

struct MakeUnderlying {
  template <class S>
  AnyStepperPointer<S> operator()(const Values& values, const AnySystem& system,
                                  const SolveOptions& solve) const {
    if constexpr (is_dual<S>)
      return erase<S>(
          UnderlyingOnDuals<CompiledUnderlying, AnySystem, S>(system, options_of(values), solve));
    else
      return underlying_stepper<S>(system, options_of(values), solve);
  }
};

std::vector<Option> options() {
  std::vector<std::string> names;
  names.reserve(formulations.size());
  for (const auto& formulation : formulations) names.push_back(formulation.first);
  Option formulation =
      word_option("formulation", "which equations, the same on g = {g,H} = 0 only", names);
  names.clear();
  for (const OdeMethodInfo& method : ode_methods) names.emplace_back(method.name);
  return {formulation,
          word_option("ode", "the method that solves them", names),
          word_option("project", "what is brought back to g = 0 or {g,H} = 0 after a step",
                      {"none", "position", "momentum", "both"}),
          {.name = "threshold",
           .text = "project where the largest |g| or |{g,H}| is above; 0: after every step",
           .standard = 0.0,
           .samples = {},
           .least = 0},
          {.name = "tolerance",
           .text = "relative error by which dopri5 and dop853 cut a step; 0: they do not",
           .standard = 0.0,
           .samples = {},
           .least = 0}};
}

}  // namespace

Family underlying_family(FamilyScalars) {
  return {
      .name = "underlying",
      .text =
          "methods for ordinary differential equations on the underlying equations, with "
          "projections",
      .options = options(),
      .claims = claims_for,
      .make = steppers(MakeUnderlying{}),
      .together = {{{"formulation", "total"}, {"ode", "midpoint"}},
                   {{"formulation", "impetus"}, {"ode", "gauss2"}},
                   {{"formulation", "classical"}, {"project", "momentum"}, {"threshold", 1e-4}}}};
}

}  // namespace rattleback

#include "rattleback/integrators/baselines.hpp"

#include "scalars.hpp"

namespace rattleback {

namespace {

Option kind_option() {
  std::vector<std::string> names;
  names.reserve(std::size(baselines));
  for (const auto& baseline : baselines) names.emplace_back(baseline.name);
  Option option = word_option("kind", "which of them", names);
  option.in_name = true;
  return option;
}

Baseline kind_of(const Values& values) {
  for (const auto& baseline : baselines)
    if (baseline.name == values.word("kind")) return baseline.kind;
  throw InputError("kind", "unknown baseline '" + values.word("kind") + "'");
}

struct MakeBaseline {
  template <class S>
  AnyStepperPointer<S> operator()(const Values& values, const AnySystem& system,
                                  const SolveOptions& solve) const {
    const Baseline kind = kind_of(values);
    if (!info(kind).applies(system.traits()))
      throw ModelError("baseline " + std::string(info(kind).name) + ": " + system.name() +
                       (system.traits().holonomic ? " is not a natural system of constant mass"
                                                  : " has constraints on momenta"));
    if (kind == Baseline::projection)
      return erase<S>(NaiveProjectionStepper<AnySystem, S>(system, solve));
    if constexpr (is_dual<S>)
      return erase<S>(DifferencedStepper<AnySystem, S>(system, kind, solve));
    else
      return erase<S>(EliminatedStepper<AnySystem, S>(system, kind, solve));
  }
};

}  // namespace

Family baseline_family(FamilyScalars) {
  return {.name = "baseline",
          .text = "what not to use: the usual ways without structure, to compare with",
          .options = {kind_option()},
          .claims = [](const Values& v) -> Claims { return baseline_info(kind_of(v)); },
          .make = steppers(MakeBaseline{})};
}

}  // namespace rattleback

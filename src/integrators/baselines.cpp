#include "rattleback/integrators/baselines.hpp"

#include "rattleback/integrators/registry.hpp"

namespace rattleback {

namespace {

struct MakeBaseline {
  Baseline kind;

  template <class S>
  AnyStepperPointer<S> operator()(const AnySystem& system, const SolveOptions& options) const {
    if (!info(kind).applies(system.traits()))
      throw ModelError("baseline " + std::string(info(kind).name) + ": " + system.name() +
                       (system.traits().holonomic ? " is not a natural system of constant mass"
                                                  : " has constraints on momenta"));
    if (kind == Baseline::projection)
      return erase<S>(NaiveProjectionStepper<AnySystem, S>(system, options));
    if constexpr (is_dual<S>)
      return erase<S>(DifferencedStepper<AnySystem, S>(system, kind, options));
    else
      return erase<S>(EliminatedStepper<AnySystem, S>(system, kind, options));
  }
};

}  // namespace

std::vector<Method> baseline_methods() {
  std::vector<Method> methods;
  methods.reserve(std::size(baselines));
  for (const auto& b : baselines)
    methods.emplace_back("baseline", Method::Options{{"kind", std::string(b.name)}},
                         baseline_info(b.kind), MakeBaseline{b.kind});
  return methods;
}

}  // namespace rattleback

#include "rattleback/integrators/shake_rattle.hpp"

#include "rattleback/integrators/compiled_natural.hpp"
#include "rattleback/integrators/natural_steps.hpp"
#include "rattleback/integrators/registry.hpp"

namespace rattleback {

namespace {

struct MakeShakeRattle {
  BaseMap base;
  Projection project;

  template <class S>
  AnyStepperPointer<S> operator()(const AnySystem& system, const SolveOptions& options) const {
    const Traits t = system.traits();
    if (kicks(base))
      if (const auto own = system.model<S>().natural_steps())
        return own->stepper(*kicks(base), project, options);
    if constexpr (std::is_same_v<S, double> || std::is_same_v<S, Pack>)
      if (kicks(base))
        if (auto fast = compiled_stepper<S>(system, *kicks(base), project, options)) return fast;
    if (t.natural && t.holonomic && kicks(base) && system.constraint_count() > 0)
      return erase<S>(NaturalStepper<AnySystem, S>(system, *kicks(base), project, options));
    return erase<S>(GeneralStepper<AnySystem, S>(system, base, project, options));
  }
};

void add(std::vector<Method>& methods, BaseMap base, Projection project) {
  const bool shake = project == Projection::never;
  Method::Options options{{"base", std::string(info(base).name)}};
  if (!shake) options["project"] = project == Projection::every ? "every" : "output";
  methods.emplace_back(shake ? "shake" : "rattle", std::move(options),
                       shake_rattle_info(base, project), MakeShakeRattle{base, project});
}

}  // namespace

std::vector<Method> shake_rattle_methods() {
  std::vector<Method> methods;
  for (const auto& b : base_maps) add(methods, b.map, Projection::never);
  for (auto project : {Projection::every, Projection::output})
    for (const auto& b : base_maps) add(methods, b.map, project);
  return methods;
}

}  // namespace rattleback

#include "rattleback/integrators/cotangent.hpp"

#include "rattleback/integrators/registry.hpp"

namespace rattleback {

namespace {

/// A stepper of the registry as the inner one: the cores are instantiated in one place.
template <class S>
struct Borrowed {
  AnyStepperPointer<S> stepper;

  Status step(const AnySystem& system, State<S>& z, const Real<S>& h) {
    return stepper->step(system, z, h);
  }
  void reset() { stepper->reset(); }
  void select(std::size_t substep) { stepper->select(substep); }
  Vector<S, dynamic> lambda() const { return stepper->lambda(); }
};

struct MakeCotangent {
  Method shake;

  template <class S>
  AnyStepperPointer<S> operator()(const AnySystem& system, const SolveOptions& options) const {
    if (!system.traits().holonomic)
      throw ModelError("cotangent: g = 0 of " + system.name() +
                       " is not a configuration manifold: its constraints contain momenta");
    return erase<S>(CotangentStepper<AnySystem, S, Borrowed<S>>(
        system, Borrowed<S>{shake.stepper<S>(system, options)}, options));
  }
};

}  // namespace

std::vector<Method> cotangent_methods() {
  std::vector<Method> methods;
  const auto inner = shake_rattle_methods();
  for (const auto& b : base_maps)
    for (const Method& m : inner)
      if (m.info().name == "shake:base=" + std::string(b.name))
        methods.emplace_back("cotangent", Method::Options{{"base", std::string(b.name)}},
                             cotangent_info(b.map), MakeCotangent{m});
  return methods;
}

}  // namespace rattleback

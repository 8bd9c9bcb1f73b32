#include "rattleback/integrators/variational.hpp"

#include "rattleback/integrators/registry.hpp"

namespace rattleback {

namespace {

struct MakeVariational {
  Quadrature quadrature;
  std::vector<Method> same;  ///< RATTLE with the same kicks, where there is one

  template <class S>
  AnyStepperPointer<S> operator()(const AnySystem& system, const SolveOptions& options) const {
    const Traits t = system.traits();
    if (!variational_info(quadrature).applies(t))
      throw ModelError("variational: " + system.name() + " has " +
                       (t.holonomic ? "no known Lagrangian" : "constraints on momenta"));
    if (t.natural && kicks(base_map(quadrature)) && system.constraint_count() > 0)
      return same.front().stepper<S>(system, options);
    return erase<S>(
        VariationalStepper<AnySystem, S>(system, quadrature, Projection::every, options));
  }
};

}  // namespace

std::vector<Method> variational_methods() {
  std::vector<Method> methods;
  const auto rattle = shake_rattle_methods();
  for (const auto& rule : quadratures) {
    MakeVariational make{rule.quadrature, {}};
    for (const Method& m : rattle)
      if (m.info().name == "rattle:base=" + std::string(info(base_map(rule.quadrature)).name))
        make.same.push_back(m);
    methods.emplace_back("variational", Method::Options{{"quadrature", std::string(rule.name)}},
                         variational_info(rule.quadrature), std::move(make));
  }
  return methods;
}

}  // namespace rattleback

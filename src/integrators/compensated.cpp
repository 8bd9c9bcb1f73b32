#include "rattleback/integrators/compensated.hpp"

#include "rattleback/integrators/any_stepper.hpp"

namespace rattleback {

namespace detail {

void refuse_compensated(const std::string& method) {
  throw InputError("compensated",
                   "'" + method +
                       "' has no compensated form on this system; it exists for shake and rattle "
                       "with base verlet, euler-a or euler-b, on natural systems (constant mass) "
                       "with constraints on positions");
}

}  // namespace detail

AnyStepperPointer<double> compensated_stepper(const AnySystem& system, const Method& method,
                                              const SolveOptions& solve) {
  const bool shake = method.family() == "shake";
  if (!shake && method.family() != "rattle") detail::refuse_compensated(method.info().name);
  const auto& options = method.options();
  const Projection project = shake                               ? Projection::never
                             : options.at("project") == "output" ? Projection::output
                                                                 : Projection::every;
  for (const auto& b : base_maps)
    if (b.name == options.at("base"))
      return erase<double>(detail::make_compensated(system, b.map, project, solve));
  detail::refuse_compensated(method.info().name);
}

}  // namespace rattleback

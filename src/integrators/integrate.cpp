#include "rattleback/integrators/integrate.hpp"

#include "rattleback/integrators/registry.hpp"

namespace rattleback {

namespace {

/// What the system lacks, as words; empty if the method applies.
std::string missing(const Applies& needs, const Traits& has) {
  if (needs.natural && !has.natural) return "a natural Hamiltonian p.M^-1 p/2 + V(q)";
  if (needs.lagrangian && !has.lagrangian) return "a known Lagrangian";
  if (needs.holonomic && !has.holonomic) return "constraints on positions only";
  return {};
}

void require_applies(const Method& method, const AnySystem& system) {
  const std::string lack = missing(method.info().applies, system.traits());
  if (!lack.empty())
    throw ModelError("method " + method.info().name + " needs " + lack + ", which '" +
                     system.name() + "' does not have");
}

}  // namespace

Run<double, dynamic> integrate(const AnySystem& system, const Method& method,
                               const State<double>& start, const RunOptions<State<double>>& options,
                               const SolveOptions& solve) {
  require_applies(method, system);
  if (!options.allow_inconsistent) require_consistent(system, start, {options.consistency});
  return integrate_with(system, method.stepper<double>(system, solve), method.info().name, start,
                        options);
}

AnyMotionPointer phase_space_motion(const AnySystem& system, const Method& method,
                                    const State<double>& start,
                                    const std::vector<std::string>& coordinates,
                                    const SolveOptions& solve) {
  require_applies(method, system);
  return phase_space_motion(system, method.info().name, method.stepper<double>(system, solve),
                            start, coordinates);
}

AnyMotionPointer phase_space_motion(const AnySystem& system, const std::string& method,
                                    AnyStepperPointer<double> stepper, const State<double>& start,
                                    const std::vector<std::string>& coordinates) {
  if (static_cast<int>(coordinates.size()) != system.dimension())
    throw InputError("coordinates", std::to_string(coordinates.size()) + " names for " +
                                        std::to_string(system.dimension()) + " coordinates");
  const MotionInfo info{.model = system.name(),
                        .method = method,
                        .layout = phase_space(coordinates),
                        .constraints = system.constraint_count(),
                        .multipliers = static_cast<int>(stepper->lambda().size())};
  return erase_motion(PhaseSpaceMotion<AnySystem, AnyStepperPointer<double>>(
      system, std::move(stepper), start, info));
}

}  // namespace rattleback

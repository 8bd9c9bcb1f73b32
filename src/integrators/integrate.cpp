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

}  // namespace

Run<double, dynamic> integrate(const AnySystem& system, const Method& method,
                               const State<double>& start, const RunOptions<State<double>>& options,
                               const SolveOptions& solve) {
  const std::string lack = missing(method.info().applies, system.traits());
  if (!lack.empty())
    throw ModelError("method " + method.info().name + " needs " + lack + ", which '" +
                     system.name() + "' does not have");
  if (!options.allow_inconsistent) require_consistent(system, start, {options.consistency});
  auto stepper = method.stepper<double>(system, solve);
  return integrate_with<double>(system, *stepper, method.info().name, start, options);
}

}  // namespace rattleback

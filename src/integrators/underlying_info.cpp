#include "rattleback/integrators/underlying.hpp"

namespace rattleback {

MethodInfo underlying_info(const UnderlyingOptions& o) {
  const bool impetus = o.formulation == UnderlyingFormulation::impetus;
  const bool projected = o.position || o.momentum, every = o.threshold == 0;
  const bool gauss = info(o.ode).gauss_stages > 0;
  return {.name = "underlying",
          .order = info(o.ode).order,
          .symmetric = gauss && !projected && !impetus,
          // H + lambda.g is a Hamiltonian on all of phase space.
          .symplectic_on = gauss && !projected && o.formulation == UnderlyingFormulation::total
                               ? SymplecticOn::phase_space
                               : SymplecticOn::nothing,
          .preserves_primary = o.position && every,
          .preserves_hidden = (o.momentum && every) || impetus,
          .applies = {.holonomic = true},
          .cite = o.formulation == UnderlyingFormulation::dirac       ? "[Seiler (21)]"
                  : o.formulation == UnderlyingFormulation::classical ? "[Seiler (15)]"
                  : o.formulation == UnderlyingFormulation::total     ? "[Seiler (17)]"
                                                                      : "[Seiler (30)]"};
}

}  // namespace rattleback

#include "rattleback/integrators/gauss.hpp"

namespace rattleback {

MethodInfo gauss_info(const GaussChoice& choice) {
  const int s = choice.stages, stage_order = s % 2 == 0 ? s : s + 1;
  const bool projected = choice.variant == GaussVariant::projected;
  MethodInfo info{.name = "gauss",
                  .order = 2 * s,
                  .symmetric = !projected,
                  .preserves_primary = projected,
                  .preserves_hidden = projected};
  if (!projected && choice.form != Formulation::index2_momentum)
    info.symplectic_on = SymplecticOn::phase_space;
  switch (choice.form) {
    case Formulation::index2:
      if (!projected) info.order = stage_order;
      // What leaves g = {g,H} = 0 in one step, the next one brings back where s is odd, else it
      // adds up (measured: double_pendulum), as it does on constraints with momenta (hopf_shifted).
      info.loses_energy = s % 2 == 0;
      info.applies.holonomic = !projected;
      info.cite = "[Reich93 (6), (12)]";
      break;
    case Formulation::index3:
      if (!projected) info.order = stage_order, info.momentum_order = stage_order - 2;
      info.loses_energy = true;
      info.applies.holonomic = true;
      info.cite = "[Reich93 (2), (12)]";
      break;
    case Formulation::index2_momentum:
      if (!projected && stage_order != 2 * s) info.momentum_order = stage_order;
      info.nearly_keeps_energy = !projected && s % 2 == 1;  // even: variable_mass_sphere
      info.applies.holonomic = true;
      info.cite = "[Reich93 (17)]";
      break;
    case Formulation::unconstrained:
      info.loses_energy = true;
      info.cite = "[Reich93 (8)]";
      break;
  }
  if (projected) info.cite += ", [Reich93 4]";
  return info;
}

MethodInfo gauss_info_in_compositions(const GaussChoice& choice) {
  MethodInfo info = gauss_info(choice);
  // On (6) what two half steps leave of g and {g,H} cancels up to the order of the composition; the
  // rest adds up (measured: chain_2d, chain_3d).
  if (choice.form == Formulation::index2) info.loses_energy = true;
  return info;
}

}  // namespace rattleback

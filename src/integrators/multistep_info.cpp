#include "rattleback/integrators/multistep.hpp"

namespace rattleback {

MethodInfo multistep_info(int order) {
  return {.name = "multistep:order=" + std::to_string(order),
          .order = order,
          .symmetric = true,
          .preserves_primary = true,
          .preserves_hidden = true,
          .nearly_keeps_energy = true,
          .applies = {.natural = true, .holonomic = true},
          .cite = "[Console13]"};
}

}  // namespace rattleback

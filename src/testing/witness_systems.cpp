#include "rattleback/testing/witness_systems.hpp"

#include "rattleback/problem/error.hpp"
#include "witness_lists.hpp"

namespace rattleback::testing {

const std::vector<WitnessSystem>& witness_systems() {
  static const std::vector<WitnessSystem> all = [] {
    std::vector<WitnessSystem> list;
    add_holonomic_witnesses(list);
    add_mixed_witnesses(list);
    return list;
  }();
  return all;
}

const WitnessSystem& witness_system(const std::string& name) {
  for (const WitnessSystem& w : witness_systems())
    if (w.name() == name) return w;
  throw InputError("problem", "there is no witness problem '" + name + "'");
}

}  // namespace rattleback::testing

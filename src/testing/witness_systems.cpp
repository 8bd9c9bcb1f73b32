#include "rattleback/testing/witness_systems.hpp"

#include "rattleback/problem/error.hpp"
#include "rattleback/problem/witness.hpp"

namespace rattleback::testing {

const std::vector<WitnessSystem>& witness_systems() {
  static const std::vector<WitnessSystem> all = [] {
    std::vector<WitnessSystem> list;
    witness::for_each([&](const char* name, auto system, const auto& start) {
      const auto z = start.template in<Quad>();
      list.push_back({AnySystem(name, std::move(system)), {z.q, z.p}});
    });
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

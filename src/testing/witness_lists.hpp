// The witness problems as run-time systems, made in two sources so that two compilers share the
// work.
#pragma once

#include "rattleback/problem/witness.hpp"
#include "rattleback/testing/witness_systems.hpp"

namespace rattleback::testing {

void add_holonomic_witnesses(std::vector<WitnessSystem>& list);
void add_mixed_witnesses(std::vector<WitnessSystem>& list);

/// A visitor of witness::for_each.
inline auto adder(std::vector<WitnessSystem>& list) {
  return [&list](const char* name, auto system, const auto& start) {
    const auto z = start.template in<Quad>();
    list.push_back({AnySystem(name, std::move(system)), {z.q, z.p}});
  };
}

}  // namespace rattleback::testing

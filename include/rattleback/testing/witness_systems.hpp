// The witness problems as run-time systems, with their starts.
#pragma once

#include <string>
#include <vector>

#include "rattleback/problem/any_system.hpp"

namespace rattleback::testing {

struct WitnessSystem {
  AnySystem system;
  State<Quad> start;  ///< on g = 0 and {g,H} = 0 to the last digit
  const std::string& name() const { return system.name(); }
};

/// All of them, in the order of witness::for_each.
const std::vector<WitnessSystem>& witness_systems();

/// Throws InputError where there is none of that name.
const WitnessSystem& witness_system(const std::string& name);

}  // namespace rattleback::testing

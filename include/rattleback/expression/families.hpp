// Families among outputs: outputs that are the same function of places that move on with them, such
// as the rows of a chain. They become loops over a few instructions instead of long straight code.
#pragma once

#include <span>
#include <vector>

#include "rattleback/expression/program.hpp"

namespace rattleback {

/// Row r writes r places behind `outputs` what they are of inputs r places behind theirs.
struct OutputFamily {
  std::vector<Program::Output> outputs;
  int rows = 1;
};

/// Every output is in one of these. Families of several rows come first; what is left is one row.
std::vector<OutputFamily> find_families(const Graph& graph, int split,
                                        std::span<const Program::Output> outputs);

}  // namespace rattleback

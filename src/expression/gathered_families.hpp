// Families by shape: whatever places their inputs have.
#pragma once

#include "rattleback/expression/families.hpp"

namespace rattleback::detail {

/// Rows of more operations gain nothing from a loop, and their values must fit the stack frame.
inline constexpr int longest_row = 100;

/// Takes families out of `outputs`, which keeps what belongs to none.
std::vector<GatheredFamily> take_gathered(const Graph& graph, int split,
                                          std::vector<Program::Output>& outputs);

}  // namespace rattleback::detail

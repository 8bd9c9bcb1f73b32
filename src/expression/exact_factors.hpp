// Signs and powers of two, which multiply without rounding, drawn out of products and sums: what a
// - b and b - a, or x^2/2 and x^2, are made of is then computed once.
#pragma once

#include <span>
#include <vector>

#include "rattleback/expression/graph.hpp"

namespace rattleback::detail {

/// The same values, to the bit where none of their parts leaves the range of numbers.
std::vector<Expression> draw_out_exact_factors(Graph& graph, std::span<const Expression> roots);

}  // namespace rattleback::detail

// Expressions multiplied out: terms that cancel are gone, and the rest reads as one would write it.
#pragma once

#include <functional>
#include <string>

#include "rattleback/expression/graph.hpp"

namespace rattleback {

/// The same function, multiplied out and collected where it is a polynomial of at most
/// `most_terms` terms in its inputs and in what is not polynomial (sin(x), 1/(...), ...). Terms
/// that cancel are gone exactly. Returned as it is where multiplying out does not make it shorter.
Expression tidied(Graph& graph, Expression e, std::size_t most_terms = 24);

/// "x*p_x + y*p_y": multiplied out where that is shorter than Graph::text. up_to_factor: what is
/// written is only meant to be 0, so a common factor is left out.
std::string readable(const Graph& graph, Expression e,
                     const std::function<std::string(int)>& input_name, bool up_to_factor = false,
                     std::size_t longest = 200);

}  // namespace rattleback

// Coefficients of symmetric compositions that were found by search.
#pragma once

#include <vector>

#include "rattleback/integrators/composition.hpp"

namespace rattleback::detail {

/// c_1, ..., c_k of 2 k + 1, in 36 digits; none for schemes that repeat a simpler one.
std::vector<const char*> outer_coefficients(Composition scheme);

}  // namespace rattleback::detail

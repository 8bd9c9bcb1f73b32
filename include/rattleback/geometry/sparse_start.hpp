// A consistent start of a large system of expressions: the Newton iterations of consistent.hpp with
// G, H_pp and G H_pp G^T as their nonzeros.
#pragma once

#include <optional>

#include "rattleback/expression/canonical.hpp"
#include "rattleback/problem/scalar.hpp"

namespace rattleback {

/// For constraints on positions and a closed H(q, p). First onto g = 0 along W G^T, where W is M^-1
/// for a natural system, else 1; then along the fibre, p - G^T sigma, onto {g, H} = 0. Nothing
/// where that does not converge, or where a matrix is singular (so where constraints are
/// redundant).
std::optional<State<double>> sparse_consistent(const CanonicalSystem& system,
                                               const State<double>& z);

}  // namespace rattleback

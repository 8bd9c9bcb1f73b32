// A run-time system made of expressions: the same questions as a C++ system, answered by compiled
// code; and, for natural systems with a diagonal mass and holonomic constraints, the sparse pieces
// that the fast steps are made of.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "rattleback/expression/canonical.hpp"
#include "rattleback/expression/compiled_function.hpp"
#include "rattleback/problem/any_system.hpp"

namespace rattleback {

/// The nonzeros of G, row by row, and the place of each in the array of their values: neighbouring
/// rows of equal length have their first nonzeros side by side, then their second, and so on, so
/// that such rows are computed several at a time.
struct JacobianPattern {
  std::vector<int> start{0}, column{}, place{};
  int nonzeros() const { return static_cast<int>(column.size()); }
};

/// A natural system, diagonal mass, holonomic constraints, in straight-line code. G stands for its
/// nonzeros in the order of the pattern.
struct CompiledNatural {
  int dimension = 0, constraints = 0;
  int lanes = 1;                     ///< of a pack, each with constants of its own
  std::vector<double> inverse_mass;  ///< `lanes` for every coordinate
  JacobianPattern pattern;
  CompiledFunction potential_gradient;  ///< q -> V_q
  CompiledFunction linearise;           ///< q -> g, G
  CompiledFunction linearise_dense;     ///< q -> g, G as a full matrix by columns; small ones only
  /// Whether full matrices of static size are faster than any structure.
  bool is_small() const { return dimension <= 6 && constraints <= 3; }
};

/// Throws ModelError where there is no H; see canonical().
AnySystem expression_system(SystemDescription description);
AnySystem expression_system(const CanonicalSystem& canonical);

/// Whether both are made of expressions alone, which differ in their constants at most.
bool same_shape(const AnySystem& a, const AnySystem& b);
/// Up to eight systems of one shape as one that answers in packs: a lane for each, the last one
/// repeated. In other scalars it is the first of them.
AnySystem packed_system(std::span<const AnySystem* const> members);

}  // namespace rattleback

// The nonzeros of the derivatives that implicit steps are made of, in compiled code: what Newton
// matrices of large systems consist of. z = (q, p) has 2n components.
#pragma once

#include <memory>
#include <vector>

#include "rattleback/expression/canonical.hpp"
#include "rattleback/expression/compiled_function.hpp"
#include "rattleback/problem/any_system.hpp"

namespace rattleback {

struct SparseDerivatives {
  /// Of a value in its matrix, in the order of the values.
  struct Place {
    int row, column;
  };
  int dimension = 0, constraints = 0;
  std::vector<Place> hessian_places;  ///< of H_zz, its lower half
  CompiledFunction hessian;           ///< (q, p) -> these
  std::vector<Place> slope_places;    ///< of g_z: row = constraint
  CompiledFunction linearise;         ///< (q, p) -> g, these
  CompiledFunction turning;           ///< (q, p) -> the derivatives of these along X_H
};

SparseDerivatives sparse_derivatives(const CanonicalSystem& canonical);
/// Of a system made of expressions, made when first asked for; null for others.
std::shared_ptr<const SparseDerivatives> sparse_derivatives(const AnySystem& system);
/// The same of packed_system(), with the constants of every lane; null for others.
std::shared_ptr<const SparseDerivatives> packed_derivatives(const AnySystem& system);

}  // namespace rattleback

// Every description as H(q, p) and primary constraints: a singular Lagrangian contributes the
// relations among its momenta  [Seiler (7)].
#pragma once

#include <string>

#include "rattleback/expression/canonical.hpp"

namespace rattleback {

struct HamiltonianForm {
  SystemDescription system;  ///< form hamiltonian; first the constraints of L, then the user's
  Traits traits{};           ///< of the regular system; all false for a singular one
  Expression lagrangian;     ///< where it is known
  bool singular = false;     ///< L_vv has rank < n
  int lagrangian_rank = 0;   ///< generic rank of L_vv (n for a Hamiltonian)
  int from_lagrangian = 0;   ///< how many constraints come from L
  bool written_with_velocities = false;  ///< some constraint of the user's is
  std::string unsupported;               ///< why there is no such form; then the rest means nothing
};

/// Singular: L = v.A(q) v/2 + b(q).v + c(q) with rank A = r < n. With P the rows of a regular r x r
/// principal part, H = (p-b)_P A_PP^-1 (p-b)_P/2 - c and the constraints are
/// (p-b)_i - A_iP A_PP^-1 (p-b)_P for every other row i.
HamiltonianForm hamiltonian_form(const SystemDescription& description);

}  // namespace rattleback

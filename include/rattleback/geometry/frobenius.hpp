// Constraints on velocities, a(q).v + b(q) = 0: do they come from constraints on positions?
#pragma once

#include <vector>

#include "rattleback/expression/description.hpp"
#include "rattleback/problem/scalar.hpp"

namespace rattleback {

struct Integrability {
  bool applies = false;     ///< some constraint is linear in the velocities
  std::vector<int> linear;  ///< which ones
  bool affine = false;      ///< some b is not zero: a position constraint would contain the time
  bool integrable = true;
  int worst = -1;     ///< the constraint with the largest da(X, Y)
  double defect = 0;  ///< largest |da(X, Y)| over unit X, Y in the kernel, a scaled to 1
};

/// Frobenius: integrable iff da^i(X, Y) = 0 for all X, Y that every constraint allows (those on
/// positions by their gradients, those on velocities by a). Decided at the given points; time is a
/// further coordinate with dt.X = 1 for affine ones. velocities[i]: constraint i in terms of (q,
/// v).
Integrability integrability(Graph& graph, int n, const std::vector<Expression>& velocities,
                            const std::vector<State<double>>& points, double tolerance = 1e-10);

}  // namespace rattleback

// What the compiled systems of this layer share.
#pragma once

#include <vector>

#include "rattleback/expression/derivative.hpp"
#include "rattleback/expression/expression_system.hpp"
#include "rattleback/expression/sparse_derivatives.hpp"

namespace rattleback {

/// For Lagrangians that are not quadratic in the velocities: H by Newton.
AnySystem legendre_system(const CanonicalSystem& canonical);

namespace detail {

using Outputs = std::vector<Program::Output>;

/// The slopes of f by inputs first .. first + n - 1 as one array; those that vanish are in it too.
void append_gradient(Graph& graph, Expression f, int first, int n, int array, Outputs& outputs);

/// Where the values of the nonzeros go; see JacobianPattern.
std::vector<int> slot_by_slot(const SparseExpressions& matrix);
/// The places of the values in their order, and the values as outputs of one array.
std::vector<SparseDerivatives::Place> arrange(const SparseExpressions& matrix, int array,
                                              Outputs& outputs);
SparseExpressions lower_half(const SparseExpressions& full);

/// The expression with velocities where programs expect momenta.
Expression velocities_as_second(Graph& graph, Expression f, int n);

}  // namespace detail
}  // namespace rattleback

#include "rattleback/expression/sparse_derivatives.hpp"

#include "system_code.hpp"

namespace rattleback {

namespace detail {

std::vector<SparseDerivatives::Place> arrange(const SparseExpressions& matrix, int array,
                                              Outputs& outputs) {
  const std::vector<int> place = slot_by_slot(matrix);
  std::vector<SparseDerivatives::Place> places(place.size());
  for (int i = 0; i < matrix.rows; ++i)
    for (int k = matrix.start[i]; k < matrix.start[i + 1]; ++k) {
      places[place[k]] = {i, matrix.column[k]};
      outputs.push_back({array, place[k], matrix.value[k]});
    }
  return places;
}

SparseExpressions lower_half(const SparseExpressions& full) {
  SparseExpressions lower{.rows = full.rows, .columns = full.columns};
  for (int i = 0; i < full.rows; ++i) {
    for (int k = full.start[i]; k < full.start[i + 1] && full.column[k] <= i; ++k) {
      lower.column.push_back(full.column[k]);
      lower.value.push_back(full.value[k]);
    }
    lower.start.push_back(static_cast<int>(lower.column.size()));
  }
  return lower;
}

}  // namespace detail

SparseDerivatives sparse_derivatives(const CanonicalSystem& s) {
  Graph graph = s.graph();  // others may be reading that one
  const int n = s.dimension();
  SparseDerivatives d;
  d.dimension = n;
  d.constraints = s.constraint_count();
  detail::Outputs outputs;
  detail::append_gradient(graph, s.hamiltonian, 0, 2 * n, 0, outputs);
  std::vector<Expression> h_z;
  for (const auto& slope : outputs) h_z.push_back(slope.expression);

  outputs.clear();
  d.hessian_places =
      detail::arrange(detail::lower_half(jacobian(graph, h_z, 0, 2 * n)), 0, outputs);
  d.hessian = CompiledFunction(graph, n, outputs);

  outputs.clear();
  SparseExpressions slopes = jacobian(graph, s.constraints, 0, 2 * n);
  for (int i = 0; i < d.constraints; ++i) outputs.push_back({0, i, s.constraints[i]});
  d.slope_places = detail::arrange(slopes, 1, outputs);
  d.linearise = CompiledFunction(graph, n, outputs);

  outputs.clear();
  // X_H = (H_p, -H_q)
  slopes.value = directional(graph, slopes.value,
                             [&](int k) { return k < n ? h_z[n + k] : graph.negate(h_z[k - n]); });
  for (Expression& e : slopes.value)
    if (!e) e = graph.constant(0);
  (void)detail::arrange(slopes, 0, outputs);
  d.turning = CompiledFunction(graph, n, outputs);
  return d;
}

}  // namespace rattleback

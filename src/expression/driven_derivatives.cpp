#include "rattleback/expression/driven_derivatives.hpp"

#include "system_code.hpp"

namespace rattleback {

namespace {

using Expressions = std::vector<Expression>;

class DriveWriter {
 public:
  explicit DriveWriter(const CanonicalSystem& s)
      : graph(s.graph()), s_(s), n_(s.dimension()), m_(s.constraint_count()) {}

  Graph graph;  ///< a copy: others may be reading that of the system

  /// {f_i, K} for every i, K by its slopes.
  Expressions brackets(const Expressions& f, const Expressions& k_z) {
    const SparseExpressions slopes = jacobian(graph, f, 0, 2 * n_);
    Expressions result;
    for (int i = 0; i < slopes.rows; ++i) {
      Expression sum = graph.constant(0);
      for (int e = slopes.start[i]; e < slopes.start[i + 1]; ++e) {
        const int c = slopes.column[e];
        const Expression term = graph.multiply(slopes.value[e], k_z[c < n_ ? c + n_ : c - n_]);
        sum = c < n_ ? graph.add(sum, term) : graph.subtract(sum, term);
      }
      result.push_back(sum);
    }
    return result;
  }
  /// f by z, zeros too.
  Expressions gradient_by_state(Expression f) {
    Expressions slopes(2 * n_, graph.constant(0));
    for (const auto& [input, value] : gradient(graph, f, 0, 2 * n_)) slopes[input] = value;
    return slopes;
  }
  Expressions hidden() { return brackets(s_.constraints, gradient_by_state(s_.hamiltonian)); }
  /// sum_i l_(first + i) f_i
  Expression weighted(int first, const Expressions& f) {
    Expression sum = graph.constant(0);
    for (std::size_t i = 0; i < f.size(); ++i)
      sum = graph.add(sum, graph.multiply(graph.input(2 * n_ + first + static_cast<int>(i)), f[i]));
    return sum;
  }
  Expression drive(Formulation form) {
    if (form == Formulation::index3 || form == Formulation::index2_momentum)
      return weighted(0, s_.constraints);
    Expressions phi = s_.constraints;
    for (const Expression rho : hidden()) phi.push_back(rho);
    const Expression by_lambda = weighted(0, phi);
    if (form == Formulation::index2) return by_lambda;
    const Expressions k_z = gradient_by_state(graph.add(s_.hamiltonian, by_lambda));
    return graph.subtract(by_lambda, weighted(2 * m_, brackets(phi, k_z)));
  }

 private:
  const CanonicalSystem& s_;
  int n_, m_;
};

int multipliers_of_a_constraint(Formulation form) {
  return form == Formulation::unconstrained ? 4 : multiplier_count(form, 1);
}

}  // namespace

DrivenDerivatives driven_derivatives(const CanonicalSystem& s, Formulation form) {
  const int n = s.dimension(), m = s.constraint_count();
  DriveWriter writer(s);
  Graph& graph = writer.graph;
  DrivenDerivatives d;
  d.multipliers = multipliers_of_a_constraint(form);
  d.stationary = form != Formulation::index2_momentum;
  const int all = 2 * n + d.multipliers * m;
  Expressions slopes(all, graph.constant(0));
  for (const auto& [input, value] : gradient(graph, writer.drive(form), 0, all))
    slopes[input] = value;
  const Expressions kept =
      d.stationary ? Expressions(slopes.begin() + 2 * n, slopes.end()) : writer.hidden();
  detail::Outputs outputs;
  for (int i = 0; i < 2 * n; ++i) outputs.push_back({0, i, slopes[i]});
  for (int i = 0; i < all - 2 * n; ++i) outputs.push_back({1, i, kept[i]});
  d.field = CompiledFunction(graph, n, outputs);

  outputs.clear();
  d.hessian_places =
      detail::arrange(detail::lower_half(jacobian(graph, slopes, 0, all)), 0, outputs);
  if (!d.stationary) d.kept_places = detail::arrange(jacobian(graph, kept, 0, 2 * n), 1, outputs);
  d.slopes = CompiledFunction(graph, n, outputs);
  return d;
}

}  // namespace rattleback

// Poisson brackets {F, G} = F_q G_p - F_p G_q of observables, as expressions from exact
// derivatives.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "rattleback/expression/derivative.hpp"

namespace rattleback {

/// Remembers gradients, so that a matrix of brackets costs one gradient for each observable.
/// Inputs of the graph: q is 0..n-1, p is n..2n-1.
class Brackets {
 public:
  Brackets(Graph& graph, int n) : graph_(&graph), n_(n) {}

  int dimension() const { return n_; }
  Graph& graph() const { return *graph_; }
  /// dF by q and p: nonzeros, ascending.
  const std::vector<GradientEntry>& gradient_of(Expression f);
  /// {f, g}; tidied, see tidied().
  Expression operator()(Expression f, Expression g);
  /// {f_i, g}.
  std::vector<Expression> vector(std::span<const Expression> f, Expression g);
  /// {f_i, g_j}: only pairs that share a conjugate pair of variables are looked at.
  SparseExpressions matrix(std::span<const Expression> f, std::span<const Expression> g) {
    return matrix(f, g, users_of(g));
  }
  /// The same where it was found out before which g depend on each of the inputs.
  using Users = std::vector<std::vector<int>>;
  Users users_of(std::span<const Expression> g);
  SparseExpressions matrix(std::span<const Expression> f, std::span<const Expression> g,
                           const Users& users);

 private:
  Graph* graph_;
  int n_;
  std::unordered_map<int, std::vector<GradientEntry>> gradients_;
};

/// {f, g} in one call.
Expression poisson_bracket(Graph& graph, int n, Expression f, Expression g);

}  // namespace rattleback

// Derivatives of expressions are expressions: reverse mode for gradients, forward mode along a
// direction. Zeros are never made, so the sparsity of Jacobians and Hessians comes out exactly.
#pragma once

#include <functional>
#include <vector>

#include "rattleback/expression/graph.hpp"

namespace rattleback {

/// One nonzero of a gradient.
struct GradientEntry {
  int input;
  Expression value;
};

/// df/dx for every input x in [first, last) that f depends on, ascending. The cost is that of f.
std::vector<GradientEntry> gradient(Graph& graph, Expression f, int first, int last);

/// df/dx as one expression.
Expression derivative(Graph& graph, Expression f, int input);

/// sum_x df/dx direction(x), for many f at once; direction gives an empty Expression for zero.
std::vector<Expression> directional(Graph& graph, std::span<const Expression> f,
                                    const std::function<Expression(int)>& direction);

/// A sparse matrix of expressions, row by row.
struct SparseExpressions {
  int rows = 0, columns = 0;
  std::vector<int> start{0};  ///< of each row in the two below
  std::vector<int> column{};
  std::vector<Expression> value{};
};

/// Row i: the gradient of f[i] by inputs [first, last), columns counted from `first`.
SparseExpressions jacobian(Graph& graph, std::span<const Expression> f, int first, int last);

}  // namespace rattleback

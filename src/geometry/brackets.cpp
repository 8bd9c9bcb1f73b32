#include "rattleback/geometry/brackets.hpp"

#include <algorithm>

#include "rattleback/geometry/tidy.hpp"

namespace rattleback {

const std::vector<GradientEntry>& Brackets::gradient_of(Expression f) {
  const auto known = gradients_.find(f.node);
  if (known != gradients_.end()) return known->second;
  return gradients_[f.node] = gradient(*graph_, f, 0, 2 * n_);
}

Expression Brackets::operator()(Expression f, Expression g) {
  const std::vector<GradientEntry>&a = gradient_of(f), &b = gradient_of(g);
  Expression sum = graph_->constant(0);
  for (const auto& [input, value] : a) {
    const int partner = input < n_ ? input + n_ : input - n_;
    const auto at = std::lower_bound(b.begin(), b.end(), partner,
                                     [](const GradientEntry& e, int k) { return e.input < k; });
    if (at == b.end() || at->input != partner) continue;
    const Expression product = graph_->multiply(value, at->value);
    sum = input < n_ ? graph_->add(sum, product) : graph_->subtract(sum, product);
  }
  return tidied(*graph_, sum);
}

std::vector<Expression> Brackets::vector(std::span<const Expression> f, Expression g) {
  std::vector<Expression> result;
  for (const Expression e : f) result.push_back((*this)(e, g));
  return result;
}

Brackets::Users Brackets::users_of(std::span<const Expression> g) {
  Users users(2 * n_);
  for (std::size_t j = 0; j < g.size(); ++j)
    for (const auto& entry : gradient_of(g[j])) users[entry.input].push_back(static_cast<int>(j));
  return users;
}

SparseExpressions Brackets::matrix(std::span<const Expression> f, std::span<const Expression> g,
                                   const Users& users) {
  SparseExpressions result;
  result.rows = static_cast<int>(f.size());
  result.columns = static_cast<int>(g.size());
  for (const Expression e : f) {
    std::vector<int> columns;
    for (const auto& entry : gradient_of(e)) {
      const auto& partners = users[entry.input < n_ ? entry.input + n_ : entry.input - n_];
      columns.insert(columns.end(), partners.begin(), partners.end());
    }
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (const int j : columns) {
      const Expression bracket = (*this)(e, g[j]);
      if (graph_->is_constant(bracket, 0)) continue;
      result.column.push_back(j);
      result.value.push_back(bracket);
    }
    result.start.push_back(static_cast<int>(result.column.size()));
  }
  return result;
}

Expression poisson_bracket(Graph& graph, int n, Expression f, Expression g) {
  return Brackets(graph, n)(f, g);
}

}  // namespace rattleback

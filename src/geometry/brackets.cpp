#include "rattleback/geometry/brackets.hpp"

#include <algorithm>
#include <map>
#include <optional>

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

SparseExpressions Brackets::matrix(std::span<const Expression> f, std::span<const Expression> g) {
  std::vector<std::vector<int>> users(2 * n_);  // of each input: which g depend on it
  for (std::size_t j = 0; j < g.size(); ++j)
    for (const auto& entry : gradient_of(g[j])) users[entry.input].push_back(static_cast<int>(j));
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

namespace {

/// Atoms (nodes) with their exponents, ascending.
using Monomial = std::vector<std::pair<int, int>>;
using Polynomial = std::map<Monomial, double>;

Monomial product(const Monomial& a, const Monomial& b) {
  Monomial r;
  auto i = a.begin(), j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->first < j->first)) {
      r.push_back(*i++);
    } else if (i == a.end() || j->first < i->first) {
      r.push_back(*j++);
    } else {
      r.emplace_back(i->first, i->second + j->second);
      ++i, ++j;
    }
  }
  return r;
}

/// Multiplies out node by node, operands first; nothing once there are too many terms.
class Expansion {
 public:
  Expansion(const Graph& graph, std::size_t most) : graph_(graph), most_(most) {}

  std::optional<Polynomial> of(Expression root) {
    const std::vector<int> nodes = graph_.reachable(std::span(&root, 1));
    if (nodes.size() > 40 * most_) return std::nullopt;
    for (const int n : nodes) known_[n] = expand(n);
    return known_[root.node];
  }

 private:
  std::optional<Polynomial> expand(int n) {
    const Node& node = graph_.node({n});
    const Polynomial atom{{{{n, 1}}, 1.0}};
    switch (node.operation) {
      case Operation::constant:
        return node.value == 0 ? Polynomial{} : Polynomial{{{}, node.value}};
      case Operation::negate:
        return combine({}, -1, known_[node.a]);
      case Operation::add:
        return combine(known_[node.a], 1, known_[node.b]);
      case Operation::subtract:
        return combine(known_[node.a], -1, known_[node.b]);
      case Operation::multiply:
        return multiply(known_[node.a], known_[node.b]);
      case Operation::divide: {
        const auto& by = known_[node.b];
        if (by && by->size() == 1 && by->begin()->first.empty())
          return combine({}, 1 / by->begin()->second, known_[node.a]);
        return atom;
      }
      default:
        return atom;
    }
  }
  std::optional<Polynomial> limited(Polynomial p) const {
    if (p.size() > most_) return std::nullopt;
    return p;
  }
  std::optional<Polynomial> combine(const std::optional<Polynomial>& a, double factor,
                                    const std::optional<Polynomial>& b) const {
    if (!b) return std::nullopt;
    Polynomial sum = a.value_or(Polynomial{});
    for (const auto& [monomial, c] : *b) add(sum, monomial, factor * c, std::abs(factor * c));
    return limited(std::move(sum));
  }
  std::optional<Polynomial> multiply(const std::optional<Polynomial>& a,
                                     const std::optional<Polynomial>& b) const {
    if (!a || !b || a->size() * b->size() > most_ * most_) return std::nullopt;
    Polynomial result;
    for (const auto& [x, c] : *a)
      for (const auto& [y, d] : *b) add(result, product(x, y), c * d, std::abs(c * d));
    return limited(std::move(result));
  }
  /// What is left of a cancellation by rounding is nothing.
  static void add(Polynomial& sum, const Monomial& monomial, double c, double size) {
    double& total = sum[monomial];
    size += std::abs(total);
    total += c;
    if (std::abs(total) <= 4e-16 * size) sum.erase(monomial);
  }

  const Graph& graph_;
  std::size_t most_;
  std::unordered_map<int, std::optional<Polynomial>> known_;
};

/// Inputs in their own order, then atoms; higher powers as products.
Expression rebuilt(Graph& graph, const Polynomial& polynomial) {
  const auto rank = [&](int n) {
    const Node& node = graph.node({n});
    return std::pair(node.operation == Operation::input ? 0 : 1,
                     node.operation == Operation::input ? node.a : n);
  };
  struct Term {
    std::vector<std::pair<std::pair<int, int>, int>> key;
    const Monomial* monomial;
    double coefficient;
  };
  std::vector<Term> terms;
  for (const auto& [monomial, c] : polynomial) {
    Term t{{}, &monomial, c};
    for (const auto& [n, e] : monomial) t.key.emplace_back(rank(n), -e);
    std::sort(t.key.begin(), t.key.end());
    terms.push_back(std::move(t));
  }
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
    if (a.key.empty() != b.key.empty()) return b.key.empty();  // the constant last
    return a.key < b.key;
  });
  Expression sum = graph.constant(0);
  for (const Term& t : terms) {
    std::vector<std::pair<std::pair<int, int>, int>> order;
    for (const auto& [n, e] : *t.monomial) order.emplace_back(rank(n), n);
    std::sort(order.begin(), order.end());
    Expression factor{};
    for (const auto& entry : order) {
      int exponent = 0;
      for (const auto& [n, e] : *t.monomial)
        if (n == entry.second) exponent = e;
      const Expression power = graph.power({entry.second}, graph.constant(exponent));
      factor = factor ? graph.multiply(factor, power) : power;
    }
    const double size = std::abs(t.coefficient);
    const Expression term =
        factor ? graph.multiply(graph.constant(size), factor) : graph.constant(size);
    sum = t.coefficient > 0 ? graph.add(sum, term) : graph.subtract(sum, term);
  }
  return sum;
}

}  // namespace

Expression tidied(Graph& graph, Expression e, std::size_t most_terms) {
  const auto polynomial = Expansion(graph, most_terms).of(e);
  if (!polynomial) return e;
  const Expression tidy = rebuilt(graph, *polynomial);
  const auto count = [&](Expression x) { return graph.reachable(std::span(&x, 1)).size(); };
  return count(tidy) <= count(e) ? tidy : e;
}

}  // namespace rattleback

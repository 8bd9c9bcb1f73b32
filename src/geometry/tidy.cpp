#include "rattleback/geometry/tidy.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "rattleback/problem/error.hpp"

namespace rattleback {

namespace {

/// Atoms (nodes) with their exponents (negative ones are divided by), ascending.
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
      if (const int sum = i->second + j->second; sum != 0) r.emplace_back(i->first, sum);
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
        return combine(Polynomial{}, -1, known_[node.a]);
      case Operation::add:
        return combine(known_[node.a], 1, known_[node.b]);
      case Operation::subtract:
        return combine(known_[node.a], -1, known_[node.b]);
      case Operation::multiply:
        return multiply(known_[node.a], known_[node.b]);
      case Operation::divide: {
        const auto& by = known_[node.b];
        if (!by || by->size() != 1) return atom;
        Monomial inverse = by->begin()->first;
        for (auto& factor : inverse) factor.second = -factor.second;
        return multiply(known_[node.a], Polynomial{{inverse, 1 / by->begin()->second}});
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
    if (!a || !b) return std::nullopt;
    Polynomial sum = *a;
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

/// A term with its factors in the order of writing: inputs in their own order, then atoms.
struct Term {
  struct Factor {
    std::pair<int, int> rank;
    int node, exponent;
    auto operator<=>(const Factor&) const = default;
  };
  std::vector<Factor> factors;
  double coefficient;
};

std::vector<Term> terms_of(const Graph& graph, const Polynomial& polynomial) {
  std::vector<Term> terms;
  for (const auto& [monomial, c] : polynomial) {
    Term t{{}, c};
    for (const auto& [n, exponent] : monomial) {
      const Node& node = graph.node({n});
      const bool is_input = node.operation == Operation::input;
      t.factors.push_back({{is_input ? 0 : 1, is_input ? node.a : n}, n, exponent});
    }
    std::sort(t.factors.begin(), t.factors.end());
    terms.push_back(std::move(t));
  }
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
    if (a.factors.empty() != b.factors.empty()) return b.factors.empty();  // the constant last
    return a.factors < b.factors;
  });
  return terms;
}

Expression rebuilt(Graph& graph, const Polynomial& polynomial) {
  Expression sum = graph.constant(0);
  for (const Term& t : terms_of(graph, polynomial)) {
    Expression product{}, divisor{};
    for (const Term::Factor& f : t.factors) {
      Expression& part = f.exponent > 0 ? product : divisor;
      const Expression power = graph.power({f.node}, graph.constant(std::abs(f.exponent)));
      part = part ? graph.multiply(part, power) : power;
    }
    const Expression size = graph.constant(std::abs(t.coefficient));
    Expression term = product ? graph.multiply(size, product) : size;
    if (divisor) term = graph.divide(term, divisor);
    sum = t.coefficient > 0 ? graph.add(sum, term) : graph.subtract(sum, term);
  }
  return sum;
}

/// What all terms may be divided by: the sign of the first, and their size where they share it.
double common_factor(const std::vector<Term>& terms) {
  const double first = terms.front().coefficient;
  const bool same = std::all_of(terms.begin(), terms.end(), [&](const Term& t) {
    return std::abs(std::abs(t.coefficient) - std::abs(first)) <= 1e-15 * std::abs(first);
  });
  return same ? first : std::copysign(1, first);
}

}  // namespace

Expression tidied(Graph& graph, Expression e, std::size_t most_terms) {
  const auto polynomial = Expansion(graph, most_terms).of(e);
  if (!polynomial) return e;
  const Expression tidy = rebuilt(graph, *polynomial);
  const auto count = [&](Expression x) { return graph.reachable(std::span(&x, 1)).size(); };
  return count(tidy) <= count(e) ? tidy : e;
}

std::string readable(const Graph& graph, Expression e,
                     const std::function<std::string(int)>& input_name, bool up_to_factor,
                     std::size_t longest) {
  std::string plain = graph.text(e, input_name, longest);
  const auto polynomial = Expansion(graph, 24).of(e);
  if (!polynomial || polynomial->empty() || graph.is_constant(e)) return plain;
  const std::vector<Term> terms = terms_of(graph, *polynomial);
  const double factor = up_to_factor ? common_factor(terms) : 1;
  std::string out;
  for (const Term& t : terms) {
    const double c = t.coefficient / factor;
    out += out.empty() ? (c < 0 ? "-" : "") : (c < 0 ? " - " : " + ");
    std::string product, divisor;
    for (const Term::Factor& f : t.factors) {
      std::string atom = graph.text({f.node}, input_name, longest);
      const Operation operation = graph.node({f.node}).operation;
      const bool alone = operand_count(operation) != 2 || operation == Operation::atan2;
      const bool bare = terms.size() == 1 && t.factors.size() == 1 && f.exponent == 1 && c == 1;
      if (!alone && !bare) atom.insert(0, 1, '(').push_back(')');
      if (std::abs(f.exponent) > 1) atom += '^' + std::to_string(std::abs(f.exponent));
      if (f.exponent > 0)
        product += (product.empty() ? "" : "*") + atom;
      else
        divisor += '/' + atom;
    }
    const std::string size = detail::quote(std::abs(c));
    if (product.empty() || size != "1") out += size;
    if (!product.empty() && size != "1") out += '*';
    out += product;
    out += divisor;
  }
  return out.size() <= plain.size() + 8 ? out : plain;
}

}  // namespace rattleback

#include "rattleback/expression/graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace rattleback {

std::size_t Graph::Hash::operator()(const Key& key) const {
  std::uint64_t h = key.bits * 0x9e3779b97f4a7c15ULL;
  h ^= (static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.a)) << 32 |
        static_cast<std::uint32_t>(key.b)) +
       0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2);
  h = (h ^ static_cast<std::uint64_t>(key.operation)) * 0xff51afd7ed558ccdULL;
  return h ^ (h >> 33);
}

Expression Graph::make(Operation operation, int a, int b, double value) {
  const auto [entry, is_new] =
      known_.try_emplace({operation, a, b, std::bit_cast<std::uint64_t>(value)}, size());
  if (is_new) nodes_.push_back({operation, a, b, value});
  return {entry->second};
}

Expression Graph::constant(double value) {
  if (value == 0) value = 0;  // one zero
  return make(Operation::constant, -1, -1, value);
}

Expression Graph::input(int index) { return make(Operation::input, index, -1); }

Expression Graph::apply(Operation operation, Expression a) {
  if (is_constant(a)) return constant(evaluate(operation, value(a)));
  const Node& n = node(a);
  if (operation == Operation::negate) {
    if (n.operation == Operation::negate) return {n.a};
    if (n.operation == Operation::subtract) return make(Operation::subtract, n.b, n.a);
  }
  if (operation == Operation::abs && n.operation == Operation::negate)
    return apply(operation, {n.a});
  return make(operation, a.node, -1);
}

Expression Graph::apply(Operation operation, Expression a, Expression b) {
  if (is_constant(a) && is_constant(b)) return constant(evaluate(operation, value(a), value(b)));
  switch (operation) {
    case Operation::add:
      return simplify_sum(a, b);
    case Operation::subtract:
      return simplify_difference(a, b);
    case Operation::multiply:
      return simplify_product(a, b);
    case Operation::divide:
      return simplify_quotient(a, b);
    case Operation::power:
      return simplify_power(a, b);
    default:
      return make(operation, a.node, b.node);
  }
}

Expression Graph::simplify_sum(Expression a, Expression b) {
  if (is_constant(a, 0)) return b;
  if (is_constant(b, 0)) return a;
  if (is_negated(b)) return subtract(a, unnegated(b));
  if (is_negated(a)) return subtract(b, unnegated(a));
  if (a == b) return multiply(constant(2), a);
  if (a.node > b.node) std::swap(a, b);
  return make(Operation::add, a.node, b.node);
}

Expression Graph::simplify_difference(Expression a, Expression b) {
  if (is_constant(b, 0)) return a;
  if (is_constant(a, 0)) return negate(b);
  if (a == b) return constant(0);
  if (is_negated(b)) return add(a, unnegated(b));
  return make(Operation::subtract, a.node, b.node);
}

Expression Graph::simplify_product(Expression a, Expression b) {
  if (is_constant(b)) std::swap(a, b);
  if (is_constant(a)) {  // and stays first
    const double factor = value(a);
    if (factor == 0) return a;
    if (factor == 1) return b;
    if (factor == -1) return negate(b);
    if (is_negated(b)) return multiply(constant(-factor), unnegated(b));
    const Node n = node(b);  // 2 (0.5 x), which derivatives are full of
    if (n.operation == Operation::multiply && is_constant({n.a}))
      return multiply(constant(factor * value({n.a})), {n.b});
    return make(Operation::multiply, a.node, b.node);
  }
  if (is_negated(a) && is_negated(b)) return multiply(unnegated(a), unnegated(b));
  if (is_negated(a)) return negate(multiply(unnegated(a), b));
  if (is_negated(b)) return negate(multiply(a, unnegated(b)));
  if (a.node > b.node) std::swap(a, b);
  return make(Operation::multiply, a.node, b.node);
}

Expression Graph::simplify_quotient(Expression a, Expression b) {
  if (is_constant(a, 0)) return a;
  if (is_negated(a)) return negate(divide(unnegated(a), b));
  int exponent = 0;
  // By a power of two: the product is as exact, and faster.
  if (is_constant(b) && std::abs(std::frexp(value(b), &exponent)) == 0.5 &&
      std::abs(exponent) < 1000)
    return multiply(constant(1 / value(b)), a);
  return make(Operation::divide, a.node, b.node);
}

/// Small whole exponents are products: exact derivatives at 0, and no call.
Expression Graph::simplify_power(Expression a, Expression b) {
  if (!is_constant(b)) return make(Operation::power, a.node, b.node);
  const double exponent = value(b);
  if (exponent == 0) return constant(1);
  if (exponent < 0 && exponent >= -64 &&
      (exponent == std::floor(exponent) || exponent == -0.5 || exponent == -1.5))
    return divide(constant(1), simplify_power(a, constant(-exponent)));
  if (exponent == 0.5) return apply(Operation::sqrt, a);
  if (exponent == 1.5) return multiply(a, apply(Operation::sqrt, a));
  if (exponent != std::floor(exponent) || std::abs(exponent) > 64)
    return make(Operation::power, a.node, b.node);
  Expression result{}, square = a;
  for (int k = static_cast<int>(exponent); k > 0; k /= 2) {
    if (k % 2 == 1) result = result ? multiply(result, square) : square;
    if (k > 1) square = multiply(square, square);
  }
  return result;
}

std::vector<int> Graph::reachable(std::span<const Expression> roots) const {
  std::vector<int> found, open;
  std::vector<bool> seen;
  int largest = -1;
  for (const Expression e : roots) largest = std::max(largest, e.node);
  seen.resize(largest + 1);
  const auto visit = [&](int n) {
    if (seen[n]) return;
    seen[n] = true;
    open.push_back(n);
  };
  for (const Expression e : roots) visit(e.node);
  while (!open.empty()) {
    const int n = open.back();
    open.pop_back();
    found.push_back(n);
    const int count = operand_count(nodes_[n].operation);
    if (count > 0) visit(nodes_[n].a);
    if (count > 1) visit(nodes_[n].b);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<int> Graph::inputs_of(Expression e) const {
  std::vector<int> inputs;
  for (const int n : reachable(std::span(&e, 1)))
    if (nodes_[n].operation == Operation::input) inputs.push_back(nodes_[n].a);
  std::sort(inputs.begin(), inputs.end());
  return inputs;
}

std::vector<Expression> Graph::substitute(std::span<const Expression> roots,
                                          const std::function<Expression(int)>& replacement) {
  std::unordered_map<int, Expression> image;
  for (const int n : reachable(roots)) {
    const Node old = nodes_[n];  // a copy: the graph grows
    switch (operand_count(old.operation)) {
      case 0:
        image[n] = old.operation == Operation::input ? replacement(old.a) : Expression{n};
        break;
      case 1:
        image[n] = apply(old.operation, image[old.a]);
        break;
      default:
        image[n] = apply(old.operation, image[old.a], image[old.b]);
        break;
    }
  }
  std::vector<Expression> result;
  for (const Expression e : roots) result.push_back(image[e.node]);
  return result;
}

}  // namespace rattleback

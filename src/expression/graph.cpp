#include "rattleback/expression/graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "rattleback/expression/node_table.hpp"

namespace rattleback {

namespace {

std::uint64_t scattered(const Node& node) {
  std::uint64_t h = std::bit_cast<std::uint64_t>(node.value) * 0x9e3779b97f4a7c15ULL;
  h ^= (static_cast<std::uint64_t>(static_cast<std::uint32_t>(node.a)) << 32 |
        static_cast<std::uint32_t>(node.b)) +
       0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2);
  h = (h ^ static_cast<std::uint64_t>(node.operation)) * 0xff51afd7ed558ccdULL;
  return h ^ (h >> 33);
}

bool same(const Node& a, const Node& b) {
  return a.operation == b.operation && a.a == b.a && a.b == b.b &&
         std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value);
}

}  // namespace

/// Nodes that are made one after another are made of neighbours: their slots are neighbours too,
/// and are found in the cache, inputs behind all others. Only where many are made of the same node
/// they are scattered.
std::size_t Graph::slot_of(const Node& node) const {
  constexpr int nearby = 8;
  const std::size_t mask = slots_.size() - 1;
  const std::uint64_t h = scattered(node);
  std::size_t slot = h;
  if (node.operation == Operation::input) {
    slot = mask - static_cast<std::size_t>(node.a);
  } else if (node.operation != Operation::constant) {
    // Constants are what many have in common.
    const bool second = operand_count(node.operation) == 2 && !is_constant({node.b});
    slot = 2 * static_cast<std::size_t>(second ? node.b : node.a) + h % 16;
  }
  for (int tries = 0;; ++tries) {
    slot &= mask;
    if (slots_[slot] < 0 || same(nodes_[slots_[slot]], node)) return slot;
    slot += tries < nearby ? 1 : (h >> 20 | 1);  // odd: it comes to every slot
  }
}

void Graph::grow() {
  slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), -1);
  for (int n = 0; n < size(); ++n) slots_[slot_of(nodes_[n])] = n;
}

Expression Graph::make(Operation operation, int a, int b, double value) {
  if (3 * nodes_.size() >= slots_.size()) grow();  // two slots for each, and room for inputs
  const Node node{operation, a, b, value};
  const std::size_t slot = slot_of(node);
  if (slots_[slot] < 0) {
    slots_[slot] = size();
    nodes_.push_back(node);
  }
  return {slots_[slot]};
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
  int largest = -1;
  for (const Expression e : roots) largest = std::max(largest, e.node);
  detail::NodeTable seen(largest + 1);
  const auto visit = [&](int n) {
    if (seen.add(n, 0)) open.push_back(n);
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
  if (found.size() * 16 < static_cast<std::size_t>(largest)) {
    std::sort(found.begin(), found.end());
  } else {  // in their order at once
    found.clear();
    for (int n = 0; n <= largest; ++n)
      if (seen[n] >= 0) found.push_back(n);
  }
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
  const std::vector<int> nodes = reachable(roots);
  detail::NodeTable image(nodes.empty() ? 0 : nodes.back() + 1);
  const auto of = [&](int n) { return Expression{image[n]}; };
  for (const int n : nodes) {
    const Node old = nodes_[n];  // a copy: the graph grows
    const auto made = [&] {
      switch (operand_count(old.operation)) {
        case 0:
          return old.operation == Operation::input ? replacement(old.a) : Expression{n};
        case 1:
          return apply(old.operation, of(old.a));
        default:
          return apply(old.operation, of(old.a), of(old.b));
      }
    }();
    image.set(n, made.node);
  }
  std::vector<Expression> result;
  for (const Expression e : roots) result.push_back(of(e.node));
  return result;
}

}  // namespace rattleback

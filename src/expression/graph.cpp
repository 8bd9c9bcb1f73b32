#include "rattleback/expression/graph.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

namespace rattleback {

int operand_count(Operation operation) {
  if (operation <= Operation::input) return 0;
  if (operation < Operation::add) return 1;
  return operation < Operation::multiply_add ? 2 : 3;
}

std::string_view spelling(Operation operation) {
  static constexpr std::string_view words[] = {
      "constant", "input", "-",    "sqrt", "exp",   "log",  "sin",  "cos",  "tan",
      "asin",     "acos",  "atan", "sinh", "cosh",  "tanh", "abs",  "sign", "+",
      "-",        "*",     "/",    "^",    "atan2", "fma",  "fnma", "fms"};
  return words[static_cast<int>(operation)];
}

double evaluate(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::negate:
      return -a;
    case Operation::sqrt:
      return std::sqrt(a);
    case Operation::exp:
      return std::exp(a);
    case Operation::log:
      return std::log(a);
    case Operation::sin:
      return std::sin(a);
    case Operation::cos:
      return std::cos(a);
    case Operation::tan:
      return std::tan(a);
    case Operation::asin:
      return std::asin(a);
    case Operation::acos:
      return std::acos(a);
    case Operation::atan:
      return std::atan(a);
    case Operation::sinh:
      return std::sinh(a);
    case Operation::cosh:
      return std::cosh(a);
    case Operation::tanh:
      return std::tanh(a);
    case Operation::abs:
      return std::abs(a);
    case Operation::sign:
      return static_cast<double>((a > 0) - (a < 0));
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::power:
      return std::pow(a, b);
    case Operation::atan2:
      return std::atan2(a, b);
    default:
      return NAN;  // not a function of one or two numbers
  }
}

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
  const auto is_negated = [&](Expression e) { return node(e).operation == Operation::negate; };
  const auto unnegated = [&](Expression e) { return Expression{node(e).a}; };
  switch (operation) {
    case Operation::add:
      if (is_constant(a, 0)) return b;
      if (is_constant(b, 0)) return a;
      if (is_negated(b)) return subtract(a, unnegated(b));
      if (is_negated(a)) return subtract(b, unnegated(a));
      if (a == b) return multiply(constant(2), a);
      if (a.node > b.node) std::swap(a, b);
      break;
    case Operation::subtract:
      if (is_constant(b, 0)) return a;
      if (is_constant(a, 0)) return negate(b);
      if (a == b) return constant(0);
      if (is_negated(b)) return add(a, unnegated(b));
      break;
    case Operation::multiply: {
      if (is_constant(b)) std::swap(a, b);
      if (is_constant(a)) {
        const double factor = value(a);
        if (factor == 0) return a;
        if (factor == 1) return b;
        if (factor == -1) return negate(b);
        if (is_negated(b)) return multiply(constant(-factor), unnegated(b));
        const Node n = node(b);  // 2 (0.5 x), which derivatives are full of
        if (n.operation == Operation::multiply && is_constant({n.a}))
          return multiply(constant(factor * value({n.a})), {n.b});
        break;  // the constant stays first
      }
      if (is_negated(a) && is_negated(b)) return multiply(unnegated(a), unnegated(b));
      if (is_negated(a)) return negate(multiply(unnegated(a), b));
      if (is_negated(b)) return negate(multiply(a, unnegated(b)));
      if (a.node > b.node) std::swap(a, b);
      break;
    }
    case Operation::divide: {
      if (is_constant(a, 0)) return a;
      if (is_negated(a)) return negate(divide(unnegated(a), b));
      if (!is_constant(b)) break;
      int exponent = 0;
      // By a power of two: the product is as exact, and faster.
      if (std::abs(std::frexp(value(b), &exponent)) == 0.5 && std::abs(exponent) < 1000)
        return multiply(constant(1 / value(b)), a);
      break;
    }
    case Operation::power:
      return simplify_power(a, b);
    default:
      break;
  }
  return make(operation, a.node, b.node);
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

namespace {

std::string number(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

/// How tightly what an operation writes holds together.
int binding(const Node& n) {
  switch (n.operation) {
    case Operation::add:
    case Operation::subtract:
      return 1;
    case Operation::multiply:
    case Operation::divide:
      return 2;
    case Operation::negate:
      return 3;
    case Operation::power:
      return 4;
    case Operation::constant:
      return n.value < 0 ? 3 : 5;
    default:
      return 5;
  }
}

}  // namespace

std::string Graph::text(Expression root, const std::function<std::string(int)>& input_name,
                        std::size_t longest) const {
  // Pieces still to be written, the next one last: no recursion, and a stop in time.
  struct Piece {
    std::string words;
    int node = -1, at_least = 0;
  };
  std::vector<Piece> open{{"", root.node, 0}};
  std::string out;
  while (!open.empty()) {
    if (out.size() > longest) return out + " ...";
    const Piece piece = std::move(open.back());
    open.pop_back();
    if (piece.node < 0) {
      out += piece.words;
      continue;
    }
    const Node& n = nodes_[piece.node];
    const int strength = binding(n);
    const auto word = [&](std::string words) { open.push_back({std::move(words), -1, 0}); };
    const auto part = [&](int node, int at_least) { open.push_back({"", node, at_least}); };
    if (strength < piece.at_least) {
      out += '(';
      word(")");
    }
    switch (n.operation) {
      case Operation::constant:
        out += number(n.value);
        break;
      case Operation::input:
        out += input_name(n.a);
        break;
      case Operation::negate:
        out += '-';
        part(n.a, 3);
        break;
      case Operation::add:
      case Operation::subtract:
      case Operation::multiply:
      case Operation::divide:
      case Operation::power: {
        const bool spaced = strength == 1;
        const bool is_power = n.operation == Operation::power;
        part(n.b, is_power ? 4 : strength + (n.operation == Operation::add ? 0 : 1));
        word(spaced ? ' ' + std::string(spelling(n.operation)) + ' '
                    : std::string(spelling(n.operation)));
        part(n.a, is_power ? 5 : strength);
        break;
      }
      default:
        out += std::string(spelling(n.operation)) + '(';
        word(")");
        if (operand_count(n.operation) == 2) {
          part(n.b, 0);
          word(", ");
        }
        part(n.a, 0);
    }
  }
  return out;
}

}  // namespace rattleback

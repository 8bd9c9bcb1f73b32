// Expressions as a graph in which equal subexpressions are one node. Operands come before what is
// made of them, so a sweep over node numbers needs no recursion, however deep an expression is.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rattleback {

enum class Operation : std::uint8_t {
  constant,
  input,
  // of one operand
  negate,
  sqrt,
  exp,
  log,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  abs,
  sign,
  // of two
  add,
  subtract,
  multiply,
  divide,
  power,
  atan2,
  // of three, in programs only: a b + c, c - a b, a b - c, each rounded once
  multiply_add,
  subtract_product,
  multiply_subtract,
};

int operand_count(Operation operation);
/// "sin", "+": as it is written in a model.
std::string_view spelling(Operation operation);

/// A node of a graph; the number means nothing without it.
struct Expression {
  int node = -1;
  explicit operator bool() const { return node >= 0; }
  bool operator==(const Expression&) const = default;
};

struct Node {
  Operation operation;
  int a = -1, b = -1;  ///< operands; a is the index of an input
  double value = 0;    ///< of a constant
};

class Graph {
 public:
  /// Constants are folded; what is 0, 1, or the same twice is simplified where no rounding of a
  /// finite value changes.
  Expression constant(double value);
  Expression input(int index);
  Expression apply(Operation operation, Expression a);
  Expression apply(Operation operation, Expression a, Expression b);

  Expression add(Expression a, Expression b) { return apply(Operation::add, a, b); }
  Expression subtract(Expression a, Expression b) { return apply(Operation::subtract, a, b); }
  Expression multiply(Expression a, Expression b) { return apply(Operation::multiply, a, b); }
  Expression divide(Expression a, Expression b) { return apply(Operation::divide, a, b); }
  Expression negate(Expression a) { return apply(Operation::negate, a); }
  Expression power(Expression a, Expression b) { return apply(Operation::power, a, b); }

  int size() const { return static_cast<int>(nodes_.size()); }
  const Node& node(Expression e) const { return nodes_[e.node]; }
  bool is_constant(Expression e) const { return node(e).operation == Operation::constant; }
  bool is_constant(Expression e, double value) const {
    return is_constant(e) && node(e).value == value;
  }
  double value(Expression constant) const { return node(constant).value; }

  /// The nodes that these are made of, each once, operands first.
  std::vector<int> reachable(std::span<const Expression> roots) const;
  /// The inputs an expression depends on, ascending.
  std::vector<int> inputs_of(Expression e) const;
  /// The expression with inputs replaced: replacement(index) gives what stands for input `index`.
  std::vector<Expression> substitute(std::span<const Expression> roots,
                                     const std::function<Expression(int)>& replacement);
  /// As it would be written in a model, with the fewest parentheses; long ones end in "...".
  std::string text(Expression e, const std::function<std::string(int)>& input_name,
                   std::size_t longest = 2000) const;

 private:
  Expression make(Operation operation, int a, int b, double value = 0);
  Expression simplify_sum(Expression a, Expression b);
  Expression simplify_difference(Expression a, Expression b);
  Expression simplify_product(Expression a, Expression b);
  Expression simplify_quotient(Expression a, Expression b);
  Expression simplify_power(Expression a, Expression b);
  bool is_negated(Expression e) const { return node(e).operation == Operation::negate; }
  Expression unnegated(Expression e) const { return {node(e).a}; }

  /// Where the node is, or the free slot where it belongs.
  std::size_t slot_of(const Node& node) const;
  void grow();

  std::vector<Node> nodes_;
  std::vector<int> slots_;  ///< of nodes by what they are, -1 where free; a power of two of them
};

/// One operation on numbers: what folding, byte code and tests share.
double evaluate(Operation operation, double a, double b = 0);

}  // namespace rattleback

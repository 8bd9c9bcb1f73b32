// Expressions as text, with the fewest parentheses.
#include <charconv>

#include "rattleback/expression/graph.hpp"

namespace rattleback {

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

/// Writes an expression from left to right.
class Writer {
 public:
  explicit Writer(const std::function<std::string(int)>& input_name) : input_name_(input_name) {}

  std::string write(const Graph& graph, Expression root, std::size_t longest) {
    part(root.node, 0);
    while (!open_.empty()) {
      if (out_.size() > longest) return out_ + " ...";
      const Piece piece = std::move(open_.back());
      open_.pop_back();
      if (piece.node < 0)
        out_ += piece.words;
      else
        write_node(graph.node({piece.node}), piece.at_least);
    }
    return out_;
  }

 private:
  /// Words, or a node that must bind at least so tightly to stand without parentheses.
  struct Piece {
    std::string words;
    int node = -1, at_least = 0;
  };
  void word(std::string words) { open_.push_back({std::move(words), -1, 0}); }
  void part(int node, int at_least) { open_.push_back({"", node, at_least}); }

  void write_node(const Node& n, int at_least) {
    if (binding(n) < at_least) {
      out_ += '(';
      word(")");
    }
    switch (n.operation) {
      case Operation::constant:
        out_ += number(n.value);
        break;
      case Operation::input:
        out_ += input_name_(n.a);
        break;
      case Operation::negate:
        out_ += '-';
        part(n.a, 3);
        break;
      case Operation::add:
      case Operation::subtract:
      case Operation::multiply:
      case Operation::divide:
      case Operation::power:
        write_between(n);
        break;
      default:
        write_call(n);
    }
  }
  /// a + b
  void write_between(const Node& n) {
    const int strength = binding(n);
    const bool is_power = n.operation == Operation::power;
    const std::string sign(spelling(n.operation));
    part(n.b, is_power ? 4 : strength + (n.operation == Operation::add ? 0 : 1));
    word(strength == 1 ? ' ' + sign + ' ' : sign);
    part(n.a, is_power ? 5 : strength);
  }
  /// atan2(a, b)
  void write_call(const Node& n) {
    out_ += std::string(spelling(n.operation)) + '(';
    word(")");
    if (operand_count(n.operation) == 2) {
      part(n.b, 0);
      word(", ");
    }
    part(n.a, 0);
  }

  const std::function<std::string(int)>& input_name_;
  std::vector<Piece> open_;  // still to be written, the next one last: no recursion
  std::string out_;
};

}  // namespace

std::string Graph::text(Expression root, const std::function<std::string(int)>& input_name,
                        std::size_t longest) const {
  return Writer(input_name).write(*this, root, longest);
}

}  // namespace rattleback

#include "exact_factors.hpp"

#include <cmath>
#include <utility>

namespace rattleback::detail {

namespace {

bool is_power_of_two(double x) {
  int exponent = 0;
  return std::abs(std::frexp(x, &exponent)) == 0.5 && std::abs(exponent) < 500;
}

/// factor * core, factor a power of two with either sign.
struct Drawn {
  double factor = 1;
  Expression core{};
};

class Drawing {
 public:
  explicit Drawing(Graph& graph) : graph_(graph) {}

  Drawn of(const Node& node, Expression self, const Drawn& a, const Drawn& b) {
    switch (node.operation) {
      case Operation::constant:
        if (is_power_of_two(node.value)) return {node.value, graph_.constant(1)};
        return {1, self};
      case Operation::input:
        return {1, self};
      case Operation::negate:
        return {-a.factor, a.core};
      case Operation::multiply:
        return in_range({a.factor * b.factor, graph_.multiply(a.core, b.core)});
      case Operation::divide:
        return in_range({a.factor / b.factor, graph_.divide(a.core, b.core)});
      case Operation::add:
        return sum(a, b);
      case Operation::subtract:
        return sum(a, {-b.factor, b.core});
      default:
        if (operand_count(node.operation) == 1)
          return {1, graph_.apply(node.operation, written(a))};
        return {1, graph_.apply(node.operation, written(a), written(b))};
    }
  }

  Expression written(const Drawn& x) {
    const Node core = graph_.node(x.core);
    // What is made last is what several products have in common, as sigma in sigma f.
    if (x.factor == -1 && core.operation == Operation::multiply)
      return graph_.multiply({core.a}, graph_.apply(Operation::negate, {core.b}));
    return graph_.multiply(graph_.constant(x.factor), x.core);
  }

 private:
  Drawn in_range(const Drawn& x) {
    if (is_power_of_two(x.factor)) return x;
    return {1, graph_.multiply(graph_.constant(x.factor), x.core)};
  }
  Drawn sum(Drawn a, Drawn b) {
    if (a.core == b.core) return in_range({a.factor + b.factor, a.core});
    if (b.core.node < a.core.node) std::swap(a, b);
    const double ratio = std::abs(b.factor / a.factor);
    const Expression second = graph_.multiply(graph_.constant(ratio), b.core);
    const bool add = (a.factor > 0) == (b.factor > 0);
    return {a.factor, add ? graph_.add(a.core, second) : graph_.subtract(a.core, second)};
  }

  Graph& graph_;
};

}  // namespace

std::vector<Expression> draw_out_exact_factors(Graph& graph, std::span<const Expression> roots) {
  const std::vector<int> nodes = graph.reachable(roots);
  std::vector<Drawn> drawn(nodes.empty() ? 0 : nodes.back() + 1);
  Drawing drawing(graph);
  for (const int n : nodes) {
    const Node node = graph.node({n});  // a copy: the graph grows
    const int count = operand_count(node.operation);
    drawn[n] = drawing.of(node, {n}, count > 0 ? drawn[node.a] : Drawn{},
                          count > 1 ? drawn[node.b] : Drawn{});
  }
  std::vector<Expression> result;
  for (const Expression e : roots) result.push_back(drawing.written(drawn[e.node]));
  return result;
}

}  // namespace rattleback::detail

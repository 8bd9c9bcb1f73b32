#include "rattleback/expression/derivative.hpp"

#include <algorithm>

#include "rattleback/expression/node_table.hpp"

namespace rattleback {

namespace {

struct Partials {
  Expression a{}, b{};
};

/// d(node)/d(operands).
Partials partials(Graph& g, int n) {
  const Node node = g.node({n});  // a copy: the graph grows
  const Expression self{n}, a{node.a}, b{node.b};
  const auto one = [&] { return g.constant(1); };
  const auto square = [&](Expression x) { return g.multiply(x, x); };
  const auto inverse = [&](Expression x) { return g.divide(one(), x); };
  const auto of = [&](Operation op, Expression x) { return g.apply(op, x); };
  switch (node.operation) {
    case Operation::negate:
      return {g.constant(-1)};
    case Operation::sqrt:
      return {g.divide(g.constant(0.5), self)};
    case Operation::exp:
      return {self};
    case Operation::log:
      return {inverse(a)};
    case Operation::sin:
      return {of(Operation::cos, a)};
    case Operation::cos:
      return {g.negate(of(Operation::sin, a))};
    case Operation::tan:
      return {g.add(one(), square(self))};
    case Operation::asin:
      return {inverse(of(Operation::sqrt, g.subtract(one(), square(a))))};
    case Operation::acos:
      return {g.negate(inverse(of(Operation::sqrt, g.subtract(one(), square(a)))))};
    case Operation::atan:
      return {inverse(g.add(one(), square(a)))};
    case Operation::sinh:
      return {of(Operation::cosh, a)};
    case Operation::cosh:
      return {of(Operation::sinh, a)};
    case Operation::tanh:
      return {g.subtract(one(), square(self))};
    case Operation::abs:
      return {of(Operation::sign, a)};
    case Operation::add:
      return {one(), one()};
    case Operation::subtract:
      return {one(), g.constant(-1)};
    case Operation::multiply:
      return {b, a};
    case Operation::divide:
      return {inverse(b), g.negate(g.divide(self, b))};
    case Operation::power: {
      const Expression by_base = g.multiply(b, g.power(a, g.subtract(b, one())));
      if (g.is_constant(b)) return {by_base};
      return {by_base, g.multiply(self, of(Operation::log, a))};
    }
    case Operation::atan2: {  // atan2(a, b): the angle of (b, a)
      const Expression r2 = g.add(square(a), square(b));
      return {g.divide(b, r2), g.negate(g.divide(a, r2))};
    }
    default:
      return {};  // sign, and what has no operands
  }
}

/// f/b has slope (1/b) adjoint in a: one division where the quotient is not needed twice.
Expression times(Graph& g, Expression partial, Expression factor) {
  const Node& p = g.node(partial);
  if (p.operation == Operation::divide && g.is_constant({p.a}, 1)) return g.divide(factor, {p.b});
  return g.multiply(partial, factor);
}

}  // namespace

std::vector<GradientEntry> gradient(Graph& graph, Expression f, int first, int last) {
  const std::vector<int> nodes = graph.reachable(std::span(&f, 1));
  detail::NodeTable adjoint(f.node + 1);
  const auto collect = [&](int n, Expression term) {
    const Expression sum{adjoint[n]};
    adjoint.set(n, (sum ? graph.add(sum, term) : term).node);
  };
  adjoint.set(f.node, graph.constant(1).node);
  std::vector<GradientEntry> slopes;
  for (std::size_t k = nodes.size(); k-- > 0;) {
    const Expression own{adjoint[nodes[k]]};
    if (!own || graph.is_constant(own, 0)) continue;
    const Node node = graph.node({nodes[k]});
    if (node.operation == Operation::input) {
      if (node.a >= first && node.a < last) slopes.push_back({node.a, own});
      continue;
    }
    if (operand_count(node.operation) == 0) continue;
    if (node.operation == Operation::divide) {  // one division for both: by b it is -(a/b) share
      const Expression share = graph.divide(own, {node.b});
      collect(node.a, share);
      if (!graph.is_constant({node.b}))
        collect(node.b, graph.negate(graph.multiply({nodes[k]}, share)));
      continue;
    }
    const Partials d = partials(graph, nodes[k]);
    if (d.a) collect(node.a, times(graph, d.a, own));
    if (d.b) collect(node.b, times(graph, d.b, own));
  }
  std::sort(slopes.begin(), slopes.end(),
            [](const GradientEntry& x, const GradientEntry& y) { return x.input < y.input; });
  return slopes;
}

Expression derivative(Graph& graph, Expression f, int input) {
  const auto slopes = gradient(graph, f, input, input + 1);
  return slopes.empty() ? graph.constant(0) : slopes.front().value;
}

std::vector<Expression> directional(Graph& graph, std::span<const Expression> f,
                                    const std::function<Expression(int)>& direction) {
  const std::vector<int> nodes = graph.reachable(f);
  detail::NodeTable change(nodes.empty() ? 0 : nodes.back() + 1);
  const auto of = [&](int n) { return Expression{change[n]}; };
  for (const int n : nodes) {
    const Node node = graph.node({n});
    Expression sum{};
    if (node.operation == Operation::input) {
      sum = direction(node.a);
    } else if (operand_count(node.operation) > 0) {
      const Expression da = of(node.a),
                       db = operand_count(node.operation) > 1 ? of(node.b) : Expression{};
      if (!da && !db) continue;
      if (node.operation == Operation::divide) {
        const Expression rest = db ? graph.multiply({n}, db) : Expression{};
        sum = graph.divide(!db ? da : da ? graph.subtract(da, rest) : graph.negate(rest), {node.b});
        if (!graph.is_constant(sum, 0)) change.set(n, sum.node);
        continue;
      }
      const Partials d = partials(graph, n);
      if (da && d.a) sum = times(graph, d.a, da);
      if (db && d.b) {
        const Expression term = times(graph, d.b, db);
        sum = sum ? graph.add(sum, term) : term;
      }
    }
    if (sum && !graph.is_constant(sum, 0)) change.set(n, sum.node);
  }
  std::vector<Expression> result;
  for (const Expression e : f) {
    const Expression d = of(e.node);
    result.push_back(d ? d : graph.constant(0));
  }
  return result;
}

SparseExpressions jacobian(Graph& graph, std::span<const Expression> f, int first, int last) {
  SparseExpressions result;
  result.rows = static_cast<int>(f.size());
  result.columns = last - first;
  for (const Expression e : f) {
    for (const GradientEntry& s : gradient(graph, e, first, last)) {
      if (graph.is_constant(s.value, 0)) continue;
      result.column.push_back(s.input - first);
      result.value.push_back(s.value);
    }
    result.start.push_back(static_cast<int>(result.column.size()));
  }
  return result;
}

}  // namespace rattleback

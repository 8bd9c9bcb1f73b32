#include "rattleback/expression/recorder.hpp"

#include "rattleback/problem/error.hpp"

namespace rattleback {

Recorded::Recorded(Graph& graph, Expression expression) {
  if (graph.is_constant(expression)) {
    number_ = graph.value(expression);
  } else {
    graph_ = &graph;
    expression_ = expression;
  }
}

double Recorded::number(const char* what) const {
  if (is_number()) return number_;
  throw ModelError(std::string("the model branches on its inputs (") + what +
                   " of what depends on them) and cannot be recorded");
}

Expression Recorded::in(Graph& graph) const {
  if (is_number()) return graph.constant(number_);
  if (graph_ != &graph) throw ModelError("values of two recordings cannot be mixed");
  return expression_;
}

Recorded Recorded::apply(Operation operation, const Recorded& a) {
  if (a.is_number()) return evaluate(operation, a.number_);
  return {*a.graph_, a.graph_->apply(operation, a.expression_)};
}

Recorded Recorded::apply(Operation operation, const Recorded& a, const Recorded& b) {
  if (a.is_number() && b.is_number()) return evaluate(operation, a.number_, b.number_);
  Graph& graph = a.is_number() ? *b.graph_ : *a.graph_;
  return {graph, graph.apply(operation, a.in(graph), b.in(graph))};
}

}  // namespace rattleback

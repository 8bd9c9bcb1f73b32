#include "rattleback/expression/program.hpp"

#include "rattleback/expression/node_table.hpp"
#include "rattleback/problem/pack.hpp"

namespace rattleback {

namespace {

/// Lists what the outputs are made of, operands first, each as late as its first use allows.
class Schedule {
 public:
  Schedule(const Graph& graph, std::span<const Program::Output> outputs) : graph_(graph) {
    std::vector<Expression> roots;
    for (const auto& o : outputs) roots.push_back(o.expression);
    const std::vector<int> nodes = graph.reachable(roots);
    const int largest = nodes.empty() ? -1 : nodes.back();
    uses_.resize(largest + 1);
    for (const int n : nodes) {
      const Node& node = graph.node({n});
      const int count = operand_count(node.operation);
      if (count > 0) ++uses_[node.a];
      if (count > 1) ++uses_[node.b];
    }
    for (const auto& o : outputs) ++uses_[o.expression.node];
    done_.resize(largest + 1);
    for (const auto& o : outputs) visit(o.expression.node);
  }

  struct Step {
    int node;
    Program::Instruction instruction;  ///< operands are nodes
  };
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<int>& constants() const { return constants_; }
  const std::vector<int>& inputs() const { return inputs_; }

 private:
  /// A product used once is computed together with the sum it goes into.
  Program::Instruction fused(int n) const {
    const Node& node = graph_.node({n});
    const auto product = [&](int k) {
      return graph_.node({k}).operation == Operation::multiply && uses_[k] == 1;
    };
    const bool is_sum = node.operation == Operation::add;
    if (is_sum || node.operation == Operation::subtract) {
      if (product(node.b)) {
        const Node& p = graph_.node({node.b});
        return {is_sum ? Operation::multiply_add : Operation::subtract_product, p.a, p.b, node.a};
      }
      if (product(node.a)) {
        const Node& p = graph_.node({node.a});
        return {is_sum ? Operation::multiply_add : Operation::multiply_subtract, p.a, p.b, node.b};
      }
    }
    const int count = operand_count(node.operation);
    return {node.operation, count > 0 ? node.a : -1, count > 1 ? node.b : -1};
  }

  void visit(int root) {
    struct Open {
      int node;
      Program::Instruction instruction;
      int next = 0;
    };
    std::vector<Open> open;
    const auto enter = [&](int n) {
      if (n < 0 || done_[n]) return;
      const Operation operation = graph_.node({n}).operation;
      if (operand_count(operation) > 0) {
        open.push_back({n, fused(n)});
        return;
      }
      done_[n] = true;
      (operation == Operation::constant ? constants_ : inputs_).push_back(n);
    };
    enter(root);
    while (!open.empty()) {
      Open& top = open.back();
      if (top.next < 3) {
        const int operands[] = {top.instruction.a, top.instruction.b, top.instruction.c};
        enter(operands[top.next++]);  // may move `top`
        continue;
      }
      if (!done_[top.node]) {
        done_[top.node] = true;
        steps_.push_back({top.node, top.instruction});
      }
      open.pop_back();
    }
  }

  const Graph& graph_;
  std::vector<int> uses_;
  std::vector<bool> done_;
  std::vector<int> constants_, inputs_;
  std::vector<Step> steps_;
};

}  // namespace

Program::Program(const Graph& graph, int split, std::span<const Output> outputs) {
  const Schedule schedule(graph, outputs);
  detail::NodeTable number(graph.size());
  int next = 0;
  for (const int n : schedule.constants()) {
    number.set(n, next++);
    constants_.push_back(graph.value({n}));
  }
  for (const int n : schedule.inputs()) {
    number.set(n, next++);
    const int index = graph.node({n}).a;
    inputs_.push_back(index < split ? Input{0, index} : Input{1, index - split});
  }
  const auto of = [&](int n) { return n < 0 ? -1 : number[n]; };
  for (const auto& [node, i] : schedule.steps()) {
    instructions_.push_back({i.operation, of(i.a), of(i.b), of(i.c)});
    number.set(node, next++);
  }
  for (const Output& o : outputs) results_.push_back({o.array, o.index, number[o.expression.node]});
}

bool Program::has_shape_of(const Program& other) const {
  const auto same_exponent = [&](const Instruction& i) {
    return i.operation != Operation::power || i.b >= static_cast<int>(constants_.size()) ||
           constants_[i.b] == other.constants_[i.b];
  };
  return constants_.size() == other.constants_.size() && inputs_ == other.inputs_ &&
         instructions_ == other.instructions_ && results_ == other.results_ &&
         std::ranges::all_of(instructions_, same_exponent);
}

template void Program::run(const double*, int, const double*, const double*, double*,
                           double*) const;
template void Program::run(const double*, int, const Pack*, const Pack*, Pack*, Pack*) const;

}  // namespace rattleback

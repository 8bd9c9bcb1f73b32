// Runs parsed expressions: into the graph, to numbers, or at a point to see whether it is regular.
#pragma once

#include <functional>
#include <span>

#include "syntax.hpp"

namespace rattleback::text {

/// A number, or an expression of the graph.
struct Value {
  double number = 0;
  Expression expression{};
  bool varies = false;  ///< a number that is the value of an expression at a point

  bool is_number() const { return !expression; }
};

/// How much a model may grow when its sums are written out. Throws where it is used up.
class Budget {
 public:
  explicit Budget(long operations = 10'000'000) : total_(operations), left_(operations) {}
  /// Whether there is room for this much.
  bool spend(double operations) {
    if (operations > static_cast<double>(left_)) return false;
    left_ -= static_cast<long>(operations);
    return true;
  }
  std::string refusal() const {
    return "written out, this model has more than " + std::to_string(total_) +
           " operations, which is the limit";
  }

 private:
  long total_, left_;
};

class Expander {
 public:
  /// For constants.
  explicit Expander(Budget& budget) : budget_(budget) {}
  /// Coordinates, momenta and velocities become inputs of the graph.
  Expander(Budget& budget, Graph& graph) : budget_(budget), graph_(&graph) {}
  /// They take these values, by input; where something is not finite or has no derivative, that is
  /// an error.
  Expander(Budget& budget, std::span<const double> point) : budget_(budget), point_(point) {}

  Value value(const Code& code, std::span<const double> indices = {});
  double number(const Code& code, std::span<const double> indices = {}) {
    return value(code, indices).number;
  }
  Expression expression(const Code& code, std::span<const double> indices = {}) {
    return in_graph(value(code, indices));
  }

  /// Calls receive(value, "i = 2, j = 3") for every member of the family that a constraint is.
  using Receive = std::function<void(const Value&, const std::string&)>;
  void each(const Code& code, const Receive& receive);
  Expression in_graph(const Value& value) {
    return value.is_number() ? graph_->constant(value.number) : value.expression;
  }

 private:
  void start(const Code& code, std::span<const double> indices);
  void run(std::size_t begin, std::size_t end);
  void run_loop(const Step& step, std::size_t body);
  Value operate(const Step& step);
  Value symbol(const Step& step, long index);
  long whole(const Value& value, std::size_t offset, const std::string& what) const;
  Value pop();
  void require_regular(const Step& step, const Value& a, const Value& b) const;
  [[noreturn]] void fail(std::size_t offset, const std::string& message) const;
  std::string where() const;
  std::string name_at(std::size_t offset) const;

  Budget& budget_;
  Graph* graph_ = nullptr;
  std::span<const double> point_{};
  const Code* code_ = nullptr;
  const Receive* receive_ = nullptr;
  std::vector<Value> stack_;
  std::vector<double> indices_;  // by slot
  std::vector<int> active_;      // slots that run at the moment
};

}  // namespace rattleback::text

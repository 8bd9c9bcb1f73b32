#include "expand.hpp"

#include <algorithm>
#include <cmath>

#include "tokens.hpp"

namespace rattleback::text {

namespace {

/// "sqrt(-1)", "1/0": an operation with its values, for messages.
std::string written(Operation operation, const Value& a, const Value& b) {
  const std::string word(spelling(operation));
  if (operation == Operation::atan2)
    return word + '(' + detail::quote(a.number) + ", " + detail::quote(b.number) + ')';
  if (operand_count(operation) == 1) return word + '(' + detail::quote(a.number) + ')';
  return detail::quote(a.number) + word + detail::quote(b.number);
}

}  // namespace

std::string Expander::where() const {
  std::string text;
  for (const int slot : active_)
    text +=
        (text.empty() ? "" : ", ") + code_->indices[slot] + " = " + detail::quote(indices_[slot]);
  return text;
}

void Expander::fail(std::size_t offset, const std::string& message) const {
  const std::string at = where();
  text::fail(
      code_->passage, offset,
      message + (point_.empty() ? "" : " at the start") + (at.empty() ? "" : " (at " + at + ")"));
}

std::string Expander::name_at(std::size_t offset) const {
  const std::string_view rest = std::string_view(code_->passage.text).substr(offset);
  return in_quotes(rest.substr(0, name_length(rest)));
}

Value Expander::pop() {
  const Value value = stack_.back();
  stack_.pop_back();
  return value;
}

void Expander::start(const Code& code, std::span<const double> indices) {
  code_ = &code;
  stack_.clear();
  active_.clear();
  indices_.assign(code.indices.size(), 0);
  std::copy(indices.begin(), indices.end(), indices_.begin());
  for (std::size_t slot = 0; slot < indices.size(); ++slot)
    active_.push_back(static_cast<int>(slot));
  if (!budget_.spend(static_cast<double>(code.steps.size()))) fail(0, budget_.refusal());
}

Value Expander::value(const Code& code, std::span<const double> indices) {
  start(code, indices);
  run(0, code.steps.size());
  return pop();
}

void Expander::each(const Code& code, const Receive& receive) {
  start(code, {});
  receive_ = &receive;
  run(0, code.steps.size());
  if (!stack_.empty()) receive(pop(), "");
}

void Expander::run(std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end; ++at) {
    const Step& step = code_->steps[at];
    switch (step.kind) {
      case Step::Kind::number:
        stack_.push_back({.number = step.number});
        break;
      case Step::Kind::index:
        stack_.push_back({.number = indices_[step.slot]});
        break;
      case Step::Kind::symbol:
        stack_.push_back(symbol(step, step.symbol->lower));
        break;
      case Step::Kind::element: {
        const Value index = pop();
        stack_.push_back(symbol(step, whole(index, step.offset, "an index")));
        break;
      }
      case Step::Kind::operation:
        stack_.push_back(operate(step));
        break;
      default:
        run_loop(step, at + 1);
        at = step.end - 1;
    }
  }
}

void Expander::run_loop(const Step& step, std::size_t body) {
  const Value upper = pop(), lower = pop();
  const bool is_sum = step.kind == Step::Kind::sum;
  const std::string what = is_sum ? "a bound of sum" : "a bound of each";
  const long first = whole(lower, step.offset, what), last = whole(upper, step.offset, what);
  const double length = static_cast<double>(step.end - body) + 1;
  if (last >= first && !budget_.spend(static_cast<double>(last - first + 1) * length))
    fail(step.offset, budget_.refusal());
  active_.push_back(step.slot);
  const Step add{.kind = Step::Kind::operation, .operation = Operation::add, .offset = step.offset};
  if (is_sum && last < first) stack_.push_back({.number = 0});
  for (long i = first; i <= last; ++i) {
    indices_[step.slot] = static_cast<double>(i);
    const std::size_t height = stack_.size();
    run(body, step.end);
    if (is_sum && i > first) stack_.push_back(operate(add));
    if (!is_sum && stack_.size() > height) (*receive_)(pop(), where());
  }
  active_.pop_back();
}

long Expander::whole(const Value& value, std::size_t offset, const std::string& what) const {
  if (!value.is_number() || value.varies) fail(offset, what + " must be a constant");
  if (value.number != std::floor(value.number))
    fail(offset, what + " must be a whole number, not " + detail::quote(value.number));
  if (std::abs(value.number) > 1e15)
    fail(offset, what + " cannot be as large as " + detail::quote(value.number));
  return static_cast<long>(value.number);
}

Value Expander::symbol(const Step& step, long index) {
  const Symbol& symbol = *step.symbol;
  if (index < symbol.lower || index > symbol.upper)
    fail(step.offset, "index " + std::to_string(index) + " of " + name_at(step.offset) +
                          " is out of range " + std::to_string(symbol.lower) + ".." +
                          std::to_string(symbol.upper));
  const auto offset = static_cast<int>(index - symbol.lower);
  if (symbol.kind == Symbol::parameter) return {.number = symbol.values[offset]};
  const int input = symbol.first + offset;
  if (graph_) return {.expression = graph_->input(input)};
  return {.number = point_[input], .varies = true};
}

Value Expander::operate(const Step& step) {
  const bool is_binary = operand_count(step.operation) == 2;
  const Value b = is_binary ? pop() : Value{}, a = pop();
  if (step.operation == Operation::divide && b.is_number() && b.number == 0)
    fail(step.offset, "division by zero");
  Value result{.varies = a.varies || b.varies};
  if (a.is_number() && b.is_number()) {
    result.number = evaluate(step.operation, a.number, b.number);
    if (!std::isfinite(result.number))
      fail(step.offset,
           written(step.operation, a, b) +
               (std::isnan(result.number) ? " is not a real number" : " is not finite"));
    if (result.varies) require_regular(step, a, b);
    return result;
  }
  const Expression left = in_graph(a);
  const Expression e = is_binary ? graph_->apply(step.operation, left, in_graph(b))
                                 : graph_->apply(step.operation, left);
  // Folding may join constants, such as 1e200*(1e200*x).
  const Node& node = graph_->node(e);
  const auto is_finite = [&](int operand) {
    return operand < 0 || !graph_->is_constant({operand}) ||
           std::isfinite(graph_->value({operand}));
  };
  const int operands = operand_count(node.operation);
  if (!is_finite(e.node) || (operands > 0 && !is_finite(node.a)) ||
      (operands > 1 && !is_finite(node.b)))
    fail(step.offset, "a constant in this expression is not finite");
  if (graph_->is_constant(e))
    result.number = graph_->value(e);
  else
    result.expression = e;
  return result;
}

/// Functions that have a value but no derivative there.
void Expander::require_regular(const Step& step, const Value& a, const Value& b) const {
  bool is_kink = false;
  switch (step.operation) {
    case Operation::abs:
    case Operation::sqrt:
      is_kink = a.number == 0;
      break;
    case Operation::asin:
    case Operation::acos:
      is_kink = std::abs(a.number) == 1;
      break;
    case Operation::atan2:
      is_kink = a.number == 0 && b.number == 0;
      break;
    case Operation::power:
      is_kink = a.varies && a.number == 0 && (b.varies || (b.number < 1 && b.number != 0));
      break;
    default:
      break;
  }
  if (is_kink) fail(step.offset, written(step.operation, a, b) + " has no derivative");
}

}  // namespace rattleback::text

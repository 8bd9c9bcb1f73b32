#include "rattleback/expression/series.hpp"

#include <cmath>
#include <utility>

#include "system_code.hpp"

namespace rattleback {

/// Rewrites instructions as rules; what a rule needs beside its operands gets values of its own.
class SeriesWriter {
 public:
  using Rule = SeriesProgram::Rule;
  using Value = SeriesProgram::Value;

  explicit SeriesWriter(SeriesProgram& out) : out_(out) {}

  int add(const Value& value) {
    out_.values_.push_back(value);
    return static_cast<int>(out_.values_.size()) - 1;
  }
  void set_results(const std::vector<Program::Result>& results, const std::vector<int>& place) {
    out_.results_ = results;
    for (Program::Result& r : out_.results_) r.value = place[r.value];
  }
  /// The value of one instruction on values a, b, c.
  int write(Operation operation, int a, int b, int c) {
    switch (operation) {
      case Operation::add:
        return add({Rule::add, a, b});
      case Operation::subtract:
        return add({Rule::subtract, a, b});
      case Operation::multiply:
        return product(a, b);
      case Operation::divide:
        return add({Rule::divide, a, b});
      case Operation::multiply_add:
        return add({Rule::add, product(a, b), c});
      case Operation::subtract_product:
        return add({Rule::subtract, c, product(a, b)});
      case Operation::multiply_subtract:
        return add({Rule::subtract, product(a, b), c});
      case Operation::power:
        return power(a, b);
      case Operation::atan2: {
        const int square = add({Rule::add, product(a, a), product(b, b)});
        return add({Rule::angle, a, b, square});
      }
      default:
        return write_one(operation, a);
    }
  }

 private:
  int number(double x) { return add({.rule = Rule::constant, .number = x}); }
  int next() const { return static_cast<int>(out_.values_.size()); }
  int integral(Operation f, int a, int b, double sign = 1) {
    return add({.rule = Rule::integral, .a = a, .b = b, .number = sign, .at_start = f});
  }
  int quotient(Operation f, int a, int b, double sign = 1) {
    return add({.rule = Rule::quotient, .a = a, .b = b, .number = sign, .at_start = f});
  }
  int product(int a, int b) {
    for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)})
      if (out_.is_constant(x))
        return add({.rule = Rule::scale, .a = y, .number = out_.values_[x].number});
    return add({Rule::multiply, a, b});
  }
  /// 1 + sign a^2
  int one_with_square(int a, double sign) {
    return add({sign > 0 ? Rule::add : Rule::subtract, number(1), product(a, a)});
  }
  /// f' = g and g' = sign f, as functions of a.
  int pair(Operation f, Operation g, int a, double sign_f, double sign_g) {
    const int at = next();
    integral(f, a, at + 1, sign_f);
    integral(g, a, at, sign_g);
    return at;
  }
  int write_one(Operation operation, int a) {
    switch (operation) {
      case Operation::negate:
        return add({.rule = Rule::scale, .a = a, .number = -1});
      case Operation::sqrt:
        return add({Rule::root, a});
      case Operation::exp:
        return integral(operation, a, next());
      case Operation::log:
        return quotient(operation, a, a);
      case Operation::sin:
        return pair(operation, Operation::cos, a, 1, -1);
      case Operation::cos:
        return pair(operation, Operation::sin, a, -1, 1);
      case Operation::sinh:
        return pair(operation, Operation::cosh, a, 1, 1);
      case Operation::cosh:
        return pair(operation, Operation::sinh, a, 1, 1);
      case Operation::tan:
      case Operation::tanh:
        return by_own_square(operation, a);
      case Operation::asin:
      case Operation::acos: {
        const int root = add({Rule::root, one_with_square(a, -1)});
        return quotient(operation, a, root, operation == Operation::asin ? 1 : -1);
      }
      case Operation::atan:
        return quotient(operation, a, one_with_square(a, 1));
      default:
        return add(
            {.rule = Rule::magnitude, .a = a, .number = operation == Operation::abs ? 1.0 : 0});
    }
  }
  /// tan' = 1 + tan^2, tanh' = 1 - tanh^2
  int by_own_square(Operation operation, int a) {
    const int at = integral(operation, a, -1);
    const int slope = one_with_square(at, operation == Operation::tan ? 1 : -1);
    out_.values_[at].b = slope;
    return at;
  }
  int power(int a, int b) {
    // Small whole exponents are products already (Graph::simplify_power).
    if (!out_.is_constant(b)) {  // exp(b log a)
      const int exponent = product(b, write_one(Operation::log, a));
      return write_one(Operation::exp, exponent);
    }
    return add({.rule = Rule::power, .a = a, .number = out_.values_[b].number});
  }

  SeriesProgram& out_;
};

SeriesProgram::SeriesProgram(const Program& program) {
  SeriesWriter writer(*this);
  std::vector<int> place;
  place.reserve(program.value_count());
  for (const double x : program.constants())
    place.push_back(writer.add({.rule = Rule::constant, .number = x}));
  for (const Program::Input& input : program.inputs())
    place.push_back(writer.add({.rule = Rule::input, .a = input.index}));
  const auto at = [&](int value) { return value < 0 ? -1 : place[value]; };
  for (const Program::Instruction& i : program.instructions())
    place.push_back(writer.write(i.operation, at(i.a), at(i.b), at(i.c)));
  writer.set_results(program.results(), place);
}

SeriesProgram SeriesProgram::packed(std::span<const SeriesProgram* const> lanes) {
  SeriesProgram all = *lanes[0];
  all.lanes_ = lanes.size();
  for (std::size_t v = 0; v < all.values_.size(); ++v)
    for (const SeriesProgram* lane : lanes) {
      if (lane->values_.size() != all.values_.size() ||
          !lane->values_[v].differs_in_number_only(all.values_[v]))
        throw ModelError("the series of copies in one pack differ in more than numbers");
      all.lane_numbers_.push_back(lane->values_[v].number);
    }
  return all;
}

SeriesField series_field(const CanonicalSystem& s) {
  Graph graph = s.graph();  // others may be reading that one
  SeriesField field;
  field.dimension = s.dimension();
  field.constraints = s.constraint_count();
  detail::Outputs outputs;
  detail::append_gradient(graph, s.potential, 0, field.dimension, 0, outputs);
  const SparseExpressions g_q = jacobian(graph, s.constraints, 0, field.dimension);
  for (std::size_t k = 0; k < g_q.value.size(); ++k)
    outputs.push_back({1, static_cast<int>(k), g_q.value[k]});
  field.program = SeriesProgram(Program(graph, field.dimension, outputs));
  field.slope.resize(field.dimension);
  field.entries.resize(g_q.value.size());
  field.program.for_results([&](int array, int index, int value) {
    (array == 0 ? field.slope[index] : field.entries[index].value) = value;
  });
  for (int i = 0; i < g_q.rows; ++i)
    for (int k = g_q.start[i]; k < g_q.start[i + 1]; ++k)
      field.entries[k].row = i, field.entries[k].column = g_q.column[k];
  return field;
}

}  // namespace rattleback

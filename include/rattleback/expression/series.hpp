// Taylor series of expressions. A program is rewritten as operations on series, each with a rule
// for its coefficient k from what is known of its operands; going from k to k + 1 computes one
// coefficient of every value, so that K of them cost K^2/2 times the program.
//
//   c = a b       c_k = sum_j a_j b_{k-j}
//   c' = a' b     k c_k = sum_{j=1}^k j a_j b_{k-j}             exp, sin and cos, tan, ...
//   c' = a'/b     k c_k b_0 = k a_k - sum_{j=1}^{k-1} j c_j b_{k-j}   log, asin, atan, ...
#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "rattleback/expression/canonical.hpp"
#include "rattleback/expression/program.hpp"
#include "rattleback/problem/any_system.hpp"

namespace rattleback {

/// Immutable; series of it are computed on a SeriesTape.
class SeriesProgram {
 public:
  enum class Rule : std::uint8_t {
    constant,
    input,
    add,
    subtract,
    scale,  ///< number a
    multiply,
    divide,
    root,       ///< sqrt(a)
    power,      ///< a^number
    integral,   ///< c' = number a' b
    quotient,   ///< c' = number a'/b
    angle,      ///< c' = (a' b - b' a)/c: atan2(a, b), with c = a^2 + b^2
    magnitude,  ///< abs(a), or its sign where number is 0
  };
  struct Value {
    Rule rule;
    int a = -1, b = -1, c = -1;  ///< values; a is the index of an input
    double number = 1;
    Operation at_start = Operation::constant;  ///< of an integral or a quotient: c_0 = f(a_0)
    bool differs_in_number_only(const Value& o) const {
      return rule == o.rule && a == o.a && b == o.b && c == o.c && at_start == o.at_start;
    }
  };

  SeriesProgram() = default;
  explicit SeriesProgram(const Program& program);

  const std::vector<Value>& values() const { return values_; }
  /// f(array, index, value) for every result of the program.
  template <class F>
  void for_results(F&& f) const {
    for (const Program::Result& r : results_) f(r.array, r.index, r.value);
  }
  bool is_constant(int value) const { return values_[value].rule == Rule::constant; }
  /// The number of a value, in packs of every lane.
  template <class S>
  auto number(int value) const {
    if constexpr (detail::is_pack<S>) {
      if (lanes_ > 1) return detail::constant<S>(&lane_numbers_[value * lanes_], lanes_);
      return S(values_[value].number);
    } else {
      return Real<S>(values_[value].number);
    }
  }
  /// One program in each lane of a pack; throws ModelError where they differ in more than numbers.
  static SeriesProgram packed(std::span<const SeriesProgram* const> lanes);

 private:
  friend class SeriesWriter;
  std::vector<Value> values_;
  std::vector<Program::Result> results_;
  std::size_t lanes_ = 1;
  std::vector<double> lane_numbers_;  // of every lane, value by value
};

/// The coefficients of all values of a program.
template <class S>
class SeriesTape {
 public:
  using R = Real<S>;
  using Rule = SeriesProgram::Rule;

  SeriesTape(const SeriesProgram& program, int order)
      : program_(&program),
        stride_(order + 1),
        coefficients_(program.values().size() * (order + 1), S(R(0))) {
    for (std::size_t v = 0; v < program.values().size(); ++v)
      if (program.is_constant(static_cast<int>(v)))
        coefficients_[v * stride_] = S(program.number<S>(static_cast<int>(v)));
  }
  S* of(int value) { return coefficients_.data() + static_cast<std::size_t>(value) * stride_; }
  const S* of(int value) const {
    return coefficients_.data() + static_cast<std::size_t>(value) * stride_;
  }
  /// Coefficient k of every value, from those before and coefficient k of the inputs, which are
  /// set.
  void extend(int k) {
    S* c = coefficients_.data();
    const int count = static_cast<int>(program_->values().size());
    for (int v = 0; v < count; ++v, c += stride_) {
      const Rule rule = program_->values()[v].rule;
      if (rule != Rule::constant && rule != Rule::input)
        c[k] = k == 0 ? first(v) : coefficient(v, k, c);
    }
  }

 private:
  /// sum_{j=from}^{to} a_j b_{k-j}
  static S product(const S* a, const S* b, int k, int from, int to) {
    S sum(R(0));
    for (int j = from; j <= to; ++j) sum += a[j] * b[k - j];
    return sum;
  }
  /// The same of a' instead of a: sum_{j=from}^{to} j a_j b_{k-j}
  static S derived(const S* a, const S* b, int k, int from, int to) {
    S sum(R(0));
    for (int j = from; j <= to; ++j) sum += a[j] * b[k - j] * R(j);
    return sum;
  }
  S first(int value) const;
  S coefficient(int value, int k, const S* c) const;

  const SeriesProgram* program_;
  std::size_t stride_;
  std::vector<S> coefficients_;
};

template <class S>
S SeriesTape<S>::first(int value) const {
  using std::sqrt, std::atan2, std::abs;
  const SeriesProgram::Value& v = program_->values()[value];
  const S& a = of(v.a)[0];
  switch (v.rule) {
    case Rule::add:
      return a + of(v.b)[0];
    case Rule::subtract:
      return a - of(v.b)[0];
    case Rule::scale:
      return a * program_->number<S>(value);
    case Rule::multiply:
      return a * of(v.b)[0];
    case Rule::divide:
      return a / of(v.b)[0];
    case Rule::root:
      return S(sqrt(a));
    case Rule::power:
      return detail::general_power(a, S(program_->number<S>(value)), &v.number);
    case Rule::angle:
      return S(atan2(a, of(v.b)[0]));
    case Rule::magnitude:
      return v.number == 0 ? detail::apply_one(Operation::sign, a) : S(abs(a));
    default:  // integral and quotient
      if constexpr (detail::is_pack<S>)
        return detail::lane_by_lane<S>([&](double x) { return detail::apply_one(v.at_start, x); },
                                       a);
      else
        return detail::apply_one(v.at_start, a);
  }
}

template <class S>
S SeriesTape<S>::coefficient(int value, int k, const S* c) const {
  const SeriesProgram::Value& v = program_->values()[value];
  const S* a = of(v.a);
  const S* b = v.b < 0 ? a : of(v.b);
  switch (v.rule) {
    case Rule::add:
      return a[k] + b[k];
    case Rule::subtract:
      return a[k] - b[k];
    case Rule::scale:
      return a[k] * program_->number<S>(value);
    case Rule::multiply:
      return product(a, b, k, 0, k);
    case Rule::divide:
      return (a[k] - product(c, b, k, 0, k - 1)) / b[0];
    case Rule::root:
      return (a[k] - product(c, c, k, 1, k - 1)) / (c[0] * R(2));
    case Rule::power: {  // a c' = number a' c
      const S sum =
          derived(a, c, k, 1, k) * program_->number<S>(value) - derived(c, a, k, 1, k - 1);
      return sum / (a[0] * R(k));
    }
    case Rule::integral:
      return derived(a, b, k, 1, k) * (R(v.number) / R(k));
    case Rule::quotient:
      return (a[k] * R(v.number) - derived(c, b, k, 1, k - 1) / R(k)) / b[0];
    case Rule::angle: {
      const S* square = of(v.c);
      const S sum =
          derived(a, b, k, 1, k) - derived(b, a, k, 1, k) - derived(c, square, k, 1, k - 1);
      return sum / (square[0] * R(k));
    }
    default:  // magnitude
      return v.number == 0 ? S(R(0)) : a[k] * detail::apply_one(Operation::sign, a[0]);
  }
}

/// V_q and the nonzeros of G of a natural system with constraints on positions, as series.
struct SeriesField {
  struct Entry {
    int row, column, value;
  };
  int dimension = 0, constraints = 0;
  SeriesProgram program;
  std::vector<int> slope;         ///< the value of each component of V_q
  std::vector<Entry> entries;     ///< of G, row by row
  std::shared_ptr<long> calls{};  ///< counts coefficients; null: nobody does
};

SeriesField series_field(const CanonicalSystem& canonical);

}  // namespace rattleback

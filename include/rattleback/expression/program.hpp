// Expressions as straight-line code: every value is computed once, in an order that keeps what
// belongs together close. This byte code runs in any scalar type and is the reference that native
// code (native.hpp) is checked against, to the bit.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "rattleback/expression/graph.hpp"
#include "rattleback/problem/scalar.hpp"

namespace rattleback {

/// f(x, y) -> (a, b): two arrays in, two arrays out.
class Program {
 public:
  /// Values are numbered: constants first, then inputs, then instructions in order.
  struct Instruction {
    Operation operation;
    int a = -1, b = -1, c = -1;  ///< operands, as value numbers
    bool operator==(const Instruction&) const = default;
  };
  struct Input {
    int array;  ///< 0: x, 1: y
    int index;
    bool operator==(const Input&) const = default;
  };
  struct Output {
    int array;  ///< 0: a, 1: b
    int index;
    Expression expression;
  };

  Program() = default;
  /// Input k of the graph is x[k] for k < split, else y[k - split]. Outputs are computed in the
  /// order given.
  Program(const Graph& graph, int split, std::span<const Output> outputs);

  struct Result {
    int array, index, value;
    bool operator==(const Result&) const = default;
  };
  const std::vector<double>& constants() const { return constants_; }
  const std::vector<Input>& inputs() const { return inputs_; }
  const std::vector<Instruction>& instructions() const { return instructions_; }
  const std::vector<Result>& results() const { return results_; }
  int value_count() const {
    return static_cast<int>(constants_.size() + inputs_.size() + instructions_.size());
  }
  /// The value number of the first instruction.
  int first_instruction() const { return static_cast<int>(constants_.size() + inputs_.size()); }

  /// Whether the two differ in the values of their constants at most, exponents excepted.
  bool has_shape_of(const Program& other) const;

  template <class S>
  void run(const S* x, const S* y, S* a, S* b) const {
    run(constants_.data(), 1, x, y, a, b);
  }
  /// With constants of their own for every lane of S: those of constant k are the `lanes` numbers
  /// from k * lanes on.
  template <class S>
  void run(const double* constants, int lanes, const S* x, const S* y, S* a, S* b) const;

 private:
  std::vector<double> constants_;
  std::vector<Input> inputs_;
  std::vector<Instruction> instructions_;
  std::vector<Result> results_;
};

namespace detail {

template <class S>
inline constexpr bool is_pack = ScalarTraits<S>::lanes > 1 && !ScalarTraits<S>::is_dual;

/// f of every lane: the results of double, which vectorised functions do not give to the bit.
template <class S, class F, class... X>
S lane_by_lane(F&& f, const X&... x) {
  S result;
  for (int lane = 0; lane < ScalarTraits<S>::lanes; ++lane) result.set(lane, f(x[lane]...));
  return result;
}

template <class S>
S constant(const double* lanes, int count) {
  if constexpr (ScalarTraits<S>::is_dual) {
    return S(constant<Base<S>>(lanes, count));
  } else {
    S value(*lanes);
    if constexpr (is_pack<S>)
      for (int lane = 1; lane < count; ++lane) value.set(lane, lanes[lane]);
    return value;
  }
}

template <class T>
T sign(const T& x) {
  if constexpr (is_pack<T>)
    return lane_by_lane<T>([](double lane) { return sign(lane); }, x);
  else
    return T((x > T(0)) - (x < T(0)));
}

template <class S>
S apply_one(Operation operation, const S& a) {
  using std::atan, std::sinh, std::cosh, std::tanh, std::abs;
  using std::sqrt, std::exp, std::log, std::sin, std::cos, std::tan, std::asin, std::acos;
  switch (operation) {
    case Operation::negate:
      return S(-a);
    case Operation::sqrt:
      return S(sqrt(a));
    case Operation::exp:
      return S(exp(a));
    case Operation::log:
      return S(log(a));
    case Operation::sin:
      return S(sin(a));
    case Operation::cos:
      return S(cos(a));
    case Operation::tan:
      return S(tan(a));
    case Operation::asin:
      return S(asin(a));
    case Operation::acos:
      return S(acos(a));
    case Operation::atan:
      return S(atan(a));
    case Operation::sinh:
      return S(sinh(a));
    case Operation::cosh:
      return S(cosh(a));
    case Operation::tanh:
      return S(tanh(a));
    case Operation::abs:
      return S(abs(a));
    default:  // sign, which has no slope
      return S(sign(base(a)));
  }
}

template <class S>
S multiply_add(const S& a, const S& b, const S& c) {
  if constexpr (std::is_same_v<S, double>)
    return std::fma(a, b, c);
  else if constexpr (is_pack<S>)
    return lane_by_lane<S>([](double x, double y, double z) { return std::fma(x, y, z); }, a, b, c);
  else
    return S(a * b + c);
}

/// a^b; a constant exponent is passed as a number too, so that negative bases work.
template <class S>
S general_power(const S& a, const S& b, const double* constant) {
  using std::pow, std::exp, std::log;
  if constexpr (std::is_same_v<S, double>)
    return std::pow(a, b);
  else if constexpr (is_pack<S>)
    return lane_by_lane<S>([](double x, double y) { return std::pow(x, y); }, a, b);
  else
    return constant ? S(pow(a, *constant)) : S(exp(S(b * log(a))));
}

}  // namespace detail

template <class S>
void Program::run(const double* constants, int lanes, const S* x, const S* y, S* a, S* b) const {
  using std::atan2;
  thread_local std::vector<S> values;  // grows to the largest program of this thread
  if (values.size() < static_cast<std::size_t>(value_count())) values.resize(value_count());
  S* v = values.data();
  for (std::size_t k = 0; k < constants_.size(); ++k)
    *v++ = detail::constant<S>(constants + k * lanes, lanes);
  for (const Input& input : inputs_) *v++ = (input.array == 0 ? x : y)[input.index];
  const S* of = values.data();
  for (const Instruction& i : instructions_) {
    switch (i.operation) {
      case Operation::add:
        *v = S(of[i.a] + of[i.b]);
        break;
      case Operation::subtract:
        *v = S(of[i.a] - of[i.b]);
        break;
      case Operation::multiply:
        *v = S(of[i.a] * of[i.b]);
        break;
      case Operation::divide:
        *v = S(of[i.a] / of[i.b]);
        break;
      case Operation::multiply_add:
        *v = detail::multiply_add(of[i.a], of[i.b], of[i.c]);
        break;
      case Operation::subtract_product:
        *v = detail::multiply_add(S(-of[i.a]), of[i.b], of[i.c]);
        break;
      case Operation::multiply_subtract:
        *v = detail::multiply_add(of[i.a], of[i.b], S(-of[i.c]));
        break;
      case Operation::atan2:
        *v = S(atan2(of[i.a], of[i.b]));
        break;
      case Operation::power: {
        const bool is_constant = i.b < static_cast<int>(constants_.size());
        *v = detail::general_power(of[i.a], of[i.b], is_constant ? &constants_[i.b] : nullptr);
        break;
      }
      default:
        if constexpr (detail::is_pack<S>)
          *v = detail::lane_by_lane<S>(
              [&](double value) { return detail::apply_one(i.operation, value); }, of[i.a]);
        else
          *v = detail::apply_one(i.operation, of[i.a]);
    }
    ++v;
  }
  for (const Result& r : results_) (r.array == 0 ? a : b)[r.index] = of[r.value];
}

// The two that steps run in, compiled in program.cpp.
/// \cond
extern template void Program::run(const double*, int, const double*, const double*, double*,
                                  double*) const;
extern template void Program::run(const double*, int, const Pack*, const Pack*, Pack*, Pack*) const;
/// \endcond

}  // namespace rattleback

// Double-double numbers: an unevaluated sum of two doubles, about 32 digits in + - * / sqrt and the
// precision of double in the other elementary functions (their argument, though, is taken in full).
// For residuals whose cancellation would leave nothing but round-off.
#pragma once

#include <cmath>
#include <compare>
#include <type_traits>

#include "rattleback/problem/scalar.hpp"

namespace rattleback {

struct DoubleDouble {
  double high = 0, low = 0;

  DoubleDouble() = default;
  template <class A>
    requires std::is_arithmetic_v<A>
  DoubleDouble(A a) : high(static_cast<double>(a)) {}  // NOLINT: constants mix freely
  /// Any two doubles: the sum is renormalised.
  DoubleDouble(double a, double b) : high(a + b) {
    const double seen = high - a;
    low = (a - (high - seen)) + (b - seen);
  }
  explicit operator double() const { return high + low; }

  DoubleDouble operator-() const { return raw(-high, -low); }
  DoubleDouble operator+() const { return *this; }
  /// Exact to 1e-32 of the larger operand.
  friend DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
    const DoubleDouble s(a.high, b.high);
    return ordered(s.high, s.low + (a.low + b.low));
  }
  friend DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + (-b); }
  friend DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
    const double product = a.high * b.high;
    const double error = std::fma(a.high, b.high, -product);
    return ordered(product, error + (a.high * b.low + a.low * b.high));
  }
  friend DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
    const double first = a.high / b.high;
    return ordered(first, (a - b * DoubleDouble(first)).high / b.high);
  }
  DoubleDouble& operator+=(const DoubleDouble& o) { return *this = *this + o; }
  DoubleDouble& operator-=(const DoubleDouble& o) { return *this = *this - o; }
  DoubleDouble& operator*=(const DoubleDouble& o) { return *this = *this * o; }
  DoubleDouble& operator/=(const DoubleDouble& o) { return *this = *this / o; }

  friend bool operator==(const DoubleDouble& a, const DoubleDouble& b) {
    return a.high == b.high && a.low == b.low;
  }
  friend std::partial_ordering operator<=>(const DoubleDouble& a, const DoubleDouble& b) {
    const auto order = a.high <=> b.high;
    return order != 0 ? order : a.low <=> b.low;
  }

  /// f(high) + f'(high) low
  DoubleDouble chain(double f, double slope) const { return {f, slope * low}; }

 private:
  /// a + b where |a| >= |b|
  static DoubleDouble ordered(double a, double b) {
    const double sum = a + b;
    return raw(sum, b - (sum - a));
  }
  static DoubleDouble raw(double high, double low) {
    DoubleDouble r;
    r.high = high;
    r.low = low;
    return r;
  }
};

inline DoubleDouble abs(const DoubleDouble& x) { return x.high < 0 ? -x : x; }
inline bool isfinite(const DoubleDouble& x) { return std::isfinite(x.high); }
inline DoubleDouble sqrt(const DoubleDouble& x) {
  if (!(x.high > 0)) return {std::sqrt(x.high)};
  const double root = std::sqrt(x.high);
  return DoubleDouble(root) + DoubleDouble((x - DoubleDouble(root) * root).high / (2 * root));
}
#define RATTLEBACK_DOUBLE_DOUBLE_FUNCTION(name, slope) \
  inline DoubleDouble name(const DoubleDouble& x) {    \
    const double v = x.high, f = std::name(v);         \
    return x.chain(f, slope);                          \
  }
RATTLEBACK_DOUBLE_DOUBLE_FUNCTION(exp, f)
RATTLEBACK_DOUBLE_DOUBLE_FUNCTION(log, 1 / v)
RATTLEBACK_DOUBLE_DOUBLE_FUNCTION(sin, std::cos(v))
RATTLEBACK_DOUBLE_DOUBLE_FUNCTION(cos, -std::sin(v))
RATTLEBACK_DOUBLE_DOUBLE_FUNCTION(tan, 1 + f * f)
RATTLEBACK_DOUBLE_DOUBLE_FUNCTION(asin, 1 / std::sqrt(1 - v * v))
RATTLEBACK_DOUBLE_DOUBLE_FUNCTION(acos, -1 / std::sqrt(1 - v * v))
RATTLEBACK_DOUBLE_DOUBLE_FUNCTION(atan, 1 / (1 + v * v))
RATTLEBACK_DOUBLE_DOUBLE_FUNCTION(sinh, std::cosh(v))
RATTLEBACK_DOUBLE_DOUBLE_FUNCTION(cosh, std::sinh(v))
RATTLEBACK_DOUBLE_DOUBLE_FUNCTION(tanh, 1 - f * f)
#undef RATTLEBACK_DOUBLE_DOUBLE_FUNCTION

inline DoubleDouble atan2(const DoubleDouble& y, const DoubleDouble& x) {
  const double square = x.high * x.high + y.high * y.high;
  return {std::atan2(y.high, x.high), (x.high * y.low - y.high * x.low) / square};
}
inline DoubleDouble pow(const DoubleDouble& x, double n) {
  return n == 0 ? DoubleDouble(1) : x.chain(std::pow(x.high, n), n * std::pow(x.high, n - 1));
}

template <>
struct ScalarTraits<DoubleDouble> {
  using Base = DoubleDouble;
  using Real = DoubleDouble;
  static constexpr double epsilon = 4.93e-32;
  static constexpr int lanes = 1;
  static constexpr bool is_dual = false;
  static double magnitude(const DoubleDouble& x) { return std::abs(x.high); }
  static bool within(const DoubleDouble& x, double bound) { return magnitude(x) <= bound; }
  static bool beyond(const DoubleDouble& x, double bound) { return magnitude(x) > bound; }
  static double smallest(const DoubleDouble& x) { return x.high; }
  static DoubleDouble base(const DoubleDouble& x) { return x; }
};

}  // namespace rattleback

namespace Eigen {

template <>
struct NumTraits<rattleback::DoubleDouble>
    : rattleback::detail::RealNumTraits<rattleback::DoubleDouble, double, 2, 20, 9> {};
template <class BinaryOp>
struct ScalarBinaryOpTraits<rattleback::DoubleDouble, double, BinaryOp> {
  using ReturnType = rattleback::DoubleDouble;
};
template <class BinaryOp>
struct ScalarBinaryOpTraits<double, rattleback::DoubleDouble, BinaryOp> {
  using ReturnType = rattleback::DoubleDouble;
};

}  // namespace Eigen

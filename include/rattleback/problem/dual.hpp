// Dual numbers: a value and K partial derivatives, for automatic derivatives of templated
// functions. Partials of double are GCC vector extensions, so that one operation is one instruction
// or two.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <type_traits>

#include "rattleback/problem/scalar.hpp"

namespace rattleback {

namespace detail {

/// K partial derivatives of type T with componentwise arithmetic.
template <class T, int K>
struct Partials {
  std::array<T, K> d{};
  T& operator[](int i) { return d[i]; }
  const T& operator[](int i) const { return d[i]; }
  Partials& operator+=(const Partials& o) {
    for (int i = 0; i < K; ++i) d[i] += o.d[i];
    return *this;
  }
  Partials& operator-=(const Partials& o) {
    for (int i = 0; i < K; ++i) d[i] -= o.d[i];
    return *this;
  }
  template <class U>
  Partials scaled(const U& a) const {
    Partials r;
    for (int i = 0; i < K; ++i) r.d[i] = d[i] * a;
    return r;
  }
};

template <unsigned Width>
struct VectorOf;
template <>
struct VectorOf<2> {
  typedef double type RATTLEBACK_VECTOR(16);
};
template <>
struct VectorOf<4> {
  typedef double type RATTLEBACK_VECTOR(32);
};
template <>
struct VectorOf<8> {
  typedef double type RATTLEBACK_VECTOR(64);
};

template <int K>
  requires(K > 1 && K <= 8)
struct Partials<double, K> {
  using Lanes = typename VectorOf<std::bit_ceil(unsigned(K))>::type;
  Lanes d{};
  double& operator[](int i) { return reinterpret_cast<double*>(&d)[i]; }
  double operator[](int i) const { return d[i]; }
  Partials& operator+=(const Partials& o) {
    d += o.d;
    return *this;
  }
  Partials& operator-=(const Partials& o) {
    d -= o.d;
    return *this;
  }
  Partials scaled(double a) const { return {d * a}; }
};

}  // namespace detail

template <class T, int K>
struct Dual {
  T value{};
  detail::Partials<T, K> partials{};

  Dual() = default;
  Dual(const T& v) : value(v) {}  // NOLINT: constants mix freely with duals
  template <class A>
    requires(std::is_arithmetic_v<A> && !std::same_as<A, T>)
  Dual(A a) : value(static_cast<T>(a)) {}  // NOLINT
  Dual(const T& v, const detail::Partials<T, K>& d) : value(v), partials(d) {}

  /// The independent variable with index i.
  static Dual variable(const T& v, int i) {
    Dual x(v);
    x.partials[i] = T(1);
    return x;
  }

  /// f(value) with derivative slope: the chain rule.
  Dual chain(const T& f, const T& slope) const { return {f, partials.scaled(slope)}; }

  Dual operator-() const { return chain(-value, T(-1)); }
  Dual operator+() const { return *this; }
  Dual& operator+=(const Dual& o) {
    value += o.value;
    partials += o.partials;
    return *this;
  }
  Dual& operator-=(const Dual& o) {
    value -= o.value;
    partials -= o.partials;
    return *this;
  }
  Dual& operator*=(const Dual& o) { return *this = *this * o; }
  Dual& operator/=(const Dual& o) { return *this = *this / o; }

  friend Dual operator+(Dual a, const Dual& b) { return a += b; }
  friend Dual operator-(Dual a, const Dual& b) { return a -= b; }
  friend Dual operator*(const Dual& a, const Dual& b) {
    Dual r(a.value * b.value, a.partials.scaled(b.value));
    r.partials += b.partials.scaled(a.value);
    return r;
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const T inverse = T(1) / b.value;
    const T quotient = a.value * inverse;
    Dual r(quotient, a.partials.scaled(inverse));
    r.partials -= b.partials.scaled(T(quotient * inverse));
    return r;
  }

  friend Dual operator+(Dual a, const T& b) { return a.value += b, a; }
  friend Dual operator+(const T& a, Dual b) { return b.value += a, b; }
  friend Dual operator-(Dual a, const T& b) { return a.value -= b, a; }
  friend Dual operator-(const T& a, const Dual& b) { return b.chain(a - b.value, T(-1)); }
  friend Dual operator*(const Dual& a, const T& b) { return a.chain(a.value * b, b); }
  friend Dual operator*(const T& a, const Dual& b) { return b.chain(a * b.value, a); }
  friend Dual operator/(const Dual& a, const T& b) { return a * T(T(1) / b); }
  friend Dual operator/(const T& a, const Dual& b) {
    const T inverse = T(1) / b.value;
    return b.chain(a * inverse, -a * inverse * inverse);
  }

#define RATTLEBACK_DUAL_MIXED(op)                            \
  template <class A>                                         \
    requires(std::is_arithmetic_v<A> && !std::same_as<A, T>) \
  friend Dual operator op(const Dual& a, A b) {              \
    return a op static_cast<T>(b);                           \
  }                                                          \
  template <class A>                                         \
    requires(std::is_arithmetic_v<A> && !std::same_as<A, T>) \
  friend Dual operator op(A a, const Dual& b) {              \
    return static_cast<T>(a) op b;                           \
  }
  RATTLEBACK_DUAL_MIXED(+)
  RATTLEBACK_DUAL_MIXED(-)
  RATTLEBACK_DUAL_MIXED(*)
  RATTLEBACK_DUAL_MIXED(/)
#undef RATTLEBACK_DUAL_MIXED

  friend bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend auto operator<=>(const Dual& a, const Dual& b)
    requires requires(T x) {
      { x < x } -> std::convertible_to<bool>;
    }
  {
    return a.value < b.value    ? std::partial_ordering::less
           : a.value > b.value  ? std::partial_ordering::greater
           : a.value == b.value ? std::partial_ordering::equivalent
                                : std::partial_ordering::unordered;
  }
};

template <class S>
inline constexpr bool is_dual = false;
template <class T, int K>
inline constexpr bool is_dual<Dual<T, K>> = true;

template <class T, int K>
struct ScalarTraits<Dual<T, K>> {
  using Base = typename ScalarTraits<T>::Base;
  using Real = typename ScalarTraits<T>::Real;
  static constexpr double epsilon = ScalarTraits<T>::epsilon;
  static constexpr int lanes = ScalarTraits<T>::lanes;
  static constexpr bool is_dual = true;
  static double magnitude(const Dual<T, K>& x) {
    double m = ScalarTraits<T>::magnitude(x.value);
    for (int i = 0; i < K; ++i) m = larger(m, ScalarTraits<T>::magnitude(x.partials[i]));
    return m;
  }
  static bool within(const Dual<T, K>& x, double bound) { return magnitude(x) <= bound; }
  static bool beyond(const Dual<T, K>& x, double bound) {
    return ScalarTraits<T>::beyond(x.value, bound);
  }
  static double smallest(const Dual<T, K>& x) { return ScalarTraits<T>::smallest(x.value); }
  static Base base(const Dual<T, K>& x) { return ScalarTraits<T>::base(x.value); }
};

// Elementary functions, found by argument-dependent lookup: write sin(x), not std::sin(x).
#define RATTLEBACK_DUAL_FUNCTION(name, slope)         \
  template <class T, int K>                           \
  Dual<T, K> name(const Dual<T, K>& x) {              \
    using std::cos, std::sin, std::cosh, std::sinh;   \
    using std::sqrt, std::exp, std::log, std::tan;    \
    using std::asin, std::acos, std::atan, std::tanh; \
    const T v = x.value;                              \
    const T f = name(v);                              \
    return x.chain(f, slope);                         \
  }
RATTLEBACK_DUAL_FUNCTION(sqrt, T(T(0.5) / f))
RATTLEBACK_DUAL_FUNCTION(exp, f)
RATTLEBACK_DUAL_FUNCTION(log, T(T(1) / v))
RATTLEBACK_DUAL_FUNCTION(sin, T(cos(v)))
RATTLEBACK_DUAL_FUNCTION(cos, T(-sin(v)))
RATTLEBACK_DUAL_FUNCTION(tan, T(T(1) + f * f))
RATTLEBACK_DUAL_FUNCTION(asin, T(T(1) / sqrt(T(T(1) - v * v))))
RATTLEBACK_DUAL_FUNCTION(acos, T(T(-1) / sqrt(T(T(1) - v * v))))
RATTLEBACK_DUAL_FUNCTION(atan, T(T(1) / (T(1) + v * v)))
RATTLEBACK_DUAL_FUNCTION(sinh, T(cosh(v)))
RATTLEBACK_DUAL_FUNCTION(cosh, T(sinh(v)))
RATTLEBACK_DUAL_FUNCTION(tanh, T(T(1) - f * f))
#undef RATTLEBACK_DUAL_FUNCTION

template <class T, int K>
Dual<T, K> abs(const Dual<T, K>& x) {
  using std::abs;
  if constexpr (ScalarTraits<T>::lanes == 1)
    return x.value < T(0) ? -x : x;
  else
    return x.chain(abs(x.value), T(select(base(x.value) < Base<T>(0), Base<T>(-1), Base<T>(1))));
}

template <class T, int K>
Dual<T, K> atan2(const Dual<T, K>& y, const Dual<T, K>& x) {
  using std::atan2;
  const T r2 = x.value * x.value + y.value * y.value;
  Dual<T, K> r(atan2(y.value, x.value), y.partials.scaled(T(x.value / r2)));
  r.partials -= x.partials.scaled(T(y.value / r2));
  return r;
}

/// x^n for a constant real exponent.
template <class T, int K, class A>
  requires std::is_arithmetic_v<A>
Dual<T, K> pow(const Dual<T, K>& x, A n) {
  using std::pow;
  if (n == A(0)) return Dual<T, K>(T(1));
  const T lower = pow(x.value, n - A(1));
  return x.chain(pow(x.value, n), lower * static_cast<double>(n));
}

template <class T, int K>
bool isfinite(const Dual<T, K>& x) {
  return std::isfinite(magnitude(x));
}

}  // namespace rattleback

namespace Eigen {

template <class T, int K>
struct NumTraits<rattleback::Dual<T, K>>
    : rattleback::detail::RealNumTraits<rattleback::Dual<T, K>, T, K + 1, K + 1, 2 * K + 1> {};

template <class T, int K, class BinaryOp>
struct ScalarBinaryOpTraits<rattleback::Dual<T, K>, T, BinaryOp> {
  using ReturnType = rattleback::Dual<T, K>;
};
template <class T, int K, class BinaryOp>
struct ScalarBinaryOpTraits<T, rattleback::Dual<T, K>, BinaryOp> {
  using ReturnType = rattleback::Dual<T, K>;
};
template <class T, int K, class BinaryOp>
  requires(!std::same_as<T, double>)
struct ScalarBinaryOpTraits<rattleback::Dual<T, K>, double, BinaryOp> {
  using ReturnType = rattleback::Dual<T, K>;
};
template <class T, int K, class BinaryOp>
  requires(!std::same_as<T, double>)
struct ScalarBinaryOpTraits<double, rattleback::Dual<T, K>, BinaryOp> {
  using ReturnType = rattleback::Dual<T, K>;
};

}  // namespace Eigen

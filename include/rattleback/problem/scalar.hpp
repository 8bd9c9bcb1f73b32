// What every scalar type must tell the solvers. A step body is written once and runs with double,
// dual numbers, quad precision and SIMD packs; no branch depends on a value except through
// magnitude(), the largest absolute component over lanes and partials.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <limits>

namespace rattleback {

inline constexpr int dynamic = Eigen::Dynamic;

template <class S, int N>
using Vector = Eigen::Matrix<S, N, 1>;
template <class S, int R, int C = R>
using Matrix = Eigen::Matrix<S, R, C>;

/// Specialised next to each scalar type (dual.hpp, quad.hpp, pack.hpp).
///   Base       the scalar with duals stripped: what Newton matrices are made of
///   epsilon    unit round-off of one lane
///   lanes      how many independent copies one value carries
///   is_dual    whether values carry partial derivatives
template <class S>
struct ScalarTraits;

template <>
struct ScalarTraits<double> {
  using Base = double;
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();
  static constexpr int lanes = 1;
  static constexpr bool is_dual = false;
  static double magnitude(double x) { return std::abs(x); }
  static double base(double x) { return x; }
};

template <class S>
using Base = typename ScalarTraits<S>::Base;

template <class S>
inline constexpr double epsilon = ScalarTraits<S>::epsilon;

/// Largest absolute value over lanes and partial derivatives; not a number if any of them is.
template <class S>
double magnitude(const S& x) {
  return ScalarTraits<S>::magnitude(x);
}

/// The value without its partial derivatives.
template <class S>
decltype(auto) base(const S& x) {
  return ScalarTraits<S>::base(x);
}

/// max(a, b) that keeps a NaN from either side, so that a broken value is never lost.
inline double larger(double a, double b) { return a > b || std::isnan(a) ? a : b; }

template <class Derived>
double largest_magnitude(const Eigen::DenseBase<Derived>& v) {
  double m = 0;
  for (Eigen::Index j = 0; j < v.cols(); ++j)
    for (Eigen::Index i = 0; i < v.rows(); ++i) m = larger(m, magnitude(v.derived().coeff(i, j)));
  return m;
}

/// A phase point z = (q, p).
template <class S, int N = dynamic>
struct State {
  Vector<S, N> q;
  Vector<S, N> p;
};

}  // namespace rattleback

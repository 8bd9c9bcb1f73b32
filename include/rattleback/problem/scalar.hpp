// What every scalar type must tell the solvers. A step body is written once and runs with double,
// dual numbers, quad precision and SIMD packs; no branch depends on a value except through
// magnitude(), the largest absolute component over lanes and partials.
#pragma once

#include <cmath>
#include <limits>

#include "rattleback/problem/eigen.hpp"

/// For the bodies that a step of a small system consists of, where a call would cost more than the
/// work, and for loops that are vectorised with all that they call, the user's functions too. With
/// sanitizers functions stay small: of large ones g++ compares all variables with each other.
#ifdef __SANITIZE_ADDRESS__
#define RATTLEBACK_INLINE inline
#define RATTLEBACK_INLINE_LAMBDA
#define RATTLEBACK_PASS
#else
#define RATTLEBACK_INLINE [[gnu::always_inline]] inline
#define RATTLEBACK_INLINE_LAMBDA __attribute__((always_inline))
#define RATTLEBACK_PASS [[gnu::flatten]]
#endif

/// Before a loop whose turns do not depend on each other.
#ifdef __clang__
#define RATTLEBACK_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define RATTLEBACK_INDEPENDENT _Pragma("GCC ivdep")
#endif

/// A vector of doubles, aligned no more than Eigen aligns its storage (clang insists on it).
#define RATTLEBACK_VECTOR(bytes)                                                     \
  __attribute__((vector_size(bytes),                                                 \
                 aligned(bytes < EIGEN_MAX_ALIGN_BYTES || EIGEN_MAX_ALIGN_BYTES == 0 \
                             ? bytes                                                 \
                             : EIGEN_MAX_ALIGN_BYTES)))

namespace rattleback {

inline constexpr int dynamic = Eigen::Dynamic;

template <class S, int N>
using Vector = Eigen::Matrix<S, N, 1>;
template <class S, int R, int C = R>
using Matrix = Eigen::Matrix<S, R, C>;

template <int W>
class BasicPack;
/// What ensembles use: two registers full, so that each has work while the other waits.
#ifdef __AVX512DQ__
inline constexpr int pack_lanes = 16;
#else
inline constexpr int pack_lanes = 8;
#endif
using Pack = BasicPack<pack_lanes>;

/// Specialised next to each scalar type (dual.hpp, quad.hpp, pack.hpp).
///   Base       the scalar with duals stripped: what Newton matrices are made of
///   Real       one lane of it: what a step size is made of
///   epsilon    unit round-off of one lane
///   lanes      how many independent copies one value carries
///   is_dual    whether values carry partial derivatives
template <class S>
struct ScalarTraits;

namespace detail {

/// What Eigen must know of a scalar that stands for a real number, or for several: it takes the
/// place of Ordinary, at these costs.
template <class S, class Ordinary, int Read = 1, int Add = 1, int Multiply = 1>
struct RealNumTraits : Eigen::GenericNumTraits<Ordinary> {
  using Real = S;
  using NonInteger = S;
  using Nested = S;
  using Literal = S;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = Read,
    AddCost = Add,
    MulCost = Multiply
  };
};

}  // namespace detail

template <>
struct ScalarTraits<double> {
  using Base = double;
  using Real = double;
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();
  static constexpr int lanes = 1;
  static constexpr bool is_dual = false;
  static double magnitude(double x) { return std::abs(x); }
  static bool within(double x, double bound) { return std::abs(x) <= bound; }
  static bool beyond(double x, double bound) { return std::abs(x) > bound; }
  static double smallest(double x) { return x; }
  static double base(double x) { return x; }
};

template <class S>
using Base = typename ScalarTraits<S>::Base;

template <class S>
using Real = typename ScalarTraits<S>::Real;

template <class S>
inline constexpr double epsilon = ScalarTraits<S>::epsilon;

/// Largest absolute value over lanes and partial derivatives; not a number if any of them is.
template <class S>
double magnitude(const S& x) {
  return ScalarTraits<S>::magnitude(x);
}

/// The smallest value over all lanes.
template <class S>
double smallest(const S& x) {
  return ScalarTraits<S>::smallest(x);
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

/// Whether every component of v is at most `bound` in absolute value; false for what is not a
/// number. One compare per pack, so cheaper than largest_magnitude(v) <= bound.
template <class Derived>
bool within(const Eigen::DenseBase<Derived>& v, double bound) {
  using S = typename Derived::Scalar;
  bool all = true;
  for (Eigen::Index i = 0; i < v.rows(); ++i)
    all &= ScalarTraits<S>::within(v.derived().coeff(i, 0), bound);
  return all;
}

/// Whether |x| > bound in every lane: usable as a pivot.
template <class S>
bool beyond(const S& x, double bound) {
  return ScalarTraits<S>::beyond(x, bound);
}

/// A phase point z = (q, p).
template <class S, int N = dynamic>
struct State {
  Vector<S, N> q;
  Vector<S, N> p;
};

}  // namespace rattleback

// SIMD packs: eight independent copies of a system in one value.
#pragma once

#include <experimental/simd>

#include "rattleback/problem/scalar.hpp"

namespace rattleback {

using Pack = std::experimental::fixed_size_simd<double, 8>;

template <>
struct ScalarTraits<Pack> {
  using Base = Pack;
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();
  static constexpr int lanes = 8;
  static constexpr bool is_dual = false;
  static double magnitude(const Pack& x) {
    // A lane that is not a number makes the whole pack not a number.
    if (std::experimental::any_of(x != x)) return std::numeric_limits<double>::quiet_NaN();
    return std::experimental::hmax(std::experimental::abs(x));
  }
  static Pack base(const Pack& x) { return x; }
};

}  // namespace rattleback

namespace Eigen {

template <>
struct NumTraits<rattleback::Pack> : GenericNumTraits<double> {
  using Real = rattleback::Pack;
  using NonInteger = Real;
  using Nested = Real;
  using Literal = Real;
  enum { IsComplex = 0, IsInteger = 0, IsSigned = 1, RequireInitialization = 1 };
};
template <class BinaryOp>
struct ScalarBinaryOpTraits<rattleback::Pack, double, BinaryOp> {
  using ReturnType = rattleback::Pack;
};
template <class BinaryOp>
struct ScalarBinaryOpTraits<double, rattleback::Pack, BinaryOp> {
  using ReturnType = rattleback::Pack;
};

}  // namespace Eigen

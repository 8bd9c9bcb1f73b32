// Quad precision (33 digits): the same step bodies, as truth in tests.
#pragma once

#include <boost/multiprecision/eigen.hpp>
#include <boost/multiprecision/float128.hpp>

#include "rattleback/problem/scalar.hpp"

namespace rattleback {

using Quad = boost::multiprecision::float128;

template <>
struct ScalarTraits<Quad> {
  using Base = Quad;
  using Real = Quad;
  static constexpr double epsilon = 1.92592994438723585305597794258492732e-34;
  static constexpr int lanes = 1;
  static constexpr bool is_dual = false;
  static double magnitude(const Quad& x) { return static_cast<double>(abs(x)); }
  static bool within(const Quad& x, double bound) { return magnitude(x) <= bound; }
  static bool beyond(const Quad& x, double bound) { return magnitude(x) > bound; }
  static double smallest(const Quad& x) { return static_cast<double>(x); }
  static Quad base(const Quad& x) { return x; }
};

}  // namespace rattleback

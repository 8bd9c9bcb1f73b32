// R^n with addition.
#pragma once

#include "rattleback/lie/lie_group.hpp"

namespace rattleback::lie {

template <class S, int N>
struct Euclidean {
  using Scalar = S;
  using Algebra = Vector<S, N>;
  using Tangent = Matrix<S, N>;
  static constexpr int dimension = N;

  Algebra x = Algebra::Constant(S(0));

  friend Euclidean operator*(const Euclidean& a, const Euclidean& b) { return {a.x + b.x}; }
  Euclidean inverse() const { return {-x}; }
  Euclidean normalized() const { return *this; }
  /// Translations of affine space.
  Matrix<S, N + 1> matrix() const {
    Matrix<S, N + 1> m = Matrix<S, N + 1>::Identity();
    m.template topRightCorner<N, 1>() = x;
    return m;
  }
  static Matrix<S, N + 1> hat(const Algebra& xi) {
    Matrix<S, N + 1> m = Matrix<S, N + 1>::Constant(S(0));
    m.template topRightCorner<N, 1>() = xi;
    return m;
  }
  Tangent Ad() const { return Tangent::Identity(); }
  static Tangent ad(const Algebra&) { return Tangent::Constant(S(0)); }
  static Euclidean exp(const Algebra& xi) { return {xi}; }
  static Euclidean cay(const Algebra& xi) { return {xi}; }
  static Tangent dexp(const Algebra&) { return Tangent::Identity(); }
  static Tangent dexp_inverse(const Algebra&) { return Tangent::Identity(); }
  static Tangent dcay(const Algebra&) { return Tangent::Identity(); }
  static Tangent dcay_inverse(const Algebra&) { return Tangent::Identity(); }
};

}  // namespace rattleback::lie

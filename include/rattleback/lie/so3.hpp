// Rotations of space, as unit quaternions.
#pragma once

#include <cmath>

#include "rattleback/lie/lie_group.hpp"
#include "rattleback/lie/rotation_series.hpp"

namespace rattleback::lie {

template <class S>
struct SO3 {
  using Scalar = S;
  using Algebra = Vector<S, 3>;
  using Tangent = Matrix<S, 3>;
  static constexpr int dimension = 3;

  S w = S(1);
  Vector<S, 3> v = Vector<S, 3>::Constant(S(0));

  friend SO3 operator*(const SO3& a, const SO3& b) {
    return {a.w * b.w - a.v.dot(b.v), a.w * b.v + b.w * a.v + cross(a.v, b.v)};
  }
  SO3 inverse() const { return {w, -v}; }
  /// One Newton step to |q| = 1: products leave it by round-off only.
  SO3 normalized() const {
    const S scale = Real<S>(1.5) - Real<S>(0.5) * (w * w + v.squaredNorm());
    return {w * scale, v * scale};
  }
  /// R x. Of a quaternion that is not quite of unit length, as matrix() has it.
  Vector<S, 3> operator()(const Vector<S, 3>& x) const {
    const Vector<S, 3> y = Real<S>(2) * cross(v, x);
    return x + w * y + cross(v, y);
  }
  Matrix<S, 3> matrix() const {
    const Matrix<S, 3> k = cross_matrix(v);
    return Matrix<S, 3>::Identity() + (Real<S>(2) * w) * k + Real<S>(2) * (k * k);
  }
  static Matrix<S, 3> hat(const Algebra& xi) { return cross_matrix(xi); }
  Tangent Ad() const { return matrix(); }
  static Tangent ad(const Algebra& xi) { return cross_matrix(xi); }

  static SO3 exp(const Algebra& xi) {
    const S quarter = Real<S>(0.25) * xi.squaredNorm();
    const RotationSeries<S> half(quarter);
    return {Real<S>(1) - quarter * half.b, (Real<S>(0.5) * half.a) * xi};
  }
  /// I + b xi^ + c xi^^2
  static Tangent dexp(const Algebra& xi) {
    const RotationSeries<S> s(xi.squaredNorm());
    const Matrix<S, 3> k = cross_matrix(xi);
    return Matrix<S, 3>::Identity() + s.b * k + s.c * (k * k);
  }
  static Tangent dexp_inverse(const Algebra& xi) {
    const RotationSeries<S> s(xi.squaredNorm());
    const Matrix<S, 3> k = cross_matrix(xi);
    return Matrix<S, 3>::Identity() - Real<S>(0.5) * k + s.inverse() * (k * k);
  }
  static SO3 cay(const Algebra& xi) {
    using std::sqrt;
    const S scale = S(1) / sqrt(S(Real<S>(1) + Real<S>(0.25) * xi.squaredNorm()));
    return {scale, (Real<S>(0.5) * scale) * xi};
  }
  static Tangent dcay(const Algebra& xi) {
    const S scale = S(1) / (Real<S>(1) + Real<S>(0.25) * xi.squaredNorm());
    return scale * (Matrix<S, 3>::Identity() + Real<S>(0.5) * cross_matrix(xi));
  }
  static Tangent dcay_inverse(const Algebra& xi) {
    return Matrix<S, 3>::Identity() - Real<S>(0.5) * cross_matrix(xi) +
           Real<S>(0.25) * (xi * xi.transpose());
  }
};

/// The shortest xi with exp(xi) = g, |xi| <= pi.
inline Vector<double, 3> log(const SO3<double>& g) {
  const double sine = g.v.norm(), sign = g.w < 0 ? -1 : 1;
  if (sine == 0) return Vector<double, 3>::Zero();
  return (2 * sign * std::atan2(sine, std::abs(g.w)) / sine) * g.v;
}

/// Of a rotation matrix; one that is none by round-off gives a unit quaternion all the same.
inline SO3<double> rotation(const Matrix<double, 3>& r) {
  // The largest of the four squares is at least 1/4: no cancellation in what is divided by.
  const double squares[4] = {1 + r.trace(), 1 + 2 * r(0, 0) - r.trace(),
                             1 + 2 * r(1, 1) - r.trace(), 1 + 2 * r(2, 2) - r.trace()};
  int largest = 0;
  for (int k = 1; k < 4; ++k)
    if (squares[k] > squares[largest]) largest = k;
  SO3<double> g;
  const Vector<double, 3> odd(r(2, 1) - r(1, 2), r(0, 2) - r(2, 0), r(1, 0) - r(0, 1));
  if (largest == 0) {
    g = {squares[0], odd};
  } else {
    const int i = largest - 1, j = (i + 1) % 3, k = (i + 2) % 3;
    g.w = odd[i];
    g.v[i] = squares[largest], g.v[j] = r(i, j) + r(j, i), g.v[k] = r(i, k) + r(k, i);
  }
  const double scale = (g.w < 0 ? -1 : 1) / std::sqrt(g.w * g.w + g.v.squaredNorm());
  return {g.w * scale, g.v * scale};
}

}  // namespace rattleback::lie

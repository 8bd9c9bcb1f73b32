// Rigid motions of space, (R, x) -> R . + x. Algebra: the angular velocity, then the velocity.
#pragma once

#include "rattleback/lie/so3.hpp"

namespace rattleback::lie {

template <class S>
struct SE3 {
  using Scalar = S;
  using Algebra = Vector<S, 6>;
  using Tangent = Matrix<S, 6>;
  static constexpr int dimension = 6;

  SO3<S> r{};
  Vector<S, 3> x = Vector<S, 3>::Constant(S(0));

  friend SE3 operator*(const SE3& a, const SE3& b) { return {a.r * b.r, a.r(b.x) + a.x}; }
  SE3 inverse() const {
    const SO3<S> back = r.inverse();
    return {back, -back(x)};
  }
  SE3 normalized() const { return {r.normalized(), x}; }
  Matrix<S, 4> matrix() const {
    Matrix<S, 4> m = Matrix<S, 4>::Identity();
    m.template topLeftCorner<3, 3>() = r.matrix();
    m.template topRightCorner<3, 1>() = x;
    return m;
  }
  static Matrix<S, 4> hat(const Algebra& xi) {
    Matrix<S, 4> m = Matrix<S, 4>::Constant(S(0));
    m.template topLeftCorner<3, 3>() = cross_matrix(turn(xi));
    m.template topRightCorner<3, 1>() = shift(xi);
    return m;
  }
  Tangent Ad() const {
    const Matrix<S, 3> m = r.matrix();
    return lower(m, cross_matrix(x) * m, m);
  }
  static Tangent ad(const Algebra& xi) {
    const Matrix<S, 3> k = cross_matrix(turn(xi));
    return lower(k, cross_matrix(shift(xi)), k);
  }

  static SE3 exp(const Algebra& xi) {
    return {SO3<S>::exp(turn(xi)), SO3<S>::dexp(turn(xi)) * shift(xi)};
  }
  static Tangent dexp(const Algebra& xi) {
    const Matrix<S, 3> j = SO3<S>::dexp(turn(xi));
    return lower(j, coupling(xi), j);
  }
  static Tangent dexp_inverse(const Algebra& xi) {
    const Matrix<S, 3> j = SO3<S>::dexp_inverse(turn(xi));
    return lower(j, -(j * coupling(xi) * j), j);
  }
  static SE3 cay(const Algebra& xi) {
    return {SO3<S>::cay(turn(xi)), cayley_factor(turn(xi)) * shift(xi)};
  }
  static Tangent dcay(const Algebra& xi) {
    const Matrix<S, 3> j = SO3<S>::dcay(turn(xi));
    return lower(j, Real<S>(0.5) * (cross_matrix(shift(xi)) * j), cayley_factor(turn(xi)));
  }
  static Tangent dcay_inverse(const Algebra& xi) {
    const Matrix<S, 3> n = Matrix<S, 3>::Identity() - Real<S>(0.5) * cross_matrix(turn(xi));
    return lower(SO3<S>::dcay_inverse(turn(xi)), Real<S>(-0.5) * (n * cross_matrix(shift(xi))), n);
  }

 private:
  static Vector<S, 3> turn(const Algebra& xi) { return xi.template head<3>(); }
  static Vector<S, 3> shift(const Algebra& xi) { return xi.template tail<3>(); }
  static Tangent lower(const Matrix<S, 3>& turns, const Matrix<S, 3>& mixed,
                       const Matrix<S, 3>& shifts) {
    Tangent m;
    m.template topLeftCorner<3, 3>() = turns;
    m.template topRightCorner<3, 3>().setConstant(S(0));
    m.template bottomLeftCorner<3, 3>() = mixed;
    m.template bottomRightCorner<3, 3>() = shifts;
    return m;
  }
  /// The derivative of dexp(turn) in the direction of the shift.
  static Matrix<S, 3> coupling(const Algebra& xi) {
    const Matrix<S, 3> k = cross_matrix(turn(xi)), v = cross_matrix(shift(xi));
    const RotationSeries<S> s(turn(xi).squaredNorm());
    const Matrix<S, 3> kv = k * v, vk = v * k, kvk = kv * k;
    return Real<S>(0.5) * v + s.c * (kv + vk + kvk) + s.f * (k * kv + vk * k - Real<S>(3) * kvk) +
           s.screw() * (kvk * k + k * kvk);
  }
  /// (1 - turn^/2)^-1
  static Matrix<S, 3> cayley_factor(const Vector<S, 3>& w) {
    const S scale = S(1) / (Real<S>(1) + Real<S>(0.25) * w.squaredNorm());
    return scale * (Matrix<S, 3>::Identity() + Real<S>(0.5) * cross_matrix(w) +
                    Real<S>(0.25) * (w * w.transpose()));
  }
};

}  // namespace rattleback::lie

// SO(2), as unit complex numbers, and SE(2). Algebra of SE(2): the turn, then the velocity.
#pragma once

#include <cmath>

#include "rattleback/lie/se3.hpp"

namespace rattleback::lie {

template <class S>
struct SO2 {
  using Scalar = S;
  using Algebra = Vector<S, 1>;
  using Tangent = Matrix<S, 1>;
  static constexpr int dimension = 1;

  S c = S(1), s = S(0);

  friend SO2 operator*(const SO2& a, const SO2& b) {
    return {a.c * b.c - a.s * b.s, a.s * b.c + a.c * b.s};
  }
  SO2 inverse() const { return {c, -s}; }
  SO2 normalized() const {
    const S scale = Real<S>(1.5) - Real<S>(0.5) * (c * c + s * s);
    return {c * scale, s * scale};
  }
  Vector<S, 2> operator()(const Vector<S, 2>& x) const {
    return {c * x[0] - s * x[1], s * x[0] + c * x[1]};
  }
  Matrix<S, 2> matrix() const {
    Matrix<S, 2> m;
    m << c, -s, s, c;
    return m;
  }
  static Matrix<S, 2> hat(const Algebra& xi) {
    Matrix<S, 2> m;
    m << S(0), -xi[0], xi[0], S(0);
    return m;
  }
  Tangent Ad() const { return Tangent::Identity(); }
  static Tangent ad(const Algebra&) { return Tangent::Constant(S(0)); }
  static SO2 exp(const Algebra& xi) {
    const S t = xi[0] * xi[0];
    const RotationSeries<S> series(t);
    return {Real<S>(1) - t * series.b, series.a * xi[0]};
  }
  static Tangent dexp(const Algebra&) { return Tangent::Identity(); }
  static Tangent dexp_inverse(const Algebra&) { return Tangent::Identity(); }
  static SO2 cay(const Algebra& xi) {
    const S quarter = Real<S>(0.25) * xi[0] * xi[0], scale = S(1) / (Real<S>(1) + quarter);
    return {(Real<S>(1) - quarter) * scale, xi[0] * scale};
  }
  static Tangent dcay(const Algebra& xi) {
    return Tangent::Constant(S(1) / (Real<S>(1) + Real<S>(0.25) * xi[0] * xi[0]));
  }
  static Tangent dcay_inverse(const Algebra& xi) {
    return Tangent::Constant(Real<S>(1) + Real<S>(0.25) * xi[0] * xi[0]);
  }
};

/// Its tangents are those of SE(3) about the third axis.
template <class S>
struct SE2 {
  using Scalar = S;
  using Algebra = Vector<S, 3>;
  using Tangent = Matrix<S, 3>;
  static constexpr int dimension = 3;

  SO2<S> r{};
  Vector<S, 2> x = Vector<S, 2>::Constant(S(0));

  friend SE2 operator*(const SE2& a, const SE2& b) { return {a.r * b.r, a.r(b.x) + a.x}; }
  SE2 inverse() const {
    const SO2<S> back = r.inverse();
    return {back, -back(x)};
  }
  SE2 normalized() const { return {r.normalized(), x}; }
  Matrix<S, 3> matrix() const {
    Matrix<S, 3> m = Matrix<S, 3>::Identity();
    m.template topLeftCorner<2, 2>() = r.matrix();
    m.template topRightCorner<2, 1>() = x;
    return m;
  }
  static Matrix<S, 3> hat(const Algebra& xi) {
    Matrix<S, 3> m = Matrix<S, 3>::Constant(S(0));
    m(0, 1) = -xi[0], m(1, 0) = xi[0], m(0, 2) = xi[1], m(1, 2) = xi[2];
    return m;
  }
  Tangent Ad() const {
    Tangent m = Tangent::Identity();
    m(1, 0) = x[1], m(2, 0) = -x[0];
    m.template bottomRightCorner<2, 2>() = r.matrix();
    return m;
  }
  static Tangent ad(const Algebra& xi) {
    Tangent m = Tangent::Constant(S(0));
    m(1, 0) = xi[2], m(2, 0) = -xi[1], m(1, 2) = -xi[0], m(2, 1) = xi[0];
    return m;
  }
  static SE2 exp(const Algebra& xi) { return flat(SE3<S>::exp(raised(xi)), SO2<S>::exp(turn(xi))); }
  static SE2 cay(const Algebra& xi) { return flat(SE3<S>::cay(raised(xi)), SO2<S>::cay(turn(xi))); }
  static Tangent dexp(const Algebra& xi) { return middle(SE3<S>::dexp(raised(xi))); }
  static Tangent dexp_inverse(const Algebra& xi) {
    return middle(SE3<S>::dexp_inverse(raised(xi)));
  }
  static Tangent dcay(const Algebra& xi) { return middle(SE3<S>::dcay(raised(xi))); }
  static Tangent dcay_inverse(const Algebra& xi) {
    return middle(SE3<S>::dcay_inverse(raised(xi)));
  }

 private:
  static Vector<S, 1> turn(const Algebra& xi) { return Vector<S, 1>::Constant(xi[0]); }
  static Vector<S, 6> raised(const Algebra& xi) {
    Vector<S, 6> all = Vector<S, 6>::Constant(S(0));
    all.template segment<3>(2) = xi;
    return all;
  }
  static SE2 flat(const SE3<S>& g, const SO2<S>& r) { return {r, g.x.template head<2>()}; }
  static Tangent middle(const Matrix<S, 6>& m) { return m.template block<3, 3>(2, 2); }
};

}  // namespace rattleback::lie

// The functions of an angle x that rotations and their derivatives are made of, from t = x^2:
//
//   a = sin x / x                  b = (1 - cos x) / x^2        c = (x - sin x) / x^3
//   f = (1/2 - b) / x^2            p = (1/6 - c) / x^2          q = (1/24 - f) / x^2
//
// Closed forms cancel near zero: all digits of q are gone at x = 0.002. Here p and q are summed at
// x/16 and the angle is doubled four times, by formulas without cancellation. No branch depends on
// the angle, so that packs and dual numbers have the same path, and no root is taken, so that
// derivatives at zero are as exact as elsewhere. Full accuracy up to 4 pi.
#pragma once

#include "rattleback/problem/scalar.hpp"

namespace rattleback::lie {

template <class S>
struct RotationSeries {
  S a, b, c, f, p, q;

  explicit RotationSeries(const S& t) {
    constexpr int doublings = 4;
    S at = t * (Real<S>(1) / Real<S>(1 << (2 * doublings)));
    sum(at);
    for (int k = 0; k < doublings; ++k) {
      *this = doubled(at);
      at = at * Real<S>(4);
    }
  }

  /// Of the tangent of exp and of its inverse: (1 - (x/2) cot(x/2)) / x^2, and its slope in t.
  S inverse() const { return (c - Real<S>(2) * f) / (Real<S>(2) * b); }
  S inverse_slope() const {
    const S d = inverse(), half = Real<S>(0.5) * (Real<S>(3) * p - f);
    return (half + p - Real<S>(4) * q + Real<S>(2) * b * d * d) / (Real<S>(2) * b);
  }
  /// (2x - 3 sin x + x cos x) / (2 x^5), of screws.
  S screw() const { return Real<S>(0.5) * (f - Real<S>(3) * p); }

  /// At twice the angle; t is that of the angle itself.
  RotationSeries doubled(const S& t) const {
    RotationSeries r = *this;
    r.a = a * (Real<S>(1) - t * b);
    r.b = Real<S>(0.5) * a * a;
    r.c = Real<S>(0.25) * (c + a * b);
    r.f = Real<S>(0.125) * c * (Real<S>(1) + a);
    r.p = (Real<S>(1) / Real<S>(16)) * (p + f * a + Real<S>(0.5) * c);
    r.q = (Real<S>(1) / Real<S>(32)) * (Real<S>(2) * p + c * c);
    return r;
  }

 private:
  /// Terms whose first one left out is below round-off at x = 4 pi / 16.
  static constexpr int terms = epsilon<S> < 1e-20 ? 15 : 8;

  void sum(const S& t) {
    S odd(1), even(1);
    for (int n = terms; n > 0; --n) {
      odd = Real<S>(1) - odd * t * (Real<S>(1) / Real<S>((2 * n + 4) * (2 * n + 5)));
      even = Real<S>(1) - even * t * (Real<S>(1) / Real<S>((2 * n + 5) * (2 * n + 6)));
    }
    p = odd * (Real<S>(1) / Real<S>(120)), q = even * (Real<S>(1) / Real<S>(720));
    c = Real<S>(1) / Real<S>(6) - t * p, f = Real<S>(1) / Real<S>(24) - t * q;
    a = Real<S>(1) - t * c, b = Real<S>(0.5) - t * f;
  }
};

template <class S>
Vector<S, 3> cross(const Vector<S, 3>& a, const Vector<S, 3>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// The matrix of v x.
template <class S>
Matrix<S, 3> cross_matrix(const Vector<S, 3>& v) {
  Matrix<S, 3> m;
  m << S(0), -v[2], v[1], v[2], S(0), -v[0], -v[1], v[0], S(0);
  return m;
}

}  // namespace rattleback::lie

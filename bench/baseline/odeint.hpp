// Boost.Odeint's Runge-Kutta-Fehlberg 7(8) at fixed steps on the index-1 equations of a constrained
// system, projected onto g = 0 and G p = 0 after every step: what one would take instead of us.
//
//   q' = p,   p' = f - G^T lambda,   G G^T lambda = G f + g_qq(p, p)
#pragma once

#include <array>
#include <boost/numeric/odeint.hpp>
#include <cmath>

namespace baseline {

namespace odeint = boost::numeric::odeint;

/// A particle of unit mass on one surface. P has force(q), g(q), gradient(q) and curvature(q, v).
template <class P, class R = double>
class OnSurface {
 public:
  static constexpr std::size_t n = P::dimension;
  using Point = std::array<R, n>;
  using State = std::array<R, 2 * n>;

  static void run(State& y, R time, long steps) {
    const R h = time / static_cast<R>(steps);
    odeint::runge_kutta_fehlberg78<State, R, State, R> stepper;
    for (long k = 0; k < steps; ++k) {
      stepper.do_step(field, y, static_cast<R>(k) * h, h);
      project(y);
    }
  }

 private:
  static R dot(const Point& a, const Point& b) {
    R sum = a[0] * b[0];
    for (std::size_t i = 1; i < n; ++i) sum += a[i] * b[i];
    return sum;
  }
  static void split(const State& y, Point& q, Point& p) {
    for (std::size_t i = 0; i < n; ++i) q[i] = y[i], p[i] = y[n + i];
  }
  static void field(const State& y, State& out, R) {
    Point q, p;
    split(y, q, p);
    const Point e = P::gradient(q), f = P::force(q);
    const R lambda = (dot(e, f) + P::curvature(q, p)) / dot(e, e);
    for (std::size_t i = 0; i < n; ++i) out[i] = p[i], out[n + i] = f[i] - lambda * e[i];
  }
  static void project(State& y) {
    Point q, p;
    split(y, q, p);
    const Point e0 = P::gradient(q);
    for (int k = 0; k < 10; ++k) {
      const R g = P::g(q);
      if (std::abs(g) < 4 * std::numeric_limits<R>::epsilon()) break;
      const R step = g / dot(P::gradient(q), e0);
      for (std::size_t i = 0; i < n; ++i) q[i] -= step * e0[i];
    }
    const Point e = P::gradient(q);
    const R mu = dot(e, p) / dot(e, e);
    for (std::size_t i = 0; i < n; ++i) y[i] = q[i], y[n + i] = p[i] - mu * e[i];
  }
};

}  // namespace baseline

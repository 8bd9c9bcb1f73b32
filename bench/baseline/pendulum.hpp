// RATTLE for the planar pendulum as one would write it by hand, for this one problem.
#pragma once

#include <cmath>

namespace baseline {

/// With the multiplier known: the last kick, and the momentum along the circle.
[[gnu::always_inline]] inline void arrive(double& q0, double& q1, double& p0, double& p1,
                                          double ph0, double ph1, double n0, double n1, double mu,
                                          double h) {
  const double r = mu / h;
  ph0 -= r * q0;
  ph1 -= r * q1;
  ph1 -= 0.5 * h;
  const double s = (n0 * ph0 + n1 * ph1) / (n0 * n0 + n1 * n1);
  p0 = ph0 - s * n0;
  p1 = ph1 - s * n1;
  q0 = n0;
  q1 = n1;
}

/// Newton on the multiplier until |g| < tolerance; one step. Returns the iterations.
[[gnu::always_inline]] inline int pendulum_newton(double& q0, double& q1, double& p0, double& p1,
                                                  double h, double tolerance) {
  double ph0 = p0, ph1 = p1 - 0.5 * h;
  double n0 = q0 + h * ph0, n1 = q1 + h * ph1, mu = 0;
  int k = 0;
  for (; k < 50; ++k) {
    const double g = 0.5 * (n0 * n0 + n1 * n1 - 1);
    if (std::fabs(g) < tolerance) break;
    const double d = g / (n0 * q0 + n1 * q1);
    mu += d;
    n0 -= d * q0;
    n1 -= d * q1;
  }
  arrive(q0, q1, p0, p1, ph0, ph1, n0, n1, mu, h);
  return k;
}

/// Three iterations always, so that the loop over copies has no branch.
[[gnu::always_inline]] inline void pendulum_newton3(double& q0, double& q1, double& p0, double& p1,
                                                    double h) {
  double ph0 = p0, ph1 = p1 - 0.5 * h;
  double n0 = q0 + h * ph0, n1 = q1 + h * ph1, mu = 0;
  for (int k = 0; k < 3; ++k) {
    const double g = 0.5 * (n0 * n0 + n1 * n1 - 1), d = g / (n0 * q0 + n1 * q1);
    mu += d;
    n0 -= d * q0;
    n1 -= d * q1;
  }
  arrive(q0, q1, p0, p1, ph0, ph1, n0, n1, mu, h);
}

/// The multiplier of this one problem solves a quadratic equation.
[[gnu::always_inline]] inline void pendulum_closed_form(double& q0, double& q1, double& p0,
                                                        double& p1, double h) {
  double ph0 = p0, ph1 = p1 - 0.5 * h;
  const double w0 = q0 + h * ph0, w1 = q1 + h * ph1;
  const double b = w0 * q0 + w1 * q1, c = w0 * w0 + w1 * w1 - 1, qq = q0 * q0 + q1 * q1;
  const double mu = c / (b + std::sqrt(b * b - qq * c));
  const double n0 = w0 - mu * q0, n1 = w1 - mu * q1;
  arrive(q0, q1, p0, p1, ph0, ph1, n0, n1, mu, h);
}

/// B copies, `steps` steps, vectorised over the copies.
template <int B, class Step>
void advance_block(double* __restrict q0, double* __restrict q1, double* __restrict p0,
                   double* __restrict p1, double h, long steps, Step step) {
  for (long s = 0; s < steps; ++s) {
#pragma omp simd
    for (int i = 0; i < B; ++i) step(q0[i], q1[i], p0[i], p1[i], h);
  }
}

}  // namespace baseline

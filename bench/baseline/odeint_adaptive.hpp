// The peer of reversible adaptive steps: Boost.Odeint's controlled Runge-Kutta-Fehlberg 7(8) on
// q' = p, p' = F - G^T lambda, with a projection onto g = 0 and G p = 0 after every step. Masses
// are 1. A problem P has N coordinates and M constraints, and
//   force(q, f),  constraint(q, g),  jacobian(q, G),  curvature(q, v, c): c_k = v.g_k''.v
#pragma once

#include <array>
#include <boost/numeric/odeint.hpp>
#include <cmath>

namespace bench {

template <class P>
class OdeintAdaptive {
 public:
  static constexpr int N = P::N, M = P::M;
  using State = std::array<double, 2 * N>;

  explicit OdeintAdaptive(double tolerance) : tolerance_(tolerance) {}

  /// From y up to time t1.
  void run(State& y, double t1) const {
    namespace odeint = boost::numeric::odeint;
    auto stepper =
        odeint::make_controlled<odeint::runge_kutta_fehlberg78<State>>(tolerance_, tolerance_);
    double t = 0, dt = 0.01;
    while (t1 - t > 1e-13 * t1 && std::isfinite(y[0]) && dt > 1e-12) {
      if (t + dt > t1) dt = t1 - t;
      if (stepper.try_step(slope, y, t, dt) == odeint::success) project(y);
    }
  }

 private:
  using Square = std::array<std::array<double, M>, M>;
  using Slopes = double[M][N];

  static Square gram(const Slopes& a, const Slopes& b) {
    Square k{};
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < M; ++j)
        for (int d = 0; d < N; ++d) k[i][j] += a[i][d] * b[j][d];
    return k;
  }
  /// b <- k^-1 b, without exchanges: k is positive, or close to a matrix that is.
  static void solve(Square& k, double* b) {
    for (int j = 0; j < M; ++j)
      for (int i = j + 1; i < M; ++i) {
        const double r = k[i][j] / k[j][j];
        for (int l = j; l < M; ++l) k[i][l] -= r * k[j][l];
        b[i] -= r * b[j];
      }
    for (int i = M - 1; i >= 0; --i) {
      for (int l = i + 1; l < M; ++l) b[i] -= k[i][l] * b[l];
      b[i] /= k[i][i];
    }
  }
  static void slope(const State& y, State& out, double) {
    const double *q = y.data(), *p = q + N;
    double f[N], lambda[M];
    Slopes g;
    P::force(q, f);
    P::jacobian(q, g);
    P::curvature(q, p, lambda);
    for (int k = 0; k < M; ++k)
      for (int d = 0; d < N; ++d) lambda[k] += g[k][d] * f[d];
    Square a = gram(g, g);
    solve(a, lambda);
    for (int d = 0; d < N; ++d) {
      out[d] = p[d];
      out[N + d] = f[d];
      for (int k = 0; k < M; ++k) out[N + d] -= lambda[k] * g[k][d];
    }
  }
  static void project(State& y) {
    double *q = y.data(), *p = q + N;
    double r[M];
    Slopes along, g;
    P::jacobian(q, along);
    for (int i = 0; i < 10; ++i) {
      P::constraint(q, r);
      double most = 0;
      for (const double x : r) most = std::max(most, std::abs(x));
      if (most < 1e-15) break;
      P::jacobian(q, g);
      Square a = gram(g, along);
      solve(a, r);
      for (int k = 0; k < M; ++k)
        for (int d = 0; d < N; ++d) q[d] -= r[k] * along[k][d];
    }
    P::jacobian(q, g);
    for (int k = 0; k < M; ++k) {
      r[k] = 0;
      for (int d = 0; d < N; ++d) r[k] += g[k][d] * p[d];
    }
    Square a = gram(g, g);
    solve(a, r);
    for (int k = 0; k < M; ++k)
      for (int d = 0; d < N; ++d) p[d] -= r[k] * g[k][d];
  }

  double tolerance_;
};

}  // namespace bench

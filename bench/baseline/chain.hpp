// RATTLE for the planar chain as one would write it by hand, for this one problem: unit masses and
// rods, gravity 1, coordinates apart, two-ended tridiagonal elimination, one factorisation a step.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace baseline {

/// Hung from the origin, at rest, a gentle wave along a slope.
struct Chain {
  int n;
  std::vector<double> x, y, px, py;

  explicit Chain(int links) : n(links), x(links), y(links), px(links), py(links) {
    double a = 0, b = 0;
    for (int i = 0; i < n; ++i) {
      const double angle = 0.8 + 0.3 * std::sin(2 * M_PI * (i + 0.5) / 20);
      x[i] = a += std::sin(angle);
      y[i] = b -= std::cos(angle);
    }
  }
};

inline double chain_step(int n) { return 0.1 / std::sqrt(static_cast<double>(n)); }

class ChainRattle {
 public:
  ChainRattle(int n, double tolerance)
      : n_(n),
        tolerance_(tolerance),
        dx_(n + 1),
        dy_(n + 1),
        ex_(n + 1),
        ey_(n + 1),
        inverse_(n),
        multiplier_(n + 1),
        g_(n),
        lambda_(n + 1) {}

  long iterations = 0, failures = 0;

  void step(Chain& c, double h) {
    const int n = n_;
    if (!fresh_) links(c), factor(), fresh_ = true;
    const double half = 0.5 * h, inverse_h = 1 / h;
    double *x = c.x.data(), *y = c.y.data(), *px = c.px.data(), *py = c.py.data();
    lambda_[n] = 0;
    for (int i = 0; i < n; ++i) {
      const double l0 = lambda_[i], l1 = lambda_[i + 1];
      px[i] -= half * (l0 * dx_[i] - l1 * dx_[i + 1]);
      py[i] -= half + half * (l0 * dy_[i] - l1 * dy_[i + 1]);
      x[i] += h * px[i];
      y[i] += h * py[i];
    }
    int k = 0;
    for (; k < 40; ++k) {
      if (residual(x, y) < tolerance_) break;
      solve();
      const double s = 2 * inverse_h * inverse_h;
      for (int i = 0; i < n; ++i) lambda_[i] += s * g_[i];
      for (int i = 0; i < n - 1; ++i) {
        const double fx = g_[i] * dx_[i] - g_[i + 1] * dx_[i + 1];
        const double fy = g_[i] * dy_[i] - g_[i + 1] * dy_[i + 1];
        x[i] -= fx, y[i] -= fy, px[i] -= inverse_h * fx, py[i] -= inverse_h * fy;
      }
      const double fx = g_[n - 1] * dx_[n - 1], fy = g_[n - 1] * dy_[n - 1];
      x[n - 1] -= fx, y[n - 1] -= fy, px[n - 1] -= inverse_h * fx, py[n - 1] -= inverse_h * fy;
    }
    failures += k == 40;
    iterations += k;
    std::swap(dx_, ex_), std::swap(dy_, ey_);
    dx_[n] = dy_[n] = 0;
    factor();
    for (int i = 0; i < n; ++i) py[i] -= half;
    g_[0] = dx_[0] * px[0] + dy_[0] * py[0];
    for (int i = 1; i < n; ++i) g_[i] = dx_[i] * (px[i] - px[i - 1]) + dy_[i] * (py[i] - py[i - 1]);
    solve();
    for (int i = 0; i < n - 1; ++i) {
      px[i] -= g_[i] * dx_[i] - g_[i + 1] * dx_[i + 1];
      py[i] -= g_[i] * dy_[i] - g_[i + 1] * dy_[i + 1];
    }
    px[n - 1] -= g_[n - 1] * dx_[n - 1], py[n - 1] -= g_[n - 1] * dy_[n - 1];
    for (int i = 0; i < n; ++i) lambda_[i] = 2 * inverse_h * g_[i];
  }

 private:
  void links(const Chain& c) {
    dx_[0] = c.x[0], dy_[0] = c.y[0];
    for (int i = 1; i < n_; ++i) dx_[i] = c.x[i] - c.x[i - 1], dy_[i] = c.y[i] - c.y[i - 1];
  }
  double residual(const double* x, const double* y) {
    ex_[0] = x[0], ey_[0] = y[0];
    g_[0] = 0.5 * (x[0] * x[0] + y[0] * y[0] - 1);
    double most = std::fabs(g_[0]);
    for (int i = 1; i < n_; ++i) {
      const double a = x[i] - x[i - 1], b = y[i] - y[i - 1];
      ex_[i] = a, ey_[i] = b;
      const double v = 0.5 * (a * a + b * b - 1);
      g_[i] = v;
      most = std::max(most, std::fabs(v));
    }
    return most;
  }
  /// Rows 0 ... m - 1 downwards, n - 1 ... m + 1 upwards, meeting at m.
  void factor() {
    const int n = n_, m = n / 2;
    double* __restrict d = inverse_.data();
    double* __restrict l = multiplier_.data();
    const double* __restrict a = dx_.data();
    const double* __restrict b = dy_.data();
    double down = d[0] = 1 / (a[0] * a[0] + b[0] * b[0]);
    int i = 1, j = n - 1;
    double up = d[j] = 1 / (2 * (a[j] * a[j] + b[j] * b[j]));
    --j;
    for (; i < m && j > m; ++i, --j) {
      const double o = -(a[i - 1] * a[i] + b[i - 1] * b[i]), s = o * down;
      const double r = -(a[j] * a[j + 1] + b[j] * b[j + 1]), t = r * up;
      l[i] = s, l[j + 1] = t;
      d[i] = down = 1 / (2 * (a[i] * a[i] + b[i] * b[i]) - s * o);
      d[j] = up = 1 / (2 * (a[j] * a[j] + b[j] * b[j]) - t * r);
    }
    for (; i < m; ++i) {
      const double o = -(a[i - 1] * a[i] + b[i - 1] * b[i]), s = o * down;
      l[i] = s;
      d[i] = down = 1 / (2 * (a[i] * a[i] + b[i] * b[i]) - s * o);
    }
    for (; j > m; --j) {
      const double r = -(a[j] * a[j + 1] + b[j] * b[j + 1]), t = r * up;
      l[j + 1] = t;
      d[j] = up = 1 / (2 * (a[j] * a[j] + b[j] * b[j]) - t * r);
    }
    const double o = -(a[m - 1] * a[m] + b[m - 1] * b[m]), s = o * down;
    const double r = -(a[m] * a[m + 1] + b[m] * b[m + 1]), t = r * up;
    l[m] = s, l[m + 1] = t;
    d[m] = 1 / (2 * (a[m] * a[m] + b[m] * b[m]) - s * o - t * r);
  }
  void solve() {
    const int n = n_, m = n / 2;
    double* __restrict b = g_.data();
    const double* __restrict l = multiplier_.data();
    const double* __restrict d = inverse_.data();
    double t = b[0], u = b[n - 1];
    int i = 1, j = n - 2;
    for (; i < m && j > m; ++i, --j) b[i] = t = b[i] - l[i] * t, b[j] = u = b[j] - l[j + 1] * u;
    for (; i < m; ++i) b[i] = t = b[i] - l[i] * t;
    for (; j > m; --j) b[j] = u = b[j] - l[j + 1] * u;
    b[m] = t = u = (b[m] - l[m] * t - l[m + 1] * u) * d[m];
    for (i = m - 1, j = m + 1; i >= 0 && j < n; --i, ++j)
      b[i] = t = b[i] * d[i] - l[i + 1] * t, b[j] = u = b[j] * d[j] - l[j] * u;
    for (; i >= 0; --i) b[i] = t = b[i] * d[i] - l[i + 1] * t;
    for (; j < n; ++j) b[j] = u = b[j] * d[j] - l[j] * u;
  }

  int n_;
  double tolerance_;
  std::vector<double> dx_, dy_, ex_, ey_, inverse_, multiplier_, g_, lambda_;
  bool fresh_ = false;
};

}  // namespace baseline

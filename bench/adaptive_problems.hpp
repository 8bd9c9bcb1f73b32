// The problems of bench/adaptive.cpp, each as a model and, for the peer, by hand.
#pragma once

#include <cmath>
#include <string>

namespace bench {

/// sum w_i q_i^2 = 1, halved.
template <int Dimension>
struct Quadric {
  static constexpr int N = Dimension, M = 1;
  static void level(const double* w, const double* q, double* g) {
    g[0] = -0.5;
    for (int i = 0; i < N; ++i) g[0] += 0.5 * w[i] * q[i] * q[i];
  }
  static void slopes(const double* w, const double* q, double (&g)[1][N]) {
    for (int i = 0; i < N; ++i) g[0][i] = w[i] * q[i];
  }
  static void bends(const double* w, const double* v, double* c) {
    c[0] = 0;
    for (int i = 0; i < N; ++i) c[0] += w[i] * v[i] * v[i];
  }
};

struct Ellipsoid : Quadric<3> {
  static constexpr const char* name = "ellipsoid";
  static constexpr double step = 6, w[3] = {1, 0.25, 0.0625};
  static std::string text() {
    return "[model]\ncoordinates = [\"x\", \"y\", \"z\"]\nmass = [1.0]\npotential = \"0\"\n"
           "constraints = [\"(x^2 + y^2/4 + z^2/16 - 1)/2\"]\n"
           "[initial]\nq = [0.6, 1.6, 0]\n"
           "p = [0.4, -0.6, 0.7]\n";
  }
  static void force(const double*, double* f) { f[0] = f[1] = f[2] = 0; }
  static void constraint(const double* q, double* g) { level(w, q, g); }
  static void jacobian(const double* q, double (&g)[1][3]) { slopes(w, q, g); }
  static void curvature(const double*, const double* v, double* c) { bends(w, v, c); }
};

/// V = -cot(angle from the pole).
struct KeplerOnSphere : Quadric<3> {
  static constexpr const char* name = "kepler-on-sphere";
  static constexpr double step = 0.5, w[3] = {1, 1, 1};
  static std::string text() {
    return "[model]\ncoordinates = [\"x\", \"y\", \"z\"]\nmass = [1.0]\n"
           "potential = \"-z/sqrt(x^2 + y^2)\"\nconstraints = [\"(x^2 + y^2 + z^2 - 1)/2\"]\n"
           "[initial]\nq = [0.6, 0, 0.8]\np = [0, 0.4, 0]\n";
  }
  static void force(const double* q, double* f) {
    const double square = q[0] * q[0] + q[1] * q[1], r = std::sqrt(square);
    const double c = -q[2] / (square * r);
    f[0] = c * q[0], f[1] = c * q[1], f[2] = 1 / r;
  }
  static void constraint(const double* q, double* g) { level(w, q, g); }
  static void jacobian(const double* q, double (&g)[1][3]) { slopes(w, q, g); }
  static void curvature(const double*, const double* v, double* c) { bends(w, v, c); }
};

struct BeadOnEllipse : Quadric<2> {
  static constexpr const char* name = "bead-on-ellipse";
  static constexpr double step = 1, w[2] = {1, 25};
  static std::string text() {
    return "[model]\ncoordinates = [\"x\", \"y\"]\nmass = [1.0]\npotential = \"y\"\n"
           "constraints = [\"(x^2 + 25*y^2 - 1)/2\"]\n"
           "[initial]\nq = [0, -0.2]\np = [1.3, 0]\n";
  }
  static void force(const double*, double* f) { f[0] = 0, f[1] = -1; }
  static void constraint(const double* q, double* g) { level(w, q, g); }
  static void jacobian(const double* q, double (&g)[1][2]) { slopes(w, q, g); }
  static void curvature(const double*, const double* v, double* c) { bends(w, v, c); }
};

struct QuarticSurface {
  static constexpr const char* name = "quartic-surface";
  static constexpr int N = 3, M = 1;
  static constexpr double step = 2;
  static std::string text() {
    return "[model]\ncoordinates = [\"x\", \"y\", \"z\"]\nmass = [1.0]\npotential = \"0\"\n"
           "constraints = [\"(x^4 + y^4 + z^4 - 1)/4\"]\n"
           "[initial]\nq = [\"2^-0.25\", \"2^-0.25\", 0]\np = [0.5, -0.5, 0.6]\n";
  }
  static void force(const double*, double* f) { f[0] = f[1] = f[2] = 0; }
  static void constraint(const double* q, double* g) {
    g[0] = -0.25;
    for (int i = 0; i < 3; ++i) g[0] += 0.25 * q[i] * q[i] * q[i] * q[i];
  }
  static void jacobian(const double* q, double (&g)[1][3]) {
    for (int i = 0; i < 3; ++i) g[0][i] = q[i] * q[i] * q[i];
  }
  static void curvature(const double* q, const double* v, double* c) {
    c[0] = 0;
    for (int i = 0; i < 3; ++i) c[0] += 3 * q[i] * q[i] * v[i] * v[i];
  }
};

/// A plane chain of rods of length 1 that hangs at an angle, from rest.
template <int Rods>
struct HangingRods {
  static constexpr int N = 2 * Rods, M = Rods;
  static constexpr double step = 5;
  static constexpr const char* name = Rods == 2 ? "double-pendulum" : "three-rods";
  static std::string text() {
    const std::string count = std::to_string(Rods);
    return "[model]\nparameters = { N = " + count +
           " }\ncoordinates = [\"x[1..N]\", \"y[1..N]\"]\nmass = [1.0]\n"
           "potential = \"sum(i, 1, N, y[i])\"\n"
           "constraints = [\"(x[1]^2 + y[1]^2 - 1)/2\", "
           "\"each(i, 2, N, ((x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 - 1)/2)\"]\n"
           "[initial]\nq = { x = \"i*0.6\", y = \"-i*0.8\" }\np = { x = \"0\", y = \"0\" }\n";
  }
  static void force(const double*, double* f) {
    for (int i = 0; i < Rods; ++i) f[i] = 0, f[Rods + i] = -1;
  }
  static double across(const double* q, int axis, int k) {
    const double* x = q + axis * Rods;
    return k == 0 ? x[0] : x[k] - x[k - 1];
  }
  static void constraint(const double* q, double* g) {
    for (int k = 0; k < Rods; ++k) {
      const double dx = across(q, 0, k), dy = across(q, 1, k);
      g[k] = 0.5 * (dx * dx + dy * dy - 1);
    }
  }
  static void jacobian(const double* q, double (&g)[M][N]) {
    for (int k = 0; k < Rods; ++k)
      for (int d = 0; d < N; ++d) {
        const int axis = d / Rods, i = d % Rods;
        g[k][d] = i == k ? across(q, axis, k) : i == k - 1 ? -across(q, axis, k) : 0;
      }
  }
  static void curvature(const double*, const double* v, double* c) {
    for (int k = 0; k < Rods; ++k) {
      const double dx = across(v, 0, k), dy = across(v, 1, k);
      c[k] = dx * dx + dy * dy;
    }
  }
};

}  // namespace bench

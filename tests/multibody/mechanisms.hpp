// Mechanisms that the tests run, and what is known of them from elsewhere.
#pragma once

#include <cmath>
#include <string>

#include "rattleback/integrators/run_motion.hpp"
#include "rattleback/multibody/mechanism_motion.hpp"

namespace rattleback::testing {

inline lie::SO3<double> turned(double x, double y, double z) {
  return lie::SO3<double>::exp({x, y, z});
}

/// A body on a ball joint at the origin, its centre of mass at `arm` of its own axes.
inline Mechanism heavy_top(double spin = 20) {
  Mechanism m{.name = "heavy top", .gravity = {0, 0, -9.81}};
  const Vector3 arm(0, 0, 0.4);
  Body top{.name = "top", .mass = 1.3, .inertia = diagonal(0.11, 0.13, 0.05)};
  top.orientation = turned(0.5, 0.2, 0);
  top.position = top.orientation(arm);
  top.angular_velocity = {0.3, -0.2, spin};
  top.velocity = top.orientation(lie::cross<double>(top.angular_velocity, arm));
  m.add(top);
  m.add(Joint{
      .type = JointType::ball, .bodies = {"world", "top"}, .points = {Vector3(0, 0, 0), -arm}});
  return m;
}

/// Links of length 1 hanging on each other by joints of this type, in the plane x, z, each turned
/// from the vertical by these angles, and turning at these rates.
inline Mechanism chain(const std::vector<double>& angles, JointType type,
                       std::vector<double> rates = {}) {
  Mechanism m{.name = "chain", .gravity = {0, 0, -9.81}};
  rates.resize(angles.size());
  Vector3 end(0, 0, 0), speed(0, 0, 0);
  for (std::size_t i = 0; i < angles.size(); ++i) {
    Body link{
        .name = "link" + std::to_string(i + 1), .mass = 1, .inertia = diagonal(0.09, 0.085, 0.01)};
    link.orientation = turned(0, angles[i], 0);
    link.angular_velocity = {0, rates[i], 0};
    const Vector3 along = link.orientation(Vector3(0, 0, -1)),
                  across = lie::cross<double>(link.angular_velocity, along);
    link.position = end + 0.5 * along;
    link.velocity = speed + 0.5 * across;
    m.add(link);
    m.add(Joint{.type = type,
                .bodies = {i == 0 ? "world" : m.bodies[i - 1].name, link.name},
                .points = {i == 0 ? Vector3(0, 0, 0) : Vector3(0, 0, -0.5), Vector3(0, 0, 0.5)},
                .axis = {0, 2, 0}});
    end += along, speed += across;
  }
  return m;
}

/// The N-four-bar of the benchmarks of IFToMM: rods of length and mass 1 on the ground in a row,
/// their tips joined by couplers, at 30 m/s. Flat on the ground, where two branches meet, it is
/// singular.
inline Mechanism four_bars(int loops, double speed = 30) {
  Mechanism m{.name = "four-bars", .gravity = {0, -9.81, 0}};
  const auto bar = [&](const std::string& name, const Vector3& at, double angle, double velocity) {
    m.add(Body{.name = name,
               .inertia = diagonal(0.001, 1. / 12, 1. / 12),
               .position = at,
               .orientation = turned(0, 0, angle),
               .velocity = {velocity, 0, 0},
               .angular_velocity = {0, 0, angle > 0 ? -speed : 0}});
  };
  const auto hinge = [&](const std::string& a, const std::string& b, Vector3 p, Vector3 q) {
    m.add(Joint{.type = JointType::revolute, .bodies = {a, b}, .points = {p, q}});
  };
  const Vector3 end(0.5, 0, 0);
  for (int i = 0; i <= loops; ++i) {
    const std::string rod = "rod" + std::to_string(i), coupler = "coupler" + std::to_string(i);
    bar(rod, Vector3(i, 0.5, 0), std::acos(-1.0) / 2, speed / 2);
    hinge("world", rod, Vector3(i, 0, 0), -end);
    if (i == 0) continue;
    bar(coupler, Vector3(i - 0.5, 1, 0), 0, speed);
    hinge("rod" + std::to_string(i - 1), coupler, end, -end);
    hinge(coupler, rod, end, end);
  }
  return m;
}

inline AnyMotion::Point end_of(const Mechanism& m, const std::string& method, double h,
                               long steps) {
  const auto motion = mechanism_motion(m, find_mechanism_method(method));
  const auto run = run_motion(*motion, {.step = h, .steps = steps, .every = steps});
  if (!run.ok()) throw std::runtime_error(run.failure.text());
  return run.final;
}

/// y' = f(y) by the classical Runge-Kutta method.
template <class F>
std::vector<double> runge_kutta(std::vector<double> y, double time, int steps, const F& f) {
  const double h = time / steps;
  const auto moved = [&](const std::vector<double>& k, double by) {
    std::vector<double> z = y;
    for (std::size_t i = 0; i < z.size(); ++i) z[i] += by * k[i];
    return z;
  };
  for (int n = 0; n < steps; ++n) {
    const auto a = f(y), b = f(moved(a, h / 2)), c = f(moved(b, h / 2)), d = f(moved(c, h));
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += h / 6 * (a[i] + 2 * (b[i] + c[i]) + d[i]);
  }
  return y;
}

/// Two links of chain() with angles a and b, Lagrange's equations. y = (a, b, a', b').
inline std::vector<double> double_pendulum_slope(const std::vector<double>& y) {
  constexpr double g = 9.81, inertia = 0.085;
  const double c = std::cos(y[0] - y[1]), s = std::sin(y[0] - y[1]);
  const double m11 = inertia + 0.25 + 1, m12 = 0.5 * c, m22 = inertia + 0.25;
  const double f1 = -0.5 * s * y[3] * y[3] - 1.5 * g * std::sin(y[0]);
  const double f2 = 0.5 * s * y[2] * y[2] - 0.5 * g * std::sin(y[1]);
  const double det = m11 * m22 - m12 * m12;
  return {y[2], y[3], (m22 * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det};
}

}  // namespace rattleback::testing

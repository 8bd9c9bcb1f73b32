// The step of a linked system through its own kernel against the step through dense matrices.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "rattleback/integrators/natural_constrained.hpp"
#include "rattleback/problem/quad.hpp"

namespace rattleback::linked_tests {

template <class S>
using Point = State<S, dynamic>;

inline const auto gravity = [](const auto& x) { return x[1]; };
inline const auto pinned_springs = [](const auto& x, int i) {
  return (1 + 0.1 * i) * x[1] + x[0] * x[0] * 0.3;
};

/// Bodies along a winding curve, one unit from each other.
template <class S, int D>
Point<S> winding(int n) {
  using std::cos, std::sin;
  Point<S> z{Vector<S, dynamic>(D * n), Vector<S, dynamic>(D * n)};
  Vector<S, D> x = Vector<S, D>::Zero();
  for (int i = 0; i < n; ++i) {
    const S a = S(0.8) + S(0.3) * sin(S(2 * i + 1)), b = S(0.4) * cos(S(3 * i));
    Vector<S, D> d = Vector<S, D>::Zero();
    if constexpr (D == 3)
      d << sin(a) * cos(b), -cos(a), sin(a) * sin(b);
    else
      d << sin(a), -cos(a);
    x += d;
    for (int c = 0; c < D; ++c) z.q[D * i + c] = x[c], z.p[D * i + c] = S(0.1) * sin(S(i + c));
  }
  return z;
}

/// Rods as long as they are at z.
template <class S, int D>
std::vector<Link<D>> with_lengths(std::vector<Link<D>> links, const Point<S>& z) {
  for (auto& l : links) {
    Vector<double, D> d;
    for (int c = 0; c < D; ++c)
      d[c] = static_cast<double>(z.q[D * l.second + c]) -
             (l.first == ground ? l.anchor[c] : static_cast<double>(z.q[D * l.first + c]));
    l.length = d.norm();
  }
  return links;
}

template <class S>
double distance(const Point<S>& a, const Point<S>& b) {
  return larger(largest_magnitude(a.q - b.q), largest_magnitude(a.p - b.p));
}

/// Both kernels from the same start, `steps` steps; the largest difference on the way.
template <class S, class Sys>
double difference_to_dense(const Sys& system, const Point<S>& start, int steps, S h,
                           Kicks kicks = {}, bool project = true) {
  NaturalConstrained<Sys, S> own(system, kicks);
  NaturalConstrained<Sys, S, DenseKernel<Sys, S>> dense(system, kicks);
  Point<S> a = start, b = start;
  EXPECT_TRUE(own.project(system, a));
  EXPECT_TRUE(dense.project(system, b));
  double most = distance(a, b);
  own.reset(), dense.reset();
  for (int k = 0; k < steps; ++k) {
    EXPECT_TRUE(own.step(system, a, h, project));
    EXPECT_TRUE(dense.step(system, b, h, project));
    most = larger(most, distance(a, b));
  }
  Vector<S, dynamic> g(system.constraint_count());
  system.constraint(a.q, a.p, g);
  // Rounding the coordinates changes |d|^2/2 by eps |d||q|.
  const double extent = largest_magnitude(a.q);
  EXPECT_LT(largest_magnitude(g), 8 * epsilon<S> * (1 + extent * extent));
  return most;
}

/// Forces that grow along a tree of long rods, from a start that is not yet projected. Steps of
/// 0.01 become hard; the 24th has no solution.
inline auto strained_tree() {
  const auto pull = [](const auto& x, int i) {
    using std::sin;
    return x[1] * 1.5 + sin(x[0]) * (0.1 * i) + x[0] * x[0] * x[1] * 0.05;
  };
  const int n = 127;
  Point<double> z{Vector<double, dynamic>(2 * n), Vector<double, dynamic>::Zero(2 * n)};
  std::vector<Link<2>> links{{.first = ground, .second = 0}};
  std::vector<double> masses;
  for (int i = 0; i < n; ++i) {
    z.q[2 * i] = 0.9 * (i + 1) + 0.1 * std::sin(3.0 * i), z.q[2 * i + 1] = 0.6 * std::cos(2.0 * i);
    z.p[2 * i] = 0.1 * std::sin(1.0 + i);
    if (i > 0) links.push_back({.first = (i - 1) / 2, .second = i});
    masses.push_back(1 + 0.3 * (i % 4));
  }
  return std::pair(linked_system<2>(masses, pull, with_lengths(links, z)), z);
}

// Measured differences are 2e-15 to 4e-14; chains of up to thirty bodies over 40 steps.
constexpr double round_off = 1e-13;

}  // namespace rattleback::linked_tests

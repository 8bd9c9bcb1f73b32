// The chain of the baselines as a system of ours.
#pragma once

#include "baseline/chain.hpp"
#include "rattleback/integrators/natural_constrained.hpp"

namespace bench {

namespace rb = rattleback;

inline auto hanging_chain(int n) {
  return rb::chain_system<2>(n, [](const auto& x) { return x[1]; });
}
/// The same with the link given as a function too.
inline auto hanging_chain_of_functions(int n) {
  return rb::chain_system<2>(
      n, [](const auto& x) { return x[1]; },
      [](const auto& d) { return (d[0] * d[0] + d[1] * d[1] - 1.0) * 0.5; });
}

inline rb::State<double> start_of(const baseline::Chain& c) {
  rb::State<double> z{rb::Vector<double, rb::dynamic>(2 * c.n),
                      rb::Vector<double, rb::dynamic>(2 * c.n)};
  for (int i = 0; i < c.n; ++i) {
    z.q[2 * i] = c.x[i], z.q[2 * i + 1] = c.y[i];
    z.p[2 * i] = c.px[i], z.p[2 * i + 1] = c.py[i];
  }
  return z;
}

/// Ours is relative to what rounding the coordinates does to g; the baseline's is absolute.
inline double relative_tolerance(const baseline::Chain& c, double absolute) {
  double most = 0, x = 0, y = 0;
  for (int i = 0; i < c.n; ++i) {
    most = std::max(most, std::abs(c.x[i] - x) * (std::abs(c.x[i]) + std::abs(x)) +
                              std::abs(c.y[i] - y) * (std::abs(c.y[i]) + std::abs(y)));
    x = c.x[i], y = c.y[i];
  }
  return absolute / most;
}

}  // namespace bench

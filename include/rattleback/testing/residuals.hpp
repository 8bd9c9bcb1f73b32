// Residuals of g and {g,H} over a run, relative to the terms that cancel in them.
#pragma once

#include "rattleback/testing/results.hpp"
#include "rattleback/testing/trial.hpp"

namespace rattleback::testing {

struct ResidualOptions {
  double step = 0.0625;
  int steps = 200;
};

/// max_i |g_i| / (|dg_i||z|) and max_i |{g_i,H}| / (|g_q||H_p| + |g_p||H_q|) at one state. The
/// sizes are those of whole vectors: one coordinate may vanish, as in g = q_1.
template <class Sys>
ResidualResult residuals_at(const Sys& system, const StateOf<Sys, double>& z) {
  const int n = system.dimension(), m = system.constraint_count();
  ResidualResult at;
  if (m == 0) return at;
  MultiplierOf<Sys, double> g(m);
  JacobianOf<Sys, double> g_q(m, n), g_p(m, n);
  PositionOf<Sys, double> h_q(n), h_p(n);
  system.linearise(z.q, z.p, g, g_q, g_p);
  if (system.traits().holonomic) g_p.setZero();
  system.energy_gradient(z.q, z.p, h_q, h_p);
  const double q = largest_magnitude(z.q), p = largest_magnitude(z.p);
  const double a = largest_magnitude(h_q), b = largest_magnitude(h_p);
  for (int i = 0; i < m; ++i) {
    double rho = 0, by_q = 0, by_p = 0;
    for (int j = 0; j < n; ++j) {
      rho += g_q(i, j) * h_p[j] - g_p(i, j) * h_q[j];
      by_q += std::abs(g_q(i, j));
      by_p += std::abs(g_p(i, j));
    }
    // Near a turning point p and H_p vanish: no scale below a thousandth.
    at.primary = larger(at.primary, std::abs(g[i]) / std::max(by_q * q + by_p * p, 1e-3));
    at.hidden = larger(at.hidden, std::abs(rho) / std::max(by_q * b + by_p * a, 1e-3));
  }
  return at;
}

template <class Sys, class M>
ResidualResult check_residuals(const Sys& system, const M& method, const Start<Sys>& start,
                               const ResidualOptions& options = {}) {
  Trial<double, Sys, M> trial(system, method, convert<double>(start));
  ResidualResult result;
  while (result.steps < options.steps && trial.step(options.step)) {
    const ResidualResult at = residuals_at(system, trial.shown());
    result.primary = larger(result.primary, at.primary);
    result.hidden = larger(result.hidden, at.hidden);
    ++result.steps;
  }
  result.failure = trial.failure();
  return result;
}

}  // namespace rattleback::testing

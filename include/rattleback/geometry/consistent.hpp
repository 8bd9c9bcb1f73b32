// A consistent start: g = 0 and {g,H} = 0.
#pragma once

#include <limits>
#include <sstream>

#include "rattleback/geometry/fibre.hpp"
#include "rattleback/geometry/point_report.hpp"
#include "rattleback/geometry/residuals.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/solve/dense.hpp"

namespace rattleback {

struct ConsistencyTolerance {
  double constraint = 1e-9;  ///< of |g| and |{g,H}| for a start that is taken as it is
};

namespace detail {

/// Ends an iteration at round-off: when its corrections no longer shrink.
class RoundOff {
 public:
  bool reached(double correction, double size) {
    const bool done =
        correction <= 1e-16 * size || (correction <= 1e-9 * size && correction > 0.25 * last_);
    last_ = correction;
    return done;
  }

 private:
  double last_ = std::numeric_limits<double>::infinity();
};

/// Newton onto g = 0 along M^-1 G^T (dg^T where there is no mass): the nearest point for a small
/// residual.
template <class Sys>
bool project_on_primary(const Sys& system, StateOf<Sys, double>& z) {
  constexpr int N = Sys::dimension_at_compile_time;
  constexpr int M = Sys::constraints_at_compile_time;
  const int n = system.dimension(), m = system.constraint_count();
  const bool mixed = !system.traits().holonomic;
  Vector<double, M> g(m);
  Matrix<double, M, N> g_q(m, n), g_p(m, n), w_q(m, n);
  Vector<double, N> row(n), column(n);
  DenseLu<double, M> lu(m);
  RoundOff round_off;
  for (int k = 0; k < 50; ++k) {
    system.linearise(z.q, z.p, g, g_q, g_p);
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) row[j] = column[j] = g_q(i, j);
      if constexpr (NaturalForm<Sys>)
        if (system.traits().natural) system.velocity(row, column);
      for (int j = 0; j < n; ++j) w_q(i, j) = column[j];
    }
    const bool regular = lu.factor([&](int a, int b) {
                             double sum = 0;
                             for (int j = 0; j < n; ++j) sum += g_q(a, j) * w_q(b, j);
                             for (int j = 0; mixed && j < n; ++j) sum += g_p(a, j) * g_p(b, j);
                             return sum;
                           }).ok;
    if (!regular) return false;
    lu.solve(g);
    double moved = 0;
    for (int j = 0; j < n; ++j) {
      double dq = 0, dp = 0;
      for (int i = 0; i < m; ++i) dq += w_q(i, j) * g[i];
      for (int i = 0; mixed && i < m; ++i) dp += g_p(i, j) * g[i];
      z.q[j] -= dq;
      z.p[j] -= dp;
      moved = larger(moved, larger(std::abs(dq), std::abs(dp)));
    }
    if (!(moved < 1e150)) return false;
    if (round_off.reached(moved, larger(largest_magnitude(z.q), largest_magnitude(z.p))))
      return true;
  }
  return false;
}

/// Newton along the fibre to {g,H} = 0.
template <class Sys>
bool project_on_hidden(const Sys& system, StateOf<Sys, double>& z) {
  constexpr int M = Sys::constraints_at_compile_time;
  const int m = system.constraint_count();
  Fibre<Sys, double> fibre(system);
  Vector<double, dynamic> rho;
  Matrix<double, dynamic> n_matrix;
  DenseLu<double, M> lu(m);
  Vector<double, M> sigma(m);
  RoundOff round_off;
  for (int k = 0; k < 50; ++k) {
    hidden_and_n(system, z, rho, n_matrix);
    if (!lu.factor([&](int i, int j) { return n_matrix(i, j); }).ok) return false;
    for (int i = 0; i < m; ++i) sigma[i] = -rho[i];
    lu.solve(sigma);
    const double size = largest_magnitude(sigma);
    if (!(size < 1e150)) return false;
    if (!fibre.slide(system, sigma, z)) return false;
    if (round_off.reached(size, larger(1, largest_magnitude(z.p)))) return true;
  }
  return false;
}

}  // namespace detail

/// Throws ModelError unless z lies on g = 0 and {g,H} = 0.
template <class Sys>
void require_consistent(const Sys& system, const StateOf<Sys, double>& z,
                        ConsistencyTolerance tolerance = {}) {
  Residuals<Sys, double> residuals(system);
  residuals.evaluate(system, z);
  std::ostringstream message;
  if (!(residuals.largest_primary() <= tolerance.constraint))
    message << "the start is not on the constraint: g_" << residuals.worst_primary() << " = "
            << residuals.largest_primary() << " in absolute value (at most " << tolerance.constraint
            << ")";
  else if (!(residuals.largest_hidden() <= tolerance.constraint))
    message << "the start violates the hidden constraint: {g_" << residuals.worst_hidden()
            << ", H} = " << residuals.largest_hidden() << " in absolute value (at most "
            << tolerance.constraint << ")";
  if (!message.str().empty()) throw ModelError(message.str());
}

/// The consistent state near z: first onto g = 0, then along the fibre onto {g,H} = 0.
template <class Sys>
StateOf<Sys, double> consistent(const Sys& system, StateOf<Sys, double> z) {
  if (z.q.size() != system.dimension() || z.p.size() != system.dimension())
    throw InputError("initial", "the system has " + std::to_string(system.dimension()) +
                                    " coordinates, the start has " + std::to_string(z.q.size()) +
                                    " positions and " + std::to_string(z.p.size()) + " momenta");
  if (!z.q.allFinite() || !z.p.allFinite()) throw InputError("initial", "the start is not finite");
  if (system.constraint_count() == 0) return z;
  const StateOf<Sys, double> given = z;
  if (!detail::project_on_primary(system, z) || !detail::project_on_hidden(system, z))
    throw ModelError("no consistent start was found near the given one: " +
                     report_point(system, given).text());
  return z;
}

}  // namespace rattleback

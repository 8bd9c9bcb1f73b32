// A consistent start: g = 0 and {g,H} = 0.
#pragma once

#include <limits>
#include <string>
#include <type_traits>

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

/// Throws ModelError: constraint `index`, or its hidden one, has this value at the start.
[[noreturn]] void refuse_start(bool hidden, long index, double value, double tolerance);
/// Throws ModelError with the reason, unless it is empty.
void refuse_undefined(const std::string& reason);
/// Throws InputError unless the start has as many positions and momenta as the system.
void require_size(long dimension, long positions, long momenta);

/// Whether every system of this type has constraints on positions only.
template <class Sys>
constexpr bool always_holonomic() {
  if constexpr (requires { typename std::bool_constant<Sys::traits().holonomic>; })
    return Sys::traits().holonomic;
  return false;
}

/// z <- exp(sum sigma_i X_gi) z, without the flows that straight fibres do not need.
template <class Sys>
bool slide(const Sys& system, const MultiplierOf<Sys, double>& sigma, StateOf<Sys, double>& z) {
  if constexpr (always_holonomic<Sys>()) {
    MultiplierOf<Sys, double> g(system.constraint_count());
    JacobianOf<Sys, double> g_q(system.constraint_count(), system.dimension());
    JacobianOf<Sys, double> g_p(system.constraint_count(), system.dimension());
    system.linearise(z.q, z.p, g, g_q, g_p);
    subtract_transposed(g_q, sigma, z.p);
    return true;
  } else {
    return static_cast<bool>(Fibre<Sys, double>(system).slide(system, sigma, z));
  }
}

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
    if (!slide(system, sigma, z)) return false;
    if (round_off.reached(size, larger(1, largest_magnitude(z.p)))) return true;
  }
  return false;
}

}  // namespace detail

/// Throws ModelError unless z lies on g = 0 and {g,H} = 0, and H is known there.
template <class Sys>
void require_consistent(const Sys& system, const StateOf<Sys, double>& z,
                        ConsistencyTolerance tolerance = {}) {
  if constexpr (requires { system.undefined_at(z.q, z.p); })
    detail::refuse_undefined(system.undefined_at(z.q, z.p));
  Residuals<Sys, double> residuals(system);
  residuals.evaluate(system, z);
  if (!(residuals.largest_primary() <= tolerance.constraint))
    detail::refuse_start(false, residuals.worst_primary(), residuals.largest_primary(),
                         tolerance.constraint);
  if (!(residuals.largest_hidden() <= tolerance.constraint))
    detail::refuse_start(true, residuals.worst_hidden(), residuals.largest_hidden(),
                         tolerance.constraint);
}

/// The consistent state near z: first onto g = 0, then along the fibre onto {g,H} = 0.
template <class Sys>
StateOf<Sys, double> consistent(const Sys& system, StateOf<Sys, double> z) {
  detail::require_size(system.dimension(), z.q.size(), z.p.size());
  if (!std::isfinite(largest_magnitude(z.q)) || !std::isfinite(largest_magnitude(z.p)))
    throw InputError("initial", "the start is not finite");
  if (system.constraint_count() == 0) return z;
  const StateOf<Sys, double> given = z;
  if (!detail::project_on_primary(system, z) || !detail::project_on_hidden(system, z))
    throw ModelError("no consistent start was found near the given one: " +
                     report_point(system, given).text());
  return z;
}

}  // namespace rattleback

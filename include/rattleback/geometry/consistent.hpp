// A consistent start: g = 0 and {g,H} = 0.
#pragma once

#include <limits>
#include <string>
#include <type_traits>

#include "rattleback/geometry/fibre.hpp"
#include "rattleback/geometry/hidden_constraint.hpp"
#include "rattleback/geometry/point_report.hpp"
#include "rattleback/geometry/residuals.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/solve/implicit.hpp"

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
template <class Sys, class S>
Status slide(const Sys& system, const MultiplierOf<Sys, S>& sigma, StateOf<Sys, S>& z) {
  if constexpr (always_holonomic<Sys>()) {
    MultiplierOf<Sys, S> g(system.constraint_count());
    JacobianOf<Sys, S> g_q(system.constraint_count(), system.dimension());
    JacobianOf<Sys, S> g_p(system.constraint_count(), system.dimension());
    system.linearise(z.q, z.p, g, g_q, g_p);
    subtract_transposed(g_q, sigma, z.p);
    return {};
  } else {
    return Fibre<Sys, S>(system).slide(system, sigma, z);
  }
}

/// At a start nobody has said how large round-off is: down to the last bit of what is solved for,
/// or to where corrections below this many times it no longer shrink.
inline constexpr double last_bit = 1e-16, start_band = 1e7;

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
  Stopping stopping(last_bit, start_band);
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
    const double size = larger(largest_magnitude(z.q), largest_magnitude(z.p));
    const auto verdict = stopping.judge(moved / larger(size, 1e-300));
    if (verdict != Stopping::Verdict::go_on) return verdict == Stopping::Verdict::done;
  }
  return false;
}

/// Newton along the fibre to {g,H} = 0.
template <class Sys>
bool project_on_hidden(const Sys& system, StateOf<Sys, double>& z) {
  using Equations = Implicit<double, Sys::constraints_at_compile_time>;
  using Lifted = typename Equations::Lifted;
  Equations equations(system.constraint_count(), {.band = start_band});
  ForRuns<HiddenConstraint<Sys, double>, HiddenConstraint<Sys, Lifted>> hidden{
      HiddenConstraint<Sys, double>(system), HiddenConstraint<Sys, Lifted>(system)};
  ForRuns<StateOf<Sys, double>, StateOf<Sys, Lifted>> point{
      z, {z.q.template cast<Lifted>(), z.p.template cast<Lifted>()}};
  MultiplierOf<Sys, double> sigma(system.constraint_count());
  sigma.setZero();
  const double floor = last_bit * larger(1, largest_magnitude(z.p));
  const Status status = equations.solve(sigma, floor, [&](auto on, const auto& x, auto& r) {
    auto& y = point[on];
    copy_entries(on(z.q), y.q);
    copy_entries(on(z.p), y.p);
    if (Status s = slide(system, x, y); !s) return s;
    hidden[on].evaluate(system, y.q, y.p, r);
    return Status{};
  });
  return status && slide(system, sigma, z);
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

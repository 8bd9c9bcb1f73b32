// A consistent start: g = 0 and {g,H} = 0.
#pragma once

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

/// Gauss-Newton onto g = 0 along dg^T: the nearest point for a small residual.
template <class Sys>
bool project_on_primary(const Sys& system, StateOf<Sys, double>& z) {
  constexpr int N = Sys::dimension_at_compile_time;
  constexpr int M = Sys::constraints_at_compile_time;
  const int n = system.dimension(), m = system.constraint_count();
  const bool holonomic = system.traits().holonomic;
  Vector<double, M> g(m);
  Matrix<double, M, N> g_q(m, n), g_p(m, n);
  Matrix<double, M, N> w_q(m, n);
  DenseLu<double, M> lu(m);
  for (int k = 0; k < 50; ++k) {
    system.linearise(z.q, z.p, g, g_q, g_p);
    if (holonomic) g_p.setZero();
    if (largest_magnitude(g) <= 1e-15) return true;
    // Mass-orthogonal where there is a mass: move along M^-1 G^T.
    w_q = g_q;
    if constexpr (NaturalForm<Sys>)
      if (system.traits().natural)
        for (int i = 0; i < m; ++i) {
          Vector<double, N> row = g_q.row(i).transpose(), column(n);
          system.velocity(row, column);
          w_q.row(i) = column.transpose();
        }
    if (!lu.factor([&](int i, int j) {
             return g_q.row(i).dot(w_q.row(j)) + g_p.row(i).dot(g_p.row(j));
           }).ok)
      return false;
    lu.solve(g);
    z.q -= w_q.transpose() * g;
    z.p -= g_p.transpose() * g;
    if (!z.q.allFinite() || !z.p.allFinite()) return false;
    if (largest_magnitude(g) <= 1e-16) return true;
  }
  system.constraint(z.q, z.p, g);
  return largest_magnitude(g) <= 1e-12;
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
  double last = 1e300;
  for (int k = 0; k < 50; ++k) {
    hidden_and_n(system, z, rho, n_matrix);
    const double size = largest_magnitude(rho);
    if (size <= 1e-16 || (size <= 1e-12 && size > 0.25 * last)) return true;
    if (!(size < 1e150)) return false;
    last = size;
    if (!lu.factor([&](int i, int j) { return n_matrix(i, j); }).ok) return false;
    sigma = -rho;
    lu.solve(sigma);
    if (!fibre.slide(system, sigma, z)) return false;
  }
  return last <= 1e-12;
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

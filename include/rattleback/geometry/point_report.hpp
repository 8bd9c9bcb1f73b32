// What holds at a phase point: residuals, brackets, ranks. The numbers behind every message.
#pragma once

#include <string>

#include "rattleback/geometry/hidden_constraint.hpp"
#include "rattleback/geometry/residuals.hpp"
#include "rattleback/problem/system.hpp"

namespace rattleback {

struct PointReport {
  double constraint = 0;     ///< max |g_i|
  double hidden = 0;         ///< max |{g_i, H}|
  double bracket = 0;        ///< max |{g_i, g_j}|: 0 on a coisotropic manifold
  double jacobian_rank = 0;  ///< smallest singular value of dg, relative to the largest
  double nondegeneracy = 0;  ///< smallest singular value of N = {{g,H},g}, relative to its scale
  bool ranks_known = false;  ///< the ranks are computed up to most_constraints

  static constexpr int most_constraints = 300;  ///< dense singular values of more take too long
  bool finite() const;
  std::string text() const;
};

namespace detail {

/// Brackets and ranks from dg = (g_q, g_p), N and the size of H_zz, in the compiled library
/// (decompositions are slow to compile).
void measure_ranks(const Matrix<double, dynamic>& dg, const Matrix<double, dynamic>& n_matrix,
                   double hessian_scale, PointReport& report);

}  // namespace detail

/// rho = {g, H} and N_ij = {rho_i, g_j} at (q, p), by duals along the fields X_gj.
template <class Sys>
void hidden_and_n(const Sys& system, const StateOf<Sys, double>& z, Vector<double, dynamic>& rho,
                  Matrix<double, dynamic>& n_matrix) {
  constexpr int N = Sys::dimension_at_compile_time;
  constexpr int M = Sys::constraints_at_compile_time;
  const int n = system.dimension(), m = system.constraint_count();
  const bool holonomic = system.traits().holonomic;
  Vector<double, M> g(m);
  Matrix<double, M, N> g_q(m, n), g_p(m, n);
  system.linearise(z.q, z.p, g, g_q, g_p);
  rho.resize(m);
  n_matrix.resize(m, m);
  HiddenSlopes<Sys, double, chunk_for<M>> slopes(system);
  slopes.evaluate(
      system, z, m, [&](int j, int i) { return holonomic ? 0 : g_p(j, i); },
      [&](int j, int i) { return -g_q(j, i); }, n_matrix);
  for (int i = 0; i < m; ++i) rho[i] = slopes.value(i);
}

/// The largest entry of H_zz and of H_z: the size that brackets with H can have.
template <class Sys>
double hessian_scale(const Sys& system, const StateOf<Sys, double>& z) {
  constexpr int N = Sys::dimension_at_compile_time;
  constexpr int K = chunk_for<twice<N>>;
  using D = Dual<double, K>;
  const int n = system.dimension();
  Vector<D, N> q(n), p(n), h_q(n), h_p(n);
  double scale = 0;
  sweep<K>(2 * n, [&](const auto& chunk) {
    chunk.seed(z.q, q);
    chunk.seed(z.p, p, n);
    system.energy_gradient(q, p, h_q, h_p);
    scale = larger(scale, larger(largest_magnitude(h_q), largest_magnitude(h_p)));
  });
  return scale;
}

template <class Sys>
PointReport report_point(const Sys& system, const StateOf<Sys, double>& z) {
  constexpr int N = Sys::dimension_at_compile_time;
  constexpr int M = Sys::constraints_at_compile_time;
  const int n = system.dimension(), m = system.constraint_count();
  PointReport report;
  if (m == 0) return report;
  Residuals<Sys, double> residuals(system);
  residuals.evaluate(system, z);
  report.constraint = residuals.largest_primary();
  report.hidden = residuals.largest_hidden();
  if (m > PointReport::most_constraints) return report;
  Vector<double, M> g(m);
  Matrix<double, M, N> g_q(m, n), g_p(m, n);
  system.linearise(z.q, z.p, g, g_q, g_p);
  Matrix<double, dynamic> dg(m, 2 * n), n_matrix;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      dg(i, j) = g_q(i, j);
      dg(i, n + j) = system.traits().holonomic ? 0 : g_p(i, j);
    }
  Vector<double, dynamic> rho;
  hidden_and_n(system, z, rho, n_matrix);
  detail::measure_ranks(dg, n_matrix, hessian_scale(system, z), report);
  return report;
}

}  // namespace rattleback

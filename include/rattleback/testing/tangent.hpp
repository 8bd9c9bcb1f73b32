// Tangent spaces of the primary manifold g = 0 and of the state manifold g = 0, {g,H} = 0, and the
// symplectic form.
#pragma once

#include "rattleback/geometry/hidden_constraint.hpp"
#include "rattleback/problem/system.hpp"

namespace rattleback::testing {

/// dg, m x 2n.
template <class R, class Sys>
Matrix<R, dynamic> constraint_differential(const Sys& system, const StateOf<Sys, R>& z) {
  const int n = system.dimension(), m = system.constraint_count();
  MultiplierOf<Sys, R> g(m);
  JacobianOf<Sys, R> g_q(m, n), g_p(m, n);
  if (m > 0) system.linearise(z.q, z.p, g, g_q, g_p);
  if (system.traits().holonomic) g_p.setZero();
  Matrix<R, dynamic> dg(m, 2 * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) dg(i, j) = g_q(i, j), dg(i, n + j) = g_p(i, j);
  return dg;
}

/// rho = {g,H} and its derivatives along the columns of `directions` (2n x k).
template <class R, class Sys>
void hidden_along(const Sys& system, const StateOf<Sys, R>& z, const Matrix<R, dynamic>& directions,
                  Vector<R, dynamic>& rho, Matrix<R, dynamic>& slopes) {
  const int n = system.dimension(), m = system.constraint_count();
  const int count = static_cast<int>(directions.cols());
  rho.resize(m);
  slopes.resize(m, count);
  if (m == 0) return;
  HiddenSlopes<Sys, R, 4> hidden(system);
  hidden.evaluate(
      system, z, count, [&](int j, int i) { return directions(i, j); },
      [&](int j, int i) { return directions(n + i, j); }, slopes);
  for (int i = 0; i < m; ++i) rho[i] = hidden.value(i);
}

/// An orthonormal basis (columns) of the vectors that all rows of a annihilate. The rows must be
/// independent.
inline Matrix<double, dynamic> kernel(const Matrix<double, dynamic>& a) {
  const Eigen::Index d = a.cols(), r = a.rows();
  Matrix<double, dynamic> basis(d, d);
  Eigen::Index have = 0;
  // Gram-Schmidt, twice: first the rows, then in each round the unit vector that is left longest.
  const auto reduced = [&](Vector<double, dynamic> v) {
    for (int sweep = 0; sweep < 2; ++sweep)
      for (Eigen::Index k = 0; k < have; ++k) v -= basis.col(k).dot(v) * basis.col(k);
    return v;
  };
  for (Eigen::Index i = 0; i < r; ++i) {
    const Vector<double, dynamic> v = reduced(a.row(i).transpose());
    basis.col(have++) = v / v.norm();
  }
  while (have < d) {
    Vector<double, dynamic> longest = Vector<double, dynamic>::Zero(d);
    for (Eigen::Index i = 0; i < d; ++i) {
      const Vector<double, dynamic> v = reduced(Vector<double, dynamic>::Unit(d, i));
      if (v.norm() > longest.norm()) longest = v;
    }
    basis.col(have++) = longest / longest.norm();
  }
  return basis.rightCols(d - r);
}

/// omega(u, v) = u_q.v_p - u_p.v_q for all pairs of columns.
inline Matrix<double, dynamic> symplectic_form(const Matrix<double, dynamic>& vectors) {
  const Eigen::Index n = vectors.rows() / 2;
  const Matrix<double, dynamic> product = vectors.topRows(n).transpose() * vectors.bottomRows(n);
  return product - product.transpose();
}

}  // namespace rattleback::testing

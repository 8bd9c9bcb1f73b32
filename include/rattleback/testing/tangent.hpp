// Tangent spaces of the primary manifold g = 0 and of the state manifold g = 0, {g,H} = 0, and the
// symplectic form.
#pragma once

#include "rattleback/problem/derivatives.hpp"
#include "rattleback/problem/dual.hpp"
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
  using D = Dual<R, 4>;
  const int n = system.dimension(), m = system.constraint_count();
  const int count = static_cast<int>(directions.cols());
  rho.resize(m);
  slopes.resize(m, count);
  if (m == 0) return;
  StateOf<Sys, D> y{PositionOf<Sys, D>(n), PositionOf<Sys, D>(n)};
  PositionOf<Sys, D> h_q(n), h_p(n);
  MultiplierOf<Sys, D> g(m);
  JacobianOf<Sys, D> g_q(m, n), g_p(m, n);
  for (int first = 0; first < std::max(count, 1); first += 4) {
    for (int i = 0; i < n; ++i) {
      y.q[i] = D(z.q[i]), y.p[i] = D(z.p[i]);
      for (int k = 0; k < 4 && first + k < count; ++k) {
        y.q[i].partials[k] = directions(i, first + k);
        y.p[i].partials[k] = directions(n + i, first + k);
      }
    }
    system.linearise(y.q, y.p, g, g_q, g_p);
    system.energy_gradient(y.q, y.p, h_q, h_p);
    for (int i = 0; i < m; ++i) {
      D sum(R(0));
      for (int j = 0; j < n; ++j) sum += g_q(i, j) * h_p[j];
      if (!system.traits().holonomic)
        for (int j = 0; j < n; ++j) sum -= g_p(i, j) * h_q[j];
      rho[i] = sum.value;
      for (int k = 0; k < 4 && first + k < count; ++k) slopes(i, first + k) = sum.partials[k];
    }
  }
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

// The exact solution of the constrained equations, to round-off in any scalar: the truth that
// methods are measured against.
//   z' = X_H + sum lambda_i X_gi,  lambda = -N^-1 drho.X_H,  rho = {g,H},  N_ij = drho_i.X_gj
#pragma once

#include "rattleback/geometry/flow.hpp"
#include "rattleback/solve/dense.hpp"
#include "rattleback/testing/tangent.hpp"
#include "rattleback/testing/trial.hpp"

namespace rattleback::testing {

template <class R, class Sys>
class ConstrainedField {
 public:
  explicit ConstrainedField(const Sys& system) : system_(system) {}

  void operator()(const Vector<R, dynamic>& x, Vector<R, dynamic>& out) const {
    const int n = system_.dimension(), m = system_.constraint_count();
    StateOf<Sys, R> z{PositionOf<Sys, R>(n), PositionOf<Sys, R>(n)};
    for (int i = 0; i < n; ++i) z.q[i] = x[i], z.p[i] = x[n + i];
    PositionOf<Sys, R> h_q(n), h_p(n);
    system_.energy_gradient(z.q, z.p, h_q, h_p);
    const Matrix<R, dynamic> dg = constraint_differential<R>(system_, z);
    Matrix<R, dynamic> fields(2 * n, m + 1);  // X_g1 .. X_gm, X_H
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < m; ++k) fields(i, k) = dg(k, n + i), fields(n + i, k) = -dg(k, i);
      fields(i, m) = h_p[i], fields(n + i, m) = -h_q[i];
    }
    out = fields.col(m);
    if (m == 0) return;
    Vector<R, dynamic> rho;
    Matrix<R, dynamic> slopes;
    hidden_along<R>(system_, z, fields, rho, slopes);
    DenseLu<R> lu(m);
    const FactorReport report = lu.factor([&](int i, int j) { return slopes(i, j); });
    Vector<R, dynamic> lambda = slopes.col(m);
    lu.solve(lambda);
    // A singular N makes the solution undefined: let it show.
    if (!report.ok) lambda.setConstant(R(std::numeric_limits<double>::quiet_NaN()));
    for (int i = 0; i < 2 * n; ++i)
      for (int k = 0; k < m; ++k) out[i] -= fields(i, k) * lambda[k];
  }

 private:
  const Sys& system_;
};

/// The state at time t; status says whether the series converged.
template <class R, class Sys>
Status solve_exactly(const Sys& system, StateOf<Sys, R>& z, const R& t) {
  const int n = system.dimension();
  Vector<R, dynamic> x(2 * n);
  for (int i = 0; i < n; ++i) x[i] = z.q[i], x[n + i] = z.p[i];
  RoundOffFlow<R, dynamic> flow(2 * n);
  const Status status = flow.advance(ConstrainedField<R, Sys>(system), t, x);
  for (int i = 0; i < n; ++i) z.q[i] = x[i], z.p[i] = x[n + i];
  return status;
}

}  // namespace rattleback::testing

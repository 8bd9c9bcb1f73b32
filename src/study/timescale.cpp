#include "rattleback/study/timescale.hpp"

#include <algorithm>
#include <cmath>

#include "rattleback/geometry/point_report.hpp"
#include "rattleback/solve/dense.hpp"

namespace rattleback::study {

namespace {

using V = Vector<double, dynamic>;

/// Beyond this, dense matrices take longer than an estimate is worth.
constexpr int most_constraints = 200;

/// z + s (x, y)
State<double> moved(const State<double>& z, double s, const State<double>& d) {
  return {z.q + s * d.q, z.p + s * d.p};
}

/// z' = X_H + sum lambda_j X_gj with lambda such that d/dt {g, H} = 0.
class Field {
 public:
  explicit Field(const AnySystem& system)
      : system_(system), residuals_(system), lu_(std::max(1, system.constraint_count())) {}

  bool rate(const State<double>& z, State<double>& rate) {
    const int n = system_.dimension(), m = system_.constraint_count();
    V h_q(n), h_p(n);
    system_.energy_gradient(z.q, z.p, h_q, h_p);
    rate = {h_p, -h_q};
    if (m == 0) return true;
    V rho, lambda(m), g(m);
    Matrix<double, dynamic> n_matrix, g_q(m, n), g_p(m, n);
    hidden_and_n(system_, z, rho, n_matrix);
    // {{g, H}, H} by central differences along X_H.
    const double size = larger(largest_magnitude(rate.q), largest_magnitude(rate.p));
    const double e = 1e-5 / larger(1, size);
    for (const double sign : {1.0, -1.0}) {
      residuals_.evaluate(system_, moved(z, sign * e, rate));
      for (int i = 0; i < m; ++i)
        lambda[i] = (sign > 0 ? 0 : lambda[i]) - sign * residuals_.hidden(i) / (2 * e);
    }
    if (!lu_.factor([&](int i, int j) { return n_matrix(i, j); }).ok) return false;
    lu_.solve(lambda);
    g_p.setZero();
    system_.linearise(z.q, z.p, g, g_q, g_p);
    if (system_.traits().holonomic) g_p.setZero();
    rate.q += g_p.transpose() * lambda;
    rate.p -= g_q.transpose() * lambda;
    return true;
  }

 private:
  const AnySystem& system_;
  Residuals<AnySystem, double> residuals_;
  DenseLu<double, dynamic> lu_;
};

double size_of(const V& v) {
  const double size = largest_magnitude(v);
  return size > 0 ? size : 1;
}

}  // namespace

double fastest_rate(const AnySystem& system, const State<double>& z) {
  if (system.constraint_count() > most_constraints) return 0;
  const int n = system.dimension();
  Field field(system);
  // Positions and momenta in units of their own size.
  const double q_unit = size_of(z.q), p_unit = size_of(z.p);
  V x = V::NullaryExpr(2 * n, [](Eigen::Index i) { return std::cos(1.7 * double(i) + 0.3); });
  x /= x.norm();
  const double e = 1e-4;
  constexpr int ignored = 5, counted = 10;
  double growth = 0;
  for (int k = 0; k < ignored + counted; ++k) {
    const State<double> direction{q_unit * x.head(n), p_unit * x.tail(n)};
    State<double> ahead, behind;
    if (!field.rate(moved(z, e, direction), ahead) || !field.rate(moved(z, -e, direction), behind))
      return 0;
    x << (ahead.q - behind.q) / (2 * e * q_unit), (ahead.p - behind.p) / (2 * e * p_unit);
    const double length = x.norm();
    if (!std::isfinite(length) || !(length > 0)) return 0;
    x /= length;
    if (k >= ignored) growth += std::log(length);
  }
  return std::exp(growth / counted);
}

}  // namespace rattleback::study

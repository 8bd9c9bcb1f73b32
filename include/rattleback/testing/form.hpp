// The symplectic form on the tangent space where a method claims to preserve it, from the exact
// Jacobian of the step map: the step is run on dual numbers seeded with tangent vectors.
#pragma once

#include "rattleback/testing/results.hpp"
#include "rattleback/testing/tangent.hpp"
#include "rattleback/testing/trial.hpp"

namespace rattleback::testing {

struct FormOptions {
  double step = 0.0625;
  int steps = 3;
  /// Of the states as they are looked at; false: of the map of the states as they are carried.
  bool shown = true;
};

/// Columns span the tangent space at z; `nothing` stands for the state manifold.
template <class Sys>
Matrix<double, dynamic> tangent_space(const Sys& system, const StateOf<Sys, double>& z,
                                      SymplecticOn on) {
  const int n = system.dimension(), m = system.constraint_count();
  Matrix<double, dynamic> unit = Matrix<double, dynamic>::Identity(2 * n, 2 * n);
  if (on == SymplecticOn::phase_space) return unit;
  const Matrix<double, dynamic> dg = constraint_differential<double>(system, z);
  if (on == SymplecticOn::primary_manifold) return kernel(dg);
  Vector<double, dynamic> rho;
  Matrix<double, dynamic> slopes, both(2 * m, 2 * n);
  hidden_along<double>(system, z, unit, rho, slopes);
  both << dg, slopes;
  return kernel(both);
}

template <class Sys, class M>
FormResult check_form(const Sys& system, const M& method, const Start<Sys>& start, SymplecticOn on,
                      const FormOptions& options = {}) {
  using D = Dual<double, 4>;
  const int n = system.dimension();
  const auto z0 = convert<double>(start);
  const Matrix<double, dynamic> u = tangent_space(system, z0, on);
  const int count = static_cast<int>(u.cols());
  FormResult result{.on = on, .directions = count};
  Matrix<double, dynamic> image(2 * n, count);
  for (int first = 0; first < count; first += 4) {
    auto z = convert<D>(z0);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < 4 && first + k < count; ++k) {
        z.q[i].partials[k] = u(i, first + k);
        z.p[i].partials[k] = u(n + i, first + k);
      }
    Trial<D, Sys, M> trial(system, method, z);
    trial.run(options.step, options.steps);
    z = options.shown ? trial.shown() : trial.state();
    result.failure = trial.failure();
    if (!result.failure.empty()) return result;
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < 4 && first + k < count; ++k) {
        image(i, first + k) = z.q[i].partials[k];
        image(n + i, first + k) = z.p[i].partials[k];
      }
  }
  const Matrix<double, dynamic> change = symplectic_form(image) - symplectic_form(u);
  result.defect = largest_magnitude(change);
  return result;
}

/// Where the method claims it.
template <class Sys, class M>
FormResult check_form(const Sys& system, const M& method, const Start<Sys>& start,
                      const FormOptions& options = {}) {
  return check_form(system, method, start, method.info().symplectic_on, options);
}

}  // namespace rattleback::testing

// The symplectic form on the tangent space where a method claims to preserve it, from the exact
// Jacobian of the step map: the step is run on dual numbers seeded with tangent vectors. A map of a
// manifold ends on it, so that is looked at too.
#pragma once

#include "rattleback/testing/jacobian.hpp"
#include "rattleback/testing/residuals.hpp"
#include "rattleback/testing/tangent.hpp"

namespace rattleback::testing {

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

/// How far z is from the manifold.
template <class Sys>
double distance_from(SymplecticOn manifold, const Sys& system, const StateOf<Sys, double>& z) {
  const ResidualResult at = residuals_at(system, z);
  if (manifold == SymplecticOn::primary_manifold) return at.primary;
  return manifold == SymplecticOn::state_manifold ? larger(at.primary, at.hidden) : 0;
}

template <class Sys, class M>
FormResult check_form(const Sys& system, const M& method, const Start<Sys>& start, SymplecticOn on,
                      MapOptions options = {}) {
  options.memory = chosen_memory(system, method, start, options.step);
  const auto z = convert<double>(start);
  const Matrix<double, dynamic> u = tangent_space(system, z, on);
  FormResult result{.on = on, .directions = static_cast<int>(u.cols())};
  const auto moved = images(system, method, z, u, options, result.failure);
  if (!result.failure.empty()) return result;
  const Matrix<double, dynamic> change = symplectic_form(moved) - symplectic_form(u);
  result.defect = largest_magnitude(change);
  result.leaving =
      distance_from(on, system, image<double>(system, method, z, options, result.failure));
  return result;
}

/// Where the method claims it.
template <class Sys, class M>
FormResult check_form(const Sys& system, const M& method, const Start<Sys>& start,
                      const MapOptions& options = {}) {
  return check_form(system, method, start, method.info().symplectic_on, options);
}

}  // namespace rattleback::testing

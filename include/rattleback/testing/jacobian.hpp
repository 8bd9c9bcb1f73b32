// The Jacobian of the step map: from dual numbers, and from differences in quad precision, which
// know nothing of how a solver carries derivatives along. The symplectic form does not see errors
// along the fibres, this does.
#pragma once

#include "rattleback/problem/sweep.hpp"
#include "rattleback/testing/results.hpp"
#include "rattleback/testing/trial.hpp"

namespace rattleback::testing {

struct MapOptions {
  double step = 0.0625;
  int steps = 3;
  /// Of the states as they are looked at; false: of the map of the states as they are carried.
  bool shown = true;
  std::vector<double> memory{};  ///< of the method, where it has one (chosen_memory())
};

/// z after some steps; failure is set where there is no such state.
template <class S, class Sys, class M>
StateOf<Sys, S> image(const Sys& system, const M& method, const StateOf<Sys, S>& z,
                      const MapOptions& options, std::string& failure) {
  Trial<S, Sys, M> trial(system, method, z);
  trial.remember(options.memory);
  trial.run(Real<S>(options.step), options.steps);
  const auto result = options.shown ? trial.shown() : trial.state();
  if (failure.empty()) failure = trial.failure();
  return result;
}

/// The map's derivative along the columns of `directions` (2n x k) at z.
template <class Sys, class M>
Matrix<double, dynamic> images(const Sys& system, const M& method, const StateOf<Sys, double>& z,
                               const Matrix<double, dynamic>& directions, const MapOptions& options,
                               std::string& failure) {
  using D = Dual<double, 4>;
  const int n = system.dimension(), count = static_cast<int>(directions.cols());
  Matrix<double, dynamic> out(2 * n, count);
  sweep<4>(count, [&](const auto& chunk) {
    auto y = convert<D>(z);
    chunk.seed_along(
        z.q, [&](int j, int i) { return directions(i, j); }, y.q);
    chunk.seed_along(
        z.p, [&](int j, int i) { return directions(n + i, j); }, y.p);
    y = image<D>(system, method, y, options, failure);
    chunk.read(y.q, out);
    chunk.read(y.p, [&](int i, int j) -> double& { return out(n + i, j); });
    return failure.empty();
  });
  return out;
}

/// The same from (map(z + d u) - map(z - d u))/(2 d): the error is d^2 = 1e-20.
template <class Sys, class M>
Matrix<double, dynamic> images_by_differences(const Sys& system, const M& method,
                                              const Start<Sys>& z,
                                              const Matrix<double, dynamic>& directions,
                                              const MapOptions& options, std::string& failure) {
  const Quad d(1e-10);
  const int n = system.dimension(), count = static_cast<int>(directions.cols());
  Matrix<double, dynamic> out(2 * n, count);
  for (int k = 0; k < count && failure.empty(); ++k) {
    Start<Sys> ahead = z, behind = z;
    for (int i = 0; i < n; ++i) {
      const Quad u = d * directions(i, k), v = d * directions(n + i, k);
      ahead.q[i] += u, ahead.p[i] += v;
      behind.q[i] -= u, behind.p[i] -= v;
    }
    ahead = image<Quad>(system, method, ahead, options, failure);
    behind = image<Quad>(system, method, behind, options, failure);
    for (int i = 0; i < n; ++i) {
      out(i, k) = static_cast<double>(Quad((ahead.q[i] - behind.q[i]) / (2 * d)));
      out(n + i, k) = static_cast<double>(Quad((ahead.p[i] - behind.p[i]) / (2 * d)));
    }
  }
  return out;
}

/// Along every direction of phase space.
template <class Sys, class M>
JacobianResult check_jacobian(const Sys& system, const M& method, const Start<Sys>& start,
                              MapOptions options = {}) {
  const int n = system.dimension();
  options.memory = chosen_memory(system, method, start, options.step);
  const Matrix<double, dynamic> unit = Matrix<double, dynamic>::Identity(2 * n, 2 * n);
  JacobianResult result;
  const auto exact = images_by_differences(system, method, start, unit, options, result.failure);
  const auto dual = images(system, method, convert<double>(start), unit, options, result.failure);
  if (!result.failure.empty()) return result;
  result.size = largest_magnitude(exact);
  result.difference = largest_magnitude(Matrix<double, dynamic>(dual - exact));
  return result;
}

}  // namespace rattleback::testing

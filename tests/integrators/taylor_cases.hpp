// Uneven chains of rods, for what is asked of Taylor's method.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "rattleback/integrators/registry.hpp"
#include "rattleback/problem/linked_system.hpp"
#include "rattleback/problem/quad.hpp"

namespace rattleback::taylor_tests {

inline Method taylor(int order) { return find_method("taylor:order=" + std::to_string(order)); }

inline const auto height = [](const auto& x) { return x[1] * 0.75; };
/// A field for each body, still uniform.
inline const auto tilted = [](const auto& x, int body) {
  return x[0] * 0.25 + x[1] * (0.5 + 0.125 * body);
};

/// Uneven rods and masses, moving in space or in a plane. What is computed of their numbers,
/// inverse masses and squares, is exact in double: the two ways round it in different precision.
template <int D, class Potential>
auto uneven_chain(int n, const Potential& potential) {
  std::vector<double> masses, lengths;
  for (int i = 0; i < n; ++i)
    masses.push_back(std::ldexp(1.0, i % 3 - 1)), lengths.push_back(0.5 + i % 5 / 8.0);
  return chain_system<D>(masses, lengths, potential);
}
template <int D, class Sys>
State<Quad> start_in(const Sys& system) {
  const int n = system.bodies();
  State<Quad> z{Vector<Quad, dynamic>(D * n), Vector<Quad, dynamic>(D * n)};
  Vector<Quad, D> at = Vector<Quad, D>::Zero(), velocity = at;
  for (int i = 0; i < n; ++i) {
    const Quad angle = 0.8 + 0.4 * std::sin(0.3 * i), turn = 0.5 * std::cos(0.7 * i);
    Vector<Quad, D> link = Vector<Quad, D>::Zero(), across = link;
    link[0] = sin(angle), link[1] = -cos(angle);
    across[0] = cos(angle), across[1] = sin(angle);
    if (D == 3) across[D - 1] = Quad(0.25);
    at += link * Quad(system.rod_length(i)), velocity += across * turn;
    for (int c = 0; c < D; ++c) {
      z.q[D * i + c] = at[c];
      z.p[D * i + c] = velocity[c] * Quad(system.mass(i));
    }
  }
  return z;
}

}  // namespace rattleback::taylor_tests

// Witness problems: nonlinear systems with known structure and consistent starts, exact in every
// scalar. The same problems, with the same numbers, as tests/reference.
#pragma once

#include "rattleback/problem/witness/chain.hpp"
#include "rattleback/problem/witness/degenerate.hpp"
#include "rattleback/problem/witness/general.hpp"
#include "rattleback/problem/witness/holonomic.hpp"
#include "rattleback/problem/witness/mixed.hpp"

namespace rattleback::witness {

/// visitor(name, system, start) for every regular problem; start.in<S>() is the phase point.
template <class Visitor>
void for_each_holonomic(Visitor&& visitor) {
  visitor("planar_pendulum", planar_pendulum(), planar_pendulum_start);
  visitor("spherical_pendulum", spherical_pendulum(), spherical_pendulum_start);
  visitor("double_pendulum", double_pendulum(), double_pendulum_start);
  visitor("chain_2d", chain_2d(), chain_2d_start);
  visitor("chain_3d", chain_3d(), chain_3d_start);
  visitor("quartic", quartic(), quartic_start);
  visitor("variable_mass_sphere", variable_mass_sphere(), variable_mass_sphere_start);
  visitor("full_mass_sphere", full_mass_sphere(), full_mass_sphere_start);
  visitor("four_bar", four_bar(), four_bar_start);
  visitor("ellipsoid", ellipsoid(), ellipsoid_start);
  visitor("magnetic", magnetic(), magnetic_start);
  visitor("polar_line", polar_line(), polar_line_start);
}
template <class Visitor>
void for_each_mixed(Visitor&& visitor) {
  visitor("hopf_free", hopf_free(), hopf_free_start);
  visitor("hopf_gravity", hopf_gravity(), hopf_gravity_start);
  visitor("hopf_shifted", hopf_shifted(), hopf_shifted_start);
  visitor("hopf_quartic", hopf_quartic(), hopf_quartic_start);
  visitor("two_harmonic", two_harmonic(), two_harmonic_start);
  visitor("harmonic_angular", harmonic_angular(), harmonic_angular_start);
  visitor("zero_angular_momentum", zero_angular_momentum(), zero_angular_momentum_start);
  visitor("index1", index1(), index1_start);
  visitor("mixed_quartic", mixed_quartic(), mixed_quartic_start);
}
template <class Visitor>
void for_each(Visitor&& visitor) {
  for_each_holonomic(visitor);
  for_each_mixed(visitor);
}

}  // namespace rattleback::witness

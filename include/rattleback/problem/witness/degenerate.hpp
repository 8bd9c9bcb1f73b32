// Problems that the methods do not apply to, N = {{g,H},g} being singular  [McLachlan12 5.2]: they
// must be refused with the reason.
#pragma once

#include "rattleback/problem/hamiltonian_system.hpp"
#include "rattleback/problem/natural_system.hpp"
#include "rattleback/problem/witness/start.hpp"

namespace rattleback::witness {

/// H = p^2/2 + pbar q, g = qbar: of index 5, further hidden constraints; only qbar = q = p = pbar =
/// 0 is left of it.
inline auto index5() {
  return hamiltonian_system<2>(
      [](const auto& q, const auto& p) { return p[0] * p[0] / 2 + p[1] * q[0]; },
      [](const auto& q) { return q[1]; });
}
/// On g = 0 and {g, H} = q = 0, the two constraints that a method sees.
inline constexpr Start<2> index5_start{{"0", "0"}, {"0.5", "0.25"}};

/// Its gauge sibling H = p^2/2, g = qbar: {g, H} = 0 everywhere, pbar is not determined.
inline auto gauge() {
  return hamiltonian_system<2>([](const auto&, const auto& p) { return p[0] * p[0] / 2; },
                               [](const auto& q) { return q[1]; });
}
inline constexpr Start<2> gauge_start{{"0.75", "0"}, {"0.5", "0.25"}};

/// The energy itself as constraint, H = 1/2: {g, H} = 0 everywhere.
inline auto energy_constraint() {
  const auto potential = []<class Q>(const Q& q) {
    using S = typename Q::Scalar;
    return S(q[1] + q[0] * q[0] * ratio<S>(3, 10));
  };
  return natural_system(mass(1, 1), potential, [potential](const auto& q, const auto& p) {
    return (p[0] * p[0] + p[1] * p[1] - 1) / 2 + potential(q);
  });
}
inline constexpr Start<2> energy_constraint_start{{"1", "-0.3"}, {"0.6", "0.8"}};

}  // namespace rattleback::witness

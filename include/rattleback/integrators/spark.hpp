// Gauss-Lobatto SPARK for any H(q, p) and g(q): Gauss's s stages for H, multipliers at s + 1
// Lobatto nodes (partitioned_tableau.hpp): order 2s, g = 0 at every node and {g,H} = 0 at the end.
// One stage is RATTLE over the midpoint rule.
#pragma once

#include <string>

#include "rattleback/integrators/partitioned.hpp"

namespace rattleback {

inline MethodInfo spark_info(int stages) {
  return {.name = "spark:stages=" + std::to_string(stages),
          .order = 2 * stages,
          .symmetric = true,
          .symplectic_on = SymplecticOn::state_manifold,
          .preserves_primary = true,
          .preserves_hidden = true,
          .applies = {.holonomic = true},
          .cite = "[Jay98]"};
}

struct Spark {
  int stages = 1;
  SolveOptions solve{};
  MethodInfo info() const { return spark_info(stages); }
  template <class S, class Sys>
  auto stepper(const Sys& system) const {
    return typed_partitioned_stepper<S>(system, gauss_lobatto<Real<S>>(stages), solve);
  }
};

}  // namespace rattleback

// The constrained Lobatto IIIA-IIIB pair for any H(q, p) and g(q), any number of stages s > 1
// (partitioned_tableau.hpp): order 2s - 2, g = 0 at every stage and {g,H} = 0 at the end. Two
// stages are RATTLE over verlet.
//
// The first row of a and the last column of a^ are zero. So g(Q_1) = 0 says nothing, Lambda_1, ...,
// Lambda_{s-1} come from g(Q_2) = ... = g(Q_s) = 0, and Lambda_s from the hidden constraint.
#pragma once

#include <string>

#include "rattleback/integrators/partitioned.hpp"

namespace rattleback {

inline MethodInfo lobatto_info(int stages) {
  return {.name = "lobatto:stages=" + std::to_string(stages),
          .order = 2 * stages - 2,
          .symmetric = true,
          .symplectic_on = SymplecticOn::state_manifold,
          .preserves_primary = true,
          .preserves_hidden = true,
          .applies = {.holonomic = true},
          .cite = "[Jay96]"};
}

struct Lobatto {
  int stages = 2;
  SolveOptions solve{};
  MethodInfo info() const { return lobatto_info(stages); }
  template <class S, class Sys>
  auto stepper(const Sys& system) const {
    return typed_partitioned_stepper<S>(system, lobatto_pair<Real<S>>(stages), solve);
  }
};

}  // namespace rattleback

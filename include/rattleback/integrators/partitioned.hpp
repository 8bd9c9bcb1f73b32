// Partitioned Runge-Kutta methods on systems known by their type, by a tableau of one's own too.
#pragma once

#include "rattleback/integrators/backed_stepper.hpp"
#include "rattleback/integrators/method_info.hpp"
#include "rattleback/integrators/partitioned_natural.hpp"
#include "rattleback/integrators/partitioned_stages.hpp"
#include "rattleback/integrators/shake_rattle.hpp"

namespace rattleback {

/// For a system known by its type: the core of natural ones where it is one, backed by full
/// matrices.
template <class S, class Sys>
auto typed_partitioned_stepper(const Sys& system, const PartitionedTableau<Real<S>>& tableau,
                               const SolveOptions& solve) {
  using Dense = PartitionedStepper<Sys, S>;
  if constexpr (detail::natural_form<Sys>()) {
    using Fast = CoreStepper<Sys, S, PartitionedNatural<Sys, S>>;
    return BackedStepper<Sys, S, Fast, Dense>(
        Fast(system, tableau, Projection::every, solve),
        [=](const Sys& same) { return Dense(same, tableau, solve); });
  } else {
    return Dense(system, tableau, solve);
  }
}

/// A method by its tableau, with what it is to claim: conditions() says what it can.
struct PartitionedRungeKutta {
  PartitionedTableau<Quad> tableau;
  MethodInfo claims;
  SolveOptions solve{};

  MethodInfo info() const { return claims; }
  template <class S, class Sys>
  auto stepper(const Sys& system) const {
    return typed_partitioned_stepper<S>(system, tableau.template cast<Real<S>>(), solve);
  }
};

}  // namespace rattleback

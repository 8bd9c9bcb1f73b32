// compiled_partitioned_stepper(): every scalar has a source of its own, so that they compile side
// by side.
#pragma once

#include <memory>
#include <utility>

#include "compiled_natural_stepper.hpp"
#include "partitioned_stepper.hpp"
#include "rattleback/integrators/partitioned_natural.hpp"

namespace rattleback {

template <class S>
AnyStepperPointer<S> compiled_partitioned_stepper(const AnySystem& system,
                                                  const PartitionedTableau<Real<S>>& tableau,
                                                  const SolveOptions& solve) {
  using Sys = CompiledSystem<S>;
  using Stepper = CoreStepper<Sys, S, PartitionedNatural<Sys, S>>;
  if (!system.model<S>().compiled()) return nullptr;
  return detail::on_sparse_code<S>(system,
                                   [&](std::shared_ptr<const Sys> typed) -> AnyStepperPointer<S> {
                                     return std::make_unique<detail::BoundStepper<S, Sys, Stepper>>(
                                         std::move(typed), tableau, Projection::every, solve);
                                   });
}

}  // namespace rattleback

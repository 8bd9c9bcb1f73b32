// compiled_partitioned_stepper(): every scalar has a source of its own, so that they compile side
// by side.
#pragma once

#include <memory>
#include <optional>
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
  const CompiledNatural* code = system.model<S>().compiled();
  if (!code) return nullptr;
  std::optional<SparseAlgebra> algebra;
  if (code->lanes == 1)
    algebra.emplace(code->pattern, code->inverse_mass);
  else
    algebra = SparseAlgebra::packed(*code);
  if (!algebra) return nullptr;
  const auto owned = std::make_shared<detail::Owned<Sys>>(
      detail::Owned<Sys>{system, Sys(*code, std::move(*algebra))});
  return std::make_unique<detail::BoundStepper<S, Sys, Stepper>>(
      std::shared_ptr<const Sys>(owned, &owned->system), tableau, Projection::every, solve);
}

}  // namespace rattleback

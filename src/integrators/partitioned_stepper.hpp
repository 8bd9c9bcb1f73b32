// Partitioned Runge-Kutta and splitting steppers for systems known at run time, compiled once.
#pragma once

#include "rattleback/integrators/any_stepper.hpp"
#include "rattleback/integrators/core_stepper.hpp"
#include "rattleback/integrators/splitting.hpp"
#include "rattleback/solve/partitioned_tableau.hpp"

namespace rattleback {

/// By full matrices over all stages.
template <class S>
AnyStepperPointer<S> partitioned_stepper(const AnySystem& system,
                                         const PartitionedTableau<Real<S>>& tableau,
                                         const SolveOptions& solve);

/// By the fastest core for one drift. The system must be separable, its constraints on positions.
template <class S>
AnyStepperPointer<S> splitting_stepper(const AnySystem& system, const Substeps& substeps,
                                       Projection project, const SolveOptions& solve);

/// Throws ModelError that begins with the method's name.
inline void require_holonomic(const char* method, const AnySystem& system) {
  if (!system.traits().holonomic)
    throw ModelError(std::string(method) + ": " + system.name() + " has constraints on momenta");
}

}  // namespace rattleback

// Partitioned Runge-Kutta and splitting steppers for systems known at run time, each compiled once
// for the scalars of Factories.
#pragma once

#include "rattleback/integrators/any_stepper.hpp"
#include "rattleback/integrators/core_stepper.hpp"
#include "rattleback/integrators/splitting.hpp"
#include "rattleback/solve/partitioned_tableau.hpp"

namespace rattleback {

/// By the structure of the constraints where the system is natural, and by full matrices else.
template <class S>
AnyStepperPointer<S> partitioned_stepper(const AnySystem& system,
                                         const PartitionedTableau<Real<S>>& tableau,
                                         const SolveOptions& solve);
/// By full matrices over all stages.
template <class S>
AnyStepperPointer<S> dense_partitioned_stepper(const AnySystem& system,
                                               const PartitionedTableau<Real<S>>& tableau,
                                               const SolveOptions& solve);
/// On system.model<S>().compiled(), S a double or a Pack; null if there is none.
template <class S>
AnyStepperPointer<S> compiled_partitioned_stepper(const AnySystem& system,
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

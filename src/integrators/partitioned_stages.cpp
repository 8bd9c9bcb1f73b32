#include "rattleback/integrators/partitioned_stages.hpp"

#include "partitioned_stepper.hpp"
#include "rattleback/problem/pack.hpp"

namespace rattleback {

template <class S>
AnyStepperPointer<S> dense_partitioned_stepper(const AnySystem& system,
                                               const PartitionedTableau<Real<S>>& tableau,
                                               const SolveOptions& solve) {
  return erase<S>(PartitionedStepper<AnySystem, S>(system, tableau, solve));
}
template AnyStepperPointer<double> dense_partitioned_stepper(
    const AnySystem&, const PartitionedTableau<Real<double>>&, const SolveOptions&);
template AnyStepperPointer<Dual<double, 4>> dense_partitioned_stepper(
    const AnySystem&, const PartitionedTableau<Real<double>>&, const SolveOptions&);
template AnyStepperPointer<Quad> dense_partitioned_stepper(const AnySystem&,
                                                           const PartitionedTableau<Quad>&,
                                                           const SolveOptions&);
template AnyStepperPointer<Pack> dense_partitioned_stepper(const AnySystem&,
                                                           const PartitionedTableau<Real<Pack>>&,
                                                           const SolveOptions&);

}  // namespace rattleback

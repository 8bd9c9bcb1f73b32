#include "rattleback/integrators/partitioned_stages.hpp"

#include "../partitioned_stepper.hpp"
#include "scalars.hpp"

namespace rattleback {

template <class S>
AnyStepperPointer<S> dense_partitioned_stepper(const AnySystem& system,
                                               const PartitionedTableau<Real<S>>& tableau,
                                               const SolveOptions& solve) {
  return erase<S>(PartitionedStepper<AnySystem, S>(system, tableau, solve));
}
#define PARTITIONED_STAGES(S)                              \
  template AnyStepperPointer<S> dense_partitioned_stepper( \
      const AnySystem&, const PartitionedTableau<Real<S>>&, const SolveOptions&);
RATTLEBACK_FOR_FAMILY_SCALARS(PARTITIONED_STAGES)

}  // namespace rattleback

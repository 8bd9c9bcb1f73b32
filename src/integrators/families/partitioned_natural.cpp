#include "rattleback/integrators/partitioned_natural.hpp"

#include "../partitioned_stepper.hpp"
#include "rattleback/integrators/backed_stepper.hpp"
#include "scalars.hpp"

namespace rattleback {

namespace {

/// Up to this many unknowns, full matrices are tried before a step is given up.
constexpr int few_unknowns = 400;

template <class S>
AnyStepperPointer<S> fast(const AnySystem& system, const PartitionedTableau<Real<S>>& tableau,
                          const SolveOptions& solve) {
  if constexpr (std::is_same_v<S, double> || std::is_same_v<S, Pack>)
    if (auto compiled = compiled_partitioned_stepper<S>(system, tableau, solve)) return compiled;
  return erase<S>(CoreStepper<AnySystem, S, PartitionedNatural<AnySystem, S>>(
      system, tableau, Projection::every, solve));
}

}  // namespace

template <class S>
AnyStepperPointer<S> partitioned_stepper(const AnySystem& system,
                                         const PartitionedTableau<Real<S>>& tableau,
                                         const SolveOptions& solve) {
  const int n = system.dimension(), m = system.constraint_count();
  if (!system.traits().natural || m == 0)
    return dense_partitioned_stepper<S>(system, tableau, solve);
  if (tableau.stages() * 2 * n + tableau.nodes() * m > few_unknowns)
    return fast<S>(system, tableau, solve);
  using Owned = OwnedStepper<S>;
  return erase<S>(BackedStepper<AnySystem, S, Owned, Owned>(
      Owned{fast<S>(system, tableau, solve)}, [=](const AnySystem& same) {
        return Owned{dense_partitioned_stepper<S>(same, tableau, solve)};
      }));
}
#define PARTITIONED_NATURAL(S)                       \
  template AnyStepperPointer<S> partitioned_stepper( \
      const AnySystem&, const PartitionedTableau<Real<S>>&, const SolveOptions&);
RATTLEBACK_FOR_FAMILY_SCALARS(PARTITIONED_NATURAL)

}  // namespace rattleback

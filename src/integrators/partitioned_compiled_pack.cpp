#include "partitioned_compiled.hpp"

namespace rattleback {

template AnyStepperPointer<Pack> compiled_partitioned_stepper(const AnySystem&,
                                                              const PartitionedTableau<double>&,
                                                              const SolveOptions&);

}  // namespace rattleback

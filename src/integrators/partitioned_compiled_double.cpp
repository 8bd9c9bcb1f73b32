#include "partitioned_compiled.hpp"

namespace rattleback {

template AnyStepperPointer<double> compiled_partitioned_stepper(const AnySystem&,
                                                                const PartitionedTableau<double>&,
                                                                const SolveOptions&);

}  // namespace rattleback

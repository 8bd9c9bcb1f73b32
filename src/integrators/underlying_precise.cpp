// In quads, for the laws and for an experiment of study.
#include "underlying_stepper.hpp"

namespace rattleback {

template AnyStepperPointer<Quad> underlying_stepper(const AnySystem&, const UnderlyingOptions&,
                                                    const SolveOptions&);

}  // namespace rattleback

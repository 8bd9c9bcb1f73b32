// Why a step of a mechanism failed, in words.
#pragma once

#include "mechanism_look.hpp"
#include "rattleback/integrators/failure.hpp"

namespace rattleback {

/// A step of this size that failed at a time, with the last good state.
Failure explain_step(const Mechanism& mechanism, const MechanismModel& model, MechanismLook& look,
                     const Status& status, const MechanismState<double>& z, double step,
                     double time);

}  // namespace rattleback

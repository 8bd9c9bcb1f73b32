#include "make_mechanism_steps.hpp"

namespace rattleback {

MechanismStepsPointer steps_in_se3(const MechanismModel& model, const Values& values,
                                   const std::string& family, const SolveOptions& solve) {
  return steps_of_bodies<double, RigidBodyInSE3>(model, values, family, solve);
}

}  // namespace rattleback

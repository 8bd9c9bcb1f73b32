#include "make_mechanism_steps.hpp"

namespace rattleback {

MechanismStepsPointer steps_in_so3xr3(const MechanismModel& model, const Values& values,
                                      const std::string& family, const SolveOptions& solve) {
  return steps_of_bodies<double, SplitBody>(model, values, family, solve);
}

}  // namespace rattleback

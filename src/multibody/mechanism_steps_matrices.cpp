#include "make_mechanism_steps.hpp"
#include "moser_veselov.hpp"

namespace rattleback {

MechanismStepsPointer steps_in_matrices(const MechanismModel& model, const Values& values,
                                        const std::string& family, const SolveOptions& solve) {
  return std::make_unique<ListedSteps<double, SplitBody<double, MoserVeselov>>>(
      model, substeps_of(family), composition_of<double>(values), solve);
}

}  // namespace rattleback

// A method for a mechanism, its types hidden: a list of substeps of one stepper.
#pragma once

#include <memory>

#include "mechanism_model.hpp"
#include "rattleback/integrators/family.hpp"

namespace rattleback {

template <class S>
class MechanismSteps {
 public:
  virtual ~MechanismSteps() = default;
  /// A step that fails leaves the state as it was.
  virtual Status step(MechanismState<S>& z, const Real<S>& h) = 0;
  virtual void reset() = 0;
  /// What the joints gave in the last step: h times their multipliers.
  virtual const Vector<S, dynamic>& impulses() const = 0;
};

using MechanismStepsPointer = std::unique_ptr<MechanismSteps<double>>;

/// By the values of a family of mechanism_families(); the model must outlive them.
MechanismStepsPointer steps_in_so3xr3(const MechanismModel& model, const Values& values,
                                      const std::string& family, const SolveOptions& solve);
MechanismStepsPointer steps_in_se3(const MechanismModel& model, const Values& values,
                                   const std::string& family, const SolveOptions& solve);
MechanismStepsPointer steps_in_matrices(const MechanismModel& model, const Values& values,
                                        const std::string& family, const SolveOptions& solve);

}  // namespace rattleback

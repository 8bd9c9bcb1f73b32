// A method for a mechanism, its types hidden: a list of substeps of one stepper.
//
// There are steps that have no solution: joints act along G0^T, and with a large h no mu brings q1
// back to them; followed in h the solution ends in a fold. Such a step is taken as two of half the
// size, and so is every one after it, up to 64 in one. To go back to the large one would not do:
// what the method conserves is H + h^2 H_2 + ..., and each change of h changes it. A chain of 100
// links that divided only those steps of h = 0.01 gained 40 times its energy in 3000 of them.
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
  /// Forgets the steps before, for first guesses; parts stay.
  virtual void reset() = 0;

  int parts = 1;  ///< that each step is taken as: a power of two
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

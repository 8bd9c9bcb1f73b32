// Steps in one group and scalar: each combination of retraction and their number. Instantiated in a
// source for each, as they compile long.
#pragma once

#include <utility>

#include "mechanism_stepper_solve.hpp"
#include "mechanism_steps.hpp"
#include "rattleback/integrators/composition.hpp"

namespace rattleback {

struct Substep {
  double part;  ///< of the step, exact: a half or one
  ForceWeights weights;
};

template <class S, class Body>
class ListedSteps final : public MechanismSteps<S> {
 public:
  ListedSteps(const MechanismModel& model, const std::vector<Substep>& plain,
              const std::vector<Real<S>>& composition, const SolveOptions& solve)
      : stepper_(model, solve) {
    for (const Real<S>& c : composition)
      for (const Substep& substep : plain)
        substeps_.push_back({c * Real<S>(substep.part), substep.weights});
  }
  Status step(MechanismState<S>& z, const Real<S>& h) override {
    constexpr int most = 64;
    const Status status = step_in_parts(z, h);
    if (status || this->parts == most) return status;
    int iterations = status.iterations;
    const int before = std::exchange(this->parts, 2 * this->parts);
    for (;; this->parts *= 2) {
      const Status smaller = step_in_parts(z, h);
      iterations += smaller.iterations;
      if (smaller) return {Outcome::ok, iterations};
      if (this->parts == most) break;
    }
    this->parts = before;
    return status;
  }
  void reset() override { stepper_.reset(); }

 private:
  Status step_in_parts(MechanismState<S>& z, const Real<S>& h) {
    if (substeps_.size() == 1 && this->parts == 1) return stepper_.step(z, h, substeps_[0].weights);
    work_ = z;
    const Real<S> part = h / Real<S>(this->parts);
    int iterations = 0;
    for (int n = 0; n < this->parts; ++n)
      for (std::size_t k = 0; k < substeps_.size(); ++k) {
        stepper_.select(k);
        Status status = stepper_.step(work_, part * substeps_[k].part, substeps_[k].weights);
        iterations += status.iterations;
        if (status) continue;
        stepper_.reset();
        status.iterations = iterations;
        return status;
      }
    std::swap(z, work_);
    return {Outcome::ok, iterations};
  }

  struct Part {
    Real<S> part;
    ForceWeights weights;
  };
  MechanismStepper<S, Body> stepper_;
  std::vector<Part> substeps_;
  MechanismState<S> work_;
};

template <class S>
std::vector<Real<S>> composition_of(const Values& values) {
  if (values.has("compose"))
    for (const CompositionInfo& scheme : compositions)
      if (scheme.name == values.word("compose")) return coefficients<Real<S>>(scheme.scheme);
  return {Real<S>(1)};
}

inline std::vector<Substep> substeps_of(const std::string& family) {
  if (family == "lie-euler-a") return {{1, {1, 0}}};
  if (family == "lie-euler-b") return {{1, {0, 1}}};
  if (family == "lie-composition")
    return {{0.5, {1, 0}}, {0.5, {0, 1}}};  // [Barbero24 (6.4)-(6.7)]
  return {{1, {0.5, 0.5}}};
}

/// Body<S, Retractions> is a body in its group.
template <class S, template <class, class> class Body>
std::unique_ptr<MechanismSteps<S>> steps_of_bodies(const MechanismModel& model,
                                                   const Values& values, const std::string& family,
                                                   const SolveOptions& solve) {
  const auto make = [&]<class Retractions>() -> std::unique_ptr<MechanismSteps<S>> {
    return std::make_unique<ListedSteps<S, Body<S, Retractions>>>(model, substeps_of(family),
                                                                  composition_of<S>(values), solve);
  };
  const auto make_with = [&]<class Retraction>() -> std::unique_ptr<MechanismSteps<S>> {
    if (family == "lie-rattle") return make.template operator()<TwoRetractions<Retraction>>();
    return make.template operator()<OneRetraction<Retraction>>();
  };
  if (values.word("retraction") == "cayley") return make_with.template operator()<lie::Cayley>();
  return make_with.template operator()<lie::Exponential>();
}

}  // namespace rattleback

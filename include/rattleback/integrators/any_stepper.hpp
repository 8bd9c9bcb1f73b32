// A method bound to a system whose types are known at run time only.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/integrators/advance.hpp"
#include "rattleback/integrators/method_info.hpp"
#include "rattleback/problem/any_system.hpp"

namespace rattleback {

/// Multipliers where a stepper keeps them: valid until its next step.
template <class S>
using MultiplierView = Eigen::Map<const Vector<S, dynamic>>;

template <class S>
class AnyStepper {
 public:
  virtual ~AnyStepper() = default;
  virtual Status step(const AnySystem& system, State<S>& z, const Real<S>& h) = 0;
  virtual Advance advance(const AnySystem& system, State<S>& z, const Real<S>& h, long count) = 0;
  /// Forget the last step: the state was changed from outside.
  virtual void reset() = 0;
  /// What it keeps beside the state when it is reset, added to the end of the numbers; and taken
  /// from as many again.
  virtual void save(std::vector<double>&) const {}
  virtual void restore(std::span<const double>) {}
  /// Null where all steps have the size they are given.
  virtual Clock* clock() { return nullptr; }
  /// The next step is this substep of a composition: its first guess comes from its like.
  virtual void select(std::size_t) {}
  /// Makes a copy of the state fit to be looked at.
  virtual Status present(const AnySystem& system, State<S>& z) = 0;
  /// Position multipliers of the last step (p+ = p - G^T lambda); empty where there are none.
  virtual MultiplierView<S> lambda() const { return {nullptr, 0}; }
  /// Done since the last call, in so many steps and looks (present()).
  virtual Projections projections(long, long) { return {}; }
  /// How a step solves for the constraints, in words: "dense 2 x 2", "chain of 100"; empty where it
  /// does not say.
  virtual std::string structure(const AnySystem& system) const = 0;

  // Methods that remember more than the state (multistep.hpp):
  /// Forgets what save() does not keep. Others forget all.
  virtual void settle() { reset(); }
  /// Goes on backwards, with -h, along the steps remembered; false where none are.
  virtual bool reverse() { return false; }
};

template <class S>
using AnyStepperPointer = std::unique_ptr<AnyStepper<S>>;

namespace detail {

/// The verbs of a stepper that need no system.
template <class Stepper, class S>
class HeldStepper : public AnyStepper<S> {
 public:
  explicit HeldStepper(Stepper stepper) : stepper_(std::move(stepper)) {}
  void reset() final { stepper_.reset(); }
  void save(std::vector<double>& to) const final {
    if constexpr (requires { stepper_.save(to); }) stepper_.save(to);
  }
  void restore(std::span<const double> saved) final {
    if constexpr (requires { stepper_.restore(saved); }) stepper_.restore(saved);
  }
  Clock* clock() final { return clock_of(stepper_); }
  void select(std::size_t substep) final {
    if constexpr (requires { stepper_.select(substep); }) stepper_.select(substep);
  }
  MultiplierView<S> lambda() const final {
    if constexpr (requires { stepper_.lambda(); })
      return {stepper_.lambda().data(), stepper_.lambda().size()};
    else
      return {nullptr, 0};
  }
  Projections projections(long steps, long looks) final {
    if constexpr (requires { stepper_.projections(steps, looks); })
      return stepper_.projections(steps, looks);
    else
      return {};
  }
  void settle() final {
    if constexpr (requires { stepper_.settle(); })
      stepper_.settle();
    else
      stepper_.reset();
  }
  bool reverse() final {
    if constexpr (requires { stepper_.reverse(); })
      return stepper_.reverse();
    else
      return false;
  }

 protected:
  Stepper stepper_;
};

template <class Stepper, class S>
class ErasedStepper final : public HeldStepper<Stepper, S> {
 public:
  explicit ErasedStepper(Stepper stepper) : HeldStepper<Stepper, S>(std::move(stepper)) {}
  Status step(const AnySystem& system, State<S>& z, const Real<S>& h) override {
    return stepper_.step(system, z, h);
  }
  Advance advance(const AnySystem& system, State<S>& z, const Real<S>& h, long count) override {
    return rattleback::advance(stepper_, system, z, h, count);
  }
  Status present(const AnySystem& system, State<S>& z) override {
    return stepper_.present(system, z);
  }
  std::string structure(const AnySystem& system) const override {
    if constexpr (requires { stepper_.structure(system); })
      return stepper_.structure(system);
    else
      return {};
  }

 private:
  using HeldStepper<Stepper, S>::stepper_;
};

}  // namespace detail

template <class S, class Stepper>
AnyStepperPointer<S> erase(Stepper stepper) {
  return std::make_unique<detail::ErasedStepper<Stepper, S>>(std::move(stepper));
}

/// A stepper of the registry as part of another stepper.
template <class S>
struct OwnedStepper {
  AnyStepperPointer<S> stepper;

  Status step(const AnySystem& system, State<S>& z, const Real<S>& h) {
    return stepper->step(system, z, h);
  }
  void reset() { stepper->reset(); }
  void save(std::vector<double>& to) const { stepper->save(to); }
  void restore(std::span<const double> saved) { stepper->restore(saved); }
  void select(std::size_t substep) { stepper->select(substep); }
  Status present(const AnySystem& system, State<S>& z) { return stepper->present(system, z); }
  MultiplierView<S> lambda() const { return stepper->lambda(); }
  Projections projections(long steps, long looks) { return stepper->projections(steps, looks); }
  std::string structure(const AnySystem& system) const { return stepper->structure(system); }
};

}  // namespace rattleback

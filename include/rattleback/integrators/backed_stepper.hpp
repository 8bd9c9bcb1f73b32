// Two steppers that solve the same equations: a fast one, and one that takes over where the fast
// one does not converge, for the rest of the run.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "rattleback/integrators/core_stepper.hpp"

namespace rattleback {

/// The second one is made when it is needed: it may be large.
template <class Sys, class S, class Fast, class Sure>
class BackedStepper {
 public:
  using State = StateOf<Sys, S>;

  BackedStepper(Fast fast, std::function<Sure(const Sys&)> make)
      : fast_(std::move(fast)), make_(std::move(make)) {}

  Status step(const Sys& system, State& z, const Real<S>& h) {
    if (slow_) return sure_->step(system, z, h);
    const Status status = fast_.step(system, z, h);
    return status ? status : take_over(system, z, h);
  }
  void reset() {
    fast_.reset();
    if (sure_) sure_->reset();
    slow_ = false;
  }
  void select(std::size_t substep) {
    substep_ = substep;
    fast_.select(substep);
    if (sure_) sure_->select(substep);
  }
  Status present(const Sys& system, State& z) { return fast_.present(system, z); }
  decltype(auto) lambda() const { return slow_ ? sure_->lambda() : fast_.lambda(); }
  Projections projections(long steps, long looks) { return fast_.projections(steps, looks); }
  std::string structure(const Sys& system) const { return fast_.structure(system); }

 private:
  [[gnu::noinline]] Status take_over(const Sys& system, State& z, const Real<S>& h) {
    if (!sure_) sure_.emplace(make_(system));
    sure_->reset();
    sure_->select(substep_);
    slow_ = true;
    return sure_->step(system, z, h);
  }

  Fast fast_;
  std::function<Sure(const Sys&)> make_;
  std::optional<Sure> sure_;
  std::size_t substep_ = 0;
  bool slow_ = false;
};

}  // namespace rattleback

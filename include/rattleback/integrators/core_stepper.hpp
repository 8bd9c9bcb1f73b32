// One stepper over any core of SHAKE and RATTLE: when the momentum is projected, and who does it
// where a state is looked at.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "rattleback/integrators/method_info.hpp"
#include "rattleback/solve/newton.hpp"

namespace rattleback {

/// When the momentum is projected along the fibre. RATTLE and SHAKE are the same map on fibres
/// [McLachlan12 (11)], so `output` gives the trajectory of `every`, where it is looked at.
enum class Projection { every, output, never };

namespace detail {

inline Projections projections(Projection project, long steps, long looks) {
  return {0, project == Projection::every ? steps : project == Projection::output ? looks : 0};
}

}  // namespace detail

/// A core as a stepper. A core is made from a system, what it does between two projections (Kicks,
/// or a base map), and options; it steps, projects, forgets, knows its last
/// lambda, and remembers multipliers for each substep of a composition.
template <class Sys, class S, class Core>
class CoreStepper {
 public:
  using State = StateOf<Sys, S>;

  template <class Map>
  CoreStepper(const Sys& system, const Map& map, Projection project, const SolveOptions& options)
      : core_(system, map, options), project_(project) {
    if (project == Projection::output) presenter_ = std::make_unique<Core>(system, map, options);
  }
  RATTLEBACK_INLINE Status step(const Sys& system, State& z, const Real<S>& h) {
    return core_.step(system, z, h, project_ == Projection::every);
  }
  void reset() { core_.reset(); }
  void select(std::size_t substep) { core_.select(substep); }
  /// Makes a copy of the state fit to be looked at.
  Status present(const Sys& system, State& z) {
    return presenter_ ? presenter_->project(system, z) : Status{};
  }
  const auto& lambda() const { return core_.lambda(); }
  Projections projections(long steps, long looks) const {
    return detail::projections(project_, steps, looks);
  }
  std::string structure(const Sys& system) const { return core_.structure(system); }
  const Core& core() const { return core_; }

 private:
  Core core_;
  std::unique_ptr<Core> presenter_;  // projecting forgets the last step
  Projection project_;
};

}  // namespace rattleback

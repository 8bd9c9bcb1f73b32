// SHAKE and RATTLE as methods: which core runs them, and what they claim.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "rattleback/integrators/general_constrained.hpp"
#include "rattleback/integrators/method_info.hpp"
#include "rattleback/integrators/natural_constrained.hpp"

namespace rattleback {

/// When the momentum is projected along the fibre. RATTLE and SHAKE are the same map on fibres
/// [McLachlan12 (11)], so `output` gives the trajectory of `every`, where it is looked at.
enum class Projection { every, output, never };

/// Of the base maps that are kick-drift-kick on a natural system.
constexpr std::optional<Kicks> kicks(BaseMap base) {
  switch (base) {
    case BaseMap::verlet:
      return Kicks{0.5, 0.5};
    case BaseMap::euler_a:
      return Kicks{1, 0};
    case BaseMap::euler_b:
      return Kicks{0, 1};
    default:
      return std::nullopt;
  }
}

inline MethodInfo shake_rattle_info(BaseMap base, Projection project) {
  const BaseMapInfo& b = info(base);
  const bool shake = project == Projection::never;
  std::string name = std::string(shake ? "shake" : "rattle") + ":base=" + std::string(b.name);
  if (project == Projection::output) name += ",project=output";
  return {.name = std::move(name),
          .order = b.symmetric ? 2 : 1,
          .symmetric = b.symmetric && !shake,
          .symplectic_on = shake ? SymplecticOn::primary_manifold : SymplecticOn::state_manifold,
          .preserves_primary = true,
          .preserves_hidden = !shake,
          .cite = shake ? "[McLachlan12 Def. 1.3]" : "[McLachlan12 Def. 1.4]"};
}

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
  const Core& core() const { return core_; }

 private:
  Core core_;
  std::unique_ptr<Core> presenter_;  // projecting forgets the last step
  Projection project_;
};

/// Kick-drift-kick on a natural system with holonomic constraints.
template <class Sys, class S>
using NaturalStepper = CoreStepper<Sys, S, NaturalConstrained<Sys, S>>;
/// Any base map, any fibre.
template <class Sys, class S>
using GeneralStepper = CoreStepper<Sys, S, GeneralConstrained<Sys, S>>;

namespace detail {

/// Whether the kick-drift-kick core fits a system whose type is known.
template <class Sys, BaseMap base>
constexpr bool natural_core() {
  if constexpr (NaturalForm<Sys> &&
                requires { typename std::bool_constant<Sys::traits().natural>; })
    return Sys::traits().natural && Sys::traits().holonomic && kicks(base).has_value() &&
           Sys::constraints_at_compile_time != 0;
  else
    return false;
}

template <class Sys, class S, BaseMap base>
auto constrained_stepper(const Sys& system, Projection project, const SolveOptions& solve) {
  if constexpr (natural_core<Sys, base>())
    return NaturalStepper<Sys, S>(system, *kicks(base), project, solve);
  else
    return GeneralStepper<Sys, S>(system, base, project, solve);
}

}  // namespace detail

/// SHAKE over a base map: g = 0 at every step, {g,H} = 0 not enforced.
template <BaseMap base = BaseMap::verlet>
struct Shake {
  SolveOptions solve{};
  MethodInfo info() const { return shake_rattle_info(base, Projection::never); }
  template <class S, class Sys>
  auto stepper(const Sys& system) const {
    return detail::constrained_stepper<Sys, S, base>(system, Projection::never, solve);
  }
};

/// RATTLE over a base map: g = 0 and {g,H} = 0.
template <BaseMap base = BaseMap::verlet>
struct Rattle {
  Projection project = Projection::every;
  SolveOptions solve{};
  MethodInfo info() const { return shake_rattle_info(base, project); }
  template <class S, class Sys>
  auto stepper(const Sys& system) const {
    return detail::constrained_stepper<Sys, S, base>(system, project, solve);
  }
};

}  // namespace rattleback

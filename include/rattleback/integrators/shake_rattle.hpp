// SHAKE and RATTLE as methods: which core runs them, and what they claim.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "rattleback/integrators/backed_stepper.hpp"
#include "rattleback/integrators/compensated.hpp"
#include "rattleback/integrators/core_stepper.hpp"
#include "rattleback/integrators/general_constrained.hpp"
#include "rattleback/integrators/method_info.hpp"
#include "rattleback/integrators/natural_constrained.hpp"
#include "rattleback/integrators/staged_natural.hpp"

namespace rattleback {

/// How a step adds its increments. Compensated sums keep what rounding drops (compensated.hpp): the
/// round-off of the energy grows like the square root of the number of steps, at several times the
/// cost of a step.
enum class Sums { plain, compensated };

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

inline MethodInfo shake_rattle_info(BaseMapChoice base, Projection project,
                                    Sums sums = Sums::plain) {
  const BaseMapInfo b = info(base);
  const bool shake = project == Projection::never;
  std::string name = (shake ? "shake:" : "rattle:") + option_text(base);
  if (project == Projection::output) name += ",project=output";
  const bool compensated = sums == Sums::compensated;
  if (compensated) name += ",sums=compensated";
  return {.name = std::move(name),
          .order = b.symmetric ? 2 : 1,
          .symmetric = b.symmetric && !shake,
          .symplectic_on = shake ? SymplecticOn::primary_manifold : SymplecticOn::state_manifold,
          .preserves_primary = true,
          .preserves_hidden = !shake,
          .applies = {.natural = compensated, .holonomic = compensated},
          .cite = shake ? "[McLachlan12 Def. 1.3]" : "[McLachlan12 Def. 1.4]"};
}

/// Kick-drift-kick on a natural system with holonomic constraints.
template <class Sys, class S>
using NaturalStepper = CoreStepper<Sys, S, NaturalConstrained<Sys, S>>;
/// Stages of other base maps on such a system, while V is not too stiff for their iteration.
template <class Sys, class S>
using StagedStepper = CoreStepper<Sys, S, StagedNatural<Sys, S>>;
/// Any base map, any fibre.
template <class Sys, class S>
using GeneralStepper = CoreStepper<Sys, S, GeneralConstrained<Sys, S>>;
/// Kick-drift-kick with compensated sums.
template <class Sys>
using CompensatedStepper = CoreStepper<Sys, double, CompensatedNatural<Sys>>;

namespace detail {

/// Whether a system whose type is known is natural, with constraints on positions.
template <class Sys>
constexpr bool natural_form() {
  if constexpr (NaturalForm<Sys> &&
                requires { typename std::bool_constant<Sys::traits().natural>; })
    return Sys::traits().natural && Sys::traits().holonomic &&
           Sys::constraints_at_compile_time != 0;
  else
    return false;
}
/// Whether the kick-drift-kick core fits it, and that of base maps with stages.
template <class Sys, BaseMap base>
constexpr bool natural_core() {
  return natural_form<Sys>() && kicks(base).has_value();
}
template <class Sys, BaseMap base>
constexpr bool staged_core() {
  return natural_form<Sys>() && has_stages(base);
}

template <class Sys, class S, BaseMap base>
auto plain_stepper(const Sys& system, double theta, Projection project, const SolveOptions& solve) {
  if constexpr (natural_core<Sys, base>())
    return NaturalStepper<Sys, S>(system, *kicks(base), project, solve);
  else if constexpr (staged_core<Sys, base>())
    return BackedStepper<Sys, S, StagedStepper<Sys, S>, GeneralStepper<Sys, S>>(
        StagedStepper<Sys, S>(system, BaseMapChoice(base, theta), project, solve),
        [=](const Sys& same) {
          return GeneralStepper<Sys, S>(same, BaseMapChoice(base, theta), project, solve);
        });
  else
    return GeneralStepper<Sys, S>(system, BaseMapChoice(base, theta), project, solve);
}

template <class Sys, class S, BaseMap base, Sums sums>
auto constrained_stepper(const Sys& system, double theta, Projection project,
                         const SolveOptions& solve) {
  if constexpr (sums == Sums::plain) {
    return plain_stepper<Sys, S, base>(system, theta, project, solve);
  } else {
    static_assert(kicks(base).has_value(), "compensated sums: base verlet, euler_a or euler_b");
    require_compensable(system.traits());
    if constexpr (std::is_same_v<S, double> && NaturalForm<Sys>)
      return CompensatedStepper<Sys>(system, *kicks(base), project, solve);
    else if constexpr (ScalarTraits<S>::lanes > 1)
      return std::unique_ptr<NaturalStepper<Sys, S>>();
    else
      return plain_stepper<Sys, S, base>(system, theta, project, solve);
  }
}

}  // namespace detail

/// SHAKE over a base map: g = 0 at every step, {g,H} = 0 not enforced.
///
/// Sums are compensated in double. In dual numbers and in quad precision the plain step is run,
/// which is the same map; in packs there is none, so that copies run alone.
template <BaseMap base = BaseMap::verlet, Sums sums = Sums::plain>
struct Shake {
  SolveOptions solve{};
  double theta = 0.5;  ///< of BaseMap::theta
  MethodInfo info() const { return shake_rattle_info({base, theta}, Projection::never, sums); }
  template <class S, class Sys>
  auto stepper(const Sys& system) const {
    return detail::constrained_stepper<Sys, S, base, sums>(system, theta, Projection::never, solve);
  }
};

/// RATTLE over a base map: g = 0 and {g,H} = 0.
template <BaseMap base = BaseMap::verlet, Sums sums = Sums::plain>
struct Rattle {
  Projection project = Projection::every;
  SolveOptions solve{};
  double theta = 0.5;  ///< of BaseMap::theta
  MethodInfo info() const { return shake_rattle_info({base, theta}, project, sums); }
  template <class S, class Sys>
  auto stepper(const Sys& system) const {
    return detail::constrained_stepper<Sys, S, base, sums>(system, theta, project, solve);
  }
};

}  // namespace rattleback

// The steppers of SHAKE and RATTLE for systems known at run time. The cores compile long: every
// scalar has a source of its own, so that they compile side by side.
#pragma once

#include "common_options.hpp"
#include "rattleback/integrators/compiled_natural.hpp"
#include "rattleback/integrators/natural_steps.hpp"
#include "rattleback/integrators/sparse_constrained.hpp"

namespace rattleback {

namespace detail {

/// The fastest one for a natural system with constraints on positions.
template <class S>
AnyStepperPointer<S> natural_stepper(const AnySystem& system, const BaseMapChoice& base,
                                     Projection project, const SolveOptions& solve) {
  if (const auto own = system.model<S>().natural_steps()) return own->stepper(base, project, solve);
  if constexpr (std::is_same_v<S, double> || std::is_same_v<S, Pack>)
    if (auto fast = compiled_stepper<S>(system, base, project, solve)) return fast;
  if (const auto kick = kicks(base.map))
    return erase<S>(NaturalStepper<AnySystem, S>(system, *kick, project, solve));
  return erase<S>(StagedStepper<AnySystem, S>(system, base, project, solve));
}

/// Up to this many unknowns of a point, full matrices with pivots are tried before a step is given
/// up. Sparse ones are faster from 4 coordinates on: midpoint takes 3.4 us against 8.2 there, 12
/// against 320 on a chain of 16 links with a non-separable H.
inline constexpr int few_unknowns = 100;

/// Any base map, any fibre.
template <class S>
OwnedStepper<S> general_stepper(const AnySystem& system, const BaseMapChoice& base,
                                Projection project, const SolveOptions& solve) {
  using Owned = OwnedStepper<S>;
  const int n = system.dimension(), m = system.constraint_count();
  const auto dense = [=](const AnySystem& same) {
    return Owned{erase<S>(GeneralStepper<AnySystem, S>(same, base, project, solve))};
  };
  const bool explicit_map =
      m == 0 && system.traits().separable && (kicks(base.map) || base.map == BaseMap::verlet_b);
  if (explicit_map || base.map == BaseMap::exact || ScalarTraits<S>::lanes > 1)
    return dense(system);
  if constexpr (ScalarTraits<S>::lanes == 1)
    if (sparse_derivatives(system)) {
      Owned sparse{
          erase<S>(CoreStepper<AnySystem, S, SparseConstrained<S>>(system, base, project, solve))};
      if (n + m > few_unknowns) return sparse;
      return {erase<S>(BackedStepper<AnySystem, S, Owned, Owned>(std::move(sparse), dense))};
    }
  return dense(system);
}

}  // namespace detail

template <class S>
AnyStepperPointer<S> shake_rattle_stepper(const AnySystem& system, const BaseMapChoice& base,
                                          Projection project, const SolveOptions& solve) {
  const Traits t = system.traits();
  const bool natural = t.natural && t.holonomic && system.constraint_count() > 0;
  if (natural && kicks(base.map)) return detail::natural_stepper<S>(system, base, project, solve);
  if (!natural || !has_stages(base.map))
    return detail::general_stepper<S>(system, base, project, solve).stepper;
  using Owned = OwnedStepper<S>;
  return erase<S>(BackedStepper<AnySystem, S, Owned, Owned>(
      Owned{detail::natural_stepper<S>(system, base, project, solve)}, [=](const AnySystem& same) {
        return detail::general_stepper<S>(same, base, project, solve);
      }));
}

}  // namespace rattleback

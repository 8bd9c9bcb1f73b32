// Steppers on stages of a driven field, with the matrix that fits the system.
#pragma once

#include <string>

#include "rattleback/integrators/any_stepper.hpp"
#include "rattleback/integrators/backed_stepper.hpp"
#include "rattleback/integrators/gauss.hpp"
#include "rattleback/integrators/sparse_driven.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {

namespace detail {

/// Unknowns that are solved for together with a full matrix.
inline constexpr int most_unknowns = 5000;
/// Up to this many unknowns of a point full matrices, with pivots among all unknowns, are tried
/// before a step is given up.
inline constexpr int few_unknowns = 100;
/// Up to this many unknowns copies run in packs, with full matrices; beyond, one after the other
/// with sparse ones. Of 120 a full matrix takes 385 us a step, in one of eight lanes some 48, a
/// sparse one 20; of half as many an eighth and a half.
inline constexpr int packed_unknowns = 100;

}  // namespace detail

/// GaussStepper on `Stages` of which `together` are solved for together: sparse where the system
/// tells its nonzeros, otherwise full. Null: copies run alone.
template <class S, template <class, class, class> class Stages>
AnyStepperPointer<S> full_or_sparse(const char* method, int together, const AnySystem& system,
                                    const GaussChoice& choice, const SolveOptions& solve) {
  using Owned = OwnedStepper<S>;
  const int unknowns = together * (2 * system.dimension() +
                                   multiplier_count(choice.form, system.constraint_count()));
  const auto full = [=](const AnySystem& same) -> AnyStepperPointer<S> {
    if (unknowns > detail::most_unknowns)
      throw ModelError(std::string(method) + ": the stages of " + same.name() + " have " +
                       std::to_string(unknowns) + " unknowns, and it solves for at most " +
                       std::to_string(detail::most_unknowns) + ", with a full matrix");
    using All = Stages<AnySystem, S, FullDriven<AnySystem, S>>;
    return erase<S>(GaussStepper<AnySystem, S, All>(same, choice, solve));
  };
  if (!sparse_derivatives(system)) return full(system);
  if constexpr (ScalarTraits<S>::lanes == 1) {
    using Nonzeros = Stages<AnySystem, S, SparseDriven<S>>;
    auto sparse = erase<S>(GaussStepper<AnySystem, S, Nonzeros>(system, choice, solve));
    if (system.dimension() + system.constraint_count() > detail::few_unknowns) return sparse;
    return erase<S>(BackedStepper<AnySystem, S, Owned, Owned>(
        Owned{std::move(sparse)}, [=](const AnySystem& same) { return Owned{full(same)}; }));
  } else {
    return unknowns > detail::packed_unknowns ? nullptr : full(system);
  }
}

}  // namespace rattleback

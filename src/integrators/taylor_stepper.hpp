// Taylor's method for systems known at run time. Every scalar has a source of its own, so that they
// compile side by side.
#pragma once

#include "compiled_natural_stepper.hpp"
#include "rattleback/expression/sparse_source.hpp"
#include "rattleback/integrators/taylor.hpp"

namespace rattleback {

namespace detail {

template <class S, class Sys>
AnyStepperPointer<S> bound_taylor(std::shared_ptr<const Sys> typed, int order,
                                  std::shared_ptr<const SeriesField> field,
                                  const SolveOptions& solve) {
  using Series = TapedSeries<Sys, S>;
  using Stepper = TaylorStepper<Sys, S, Series>;
  const Sys& system = *typed;
  return std::make_unique<BoundStepper<S, Sys, Stepper>>(
      std::move(typed), Stepper(Series(system, order, std::move(field), solve)));
}

}  // namespace detail

/// The system is natural, with constraints on positions. Throws ModelError where it is not made of
/// expressions.
template <class S>
AnyStepperPointer<S> make_taylor_stepper(const AnySystem& system, int order,
                                         const SolveOptions& solve) {
  auto field = series_field_of(system.model<S>());
  if (!field)
    throw ModelError("taylor: " + system.name() +
                     " does not give its series: write it as a model file, or record() it");
  if constexpr (std::is_same_v<S, double> || std::is_same_v<S, Pack>)
    if (system.constraint_count() > 0 && system.model<S>().compiled())
      if (auto sparse =
              detail::on_sparse_code<S>(system, [&]<class Sys>(std::shared_ptr<const Sys> typed) {
                return detail::bound_taylor<S>(std::move(typed), order, field, solve);
              }))
        return sparse;
  using Series = TapedSeries<AnySystem, S>;
  return erase<S>(TaylorStepper<AnySystem, S, Series>(Series(system, order, field, solve)));
}

template <class S>
AnyStepperPointer<S> taylor_stepper(const AnySystem& system, int order, const SolveOptions& solve);

}  // namespace rattleback

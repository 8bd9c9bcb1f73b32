// compiled_stepper(): static sizes where they are small, else the structure of the constraints.
// Every scalar has a source of its own, so that they compile side by side.
#pragma once

#include "rattleback/integrators/compiled_natural.hpp"
#include "rattleback/integrators/compiled_system.hpp"
#include "rattleback/integrators/natural_steps.hpp"
#include "rattleback/problem/pack.hpp"

namespace rattleback {

namespace detail {

/// The system with what keeps its code alive.
template <class Sys>
struct Owned {
  AnySystem owner;
  Sys system;
};

template <class S, class Sys>
AnyStepperPointer<S> owned_stepper(const AnySystem& owner, Sys typed, const BaseMapChoice& base,
                                   Projection project, const SolveOptions& options) {
  const auto owned = std::make_shared<Owned<Sys>>(Owned<Sys>{owner, std::move(typed)});
  return bound_stepper<S>(std::shared_ptr<const Sys>(owned, &owned->system), base, project,
                          options);
}

/// With static sizes (compiled_small_stepper.hpp); null for sizes that are not there.
template <class S>
AnyStepperPointer<S> small_compiled_stepper(const AnySystem& system, const BaseMapChoice& base,
                                            Projection project, const SolveOptions& options);

}  // namespace detail

template <class S>
AnyStepperPointer<S> compiled_stepper(const AnySystem& system, const BaseMapChoice& base,
                                      Projection project, const SolveOptions& options) {
  const CompiledNatural* code = system.model<S>().compiled();
  if (!code || (!kicks(base.map) && !has_stages(base.map))) return nullptr;
  if (auto small = detail::small_compiled_stepper<S>(system, base, project, options)) return small;
  const auto stepper = [&](SparseAlgebra algebra) {
    return detail::owned_stepper<S>(system, CompiledSystem<S>(*code, std::move(algebra)), base,
                                    project, options);
  };
  if (code->lanes == 1) return stepper(SparseAlgebra(code->pattern, code->inverse_mass));
  auto algebra = SparseAlgebra::packed(*code);
  return algebra ? stepper(std::move(*algebra)) : nullptr;
}

}  // namespace rattleback

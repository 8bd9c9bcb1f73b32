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

/// make(shared pointer to the system).
template <class S, class Sys, class Make>
AnyStepperPointer<S> on_owned_system(const AnySystem& owner, Sys typed, const Make& make) {
  const auto owned = std::make_shared<Owned<Sys>>(Owned<Sys>{owner, std::move(typed)});
  return make(std::shared_ptr<const Sys>(owned, &owned->system));
}

/// make(shared pointer to the code as a system with sparse constraints); null where its lanes do
/// not share a structure.
template <class S, class Make>
AnyStepperPointer<S> on_sparse_code(const AnySystem& system, const Make& make) {
  const CompiledNatural& code = *system.model<S>().compiled();
  const auto with = [&](SparseAlgebra algebra) {
    return on_owned_system<S>(system, CompiledSystem<S>(code, std::move(algebra)), make);
  };
  if (code.lanes == 1) return with(SparseAlgebra(code.pattern, code.inverse_mass));
  auto algebra = SparseAlgebra::packed(code);
  return algebra ? with(std::move(*algebra)) : nullptr;
}

/// With static sizes (compiled_small_stepper.hpp); null for sizes that are not there.
template <class S>
AnyStepperPointer<S> small_compiled_stepper(const AnySystem& system, const BaseMapChoice& base,
                                            Projection project, const SolveOptions& options);

}  // namespace detail

namespace detail {

/// In a uniform field the stages do not matter: symmetric maps are all the same one.
inline BaseMapChoice simplest(const BaseMapChoice& base, const CompiledNatural& code) {
  const bool same =
      has_stages(base.map) && info(base).symmetric && code.potential_gradient.is_constant();
  return same ? BaseMapChoice(BaseMap::verlet) : base;
}

}  // namespace detail

template <class S>
AnyStepperPointer<S> compiled_stepper(const AnySystem& system, const BaseMapChoice& wanted,
                                      Projection project, const SolveOptions& options) {
  const CompiledNatural* const code = system.model<S>().compiled();
  if (!code || (!kicks(wanted.map) && !has_stages(wanted.map))) return nullptr;
  const BaseMapChoice base = detail::simplest(wanted, *code);
  if (auto small = detail::small_compiled_stepper<S>(system, base, project, options)) return small;
  return detail::on_sparse_code<S>(system, [&]<class Sys>(std::shared_ptr<const Sys> typed) {
    return detail::bound_stepper<S>(std::move(typed), base, project, options);
  });
}

}  // namespace rattleback

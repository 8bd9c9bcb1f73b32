// compiled_multistep(): multistep methods on systems in straight-line code.
#pragma once

#include "compiled_small_stepper.hpp"

namespace rattleback {

template <class S>
AnyStepperPointer<S> compiled_multistep(const AnySystem& system, int order,
                                        const SolveOptions& options) {
  if (!system.model<S>().compiled()) return nullptr;
  const auto make = [&]<class Sys>(std::shared_ptr<const Sys> typed) {
    return detail::bound_multistep<S>(std::move(typed), order, options);
  };
  // Each size compiles for three seconds: those of pendulums, and none for packs.
  if constexpr (ScalarTraits<S>::lanes == 1)
    if (auto small = detail::on_small_code<S>(system, make, detail::Size<2, 1>{},
                                              detail::Size<3, 1>{}, detail::Size<4, 2>{}))
      return small;
  return detail::on_sparse_code<S>(system, make);
}

}  // namespace rattleback

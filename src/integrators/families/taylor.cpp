#include "rattleback/integrators/taylor.hpp"

#include "rattleback/problem/error.hpp"
#include "scalars.hpp"

namespace rattleback {

// taylor_stepper.hpp
template <class S>
AnyStepperPointer<S> taylor_stepper(const AnySystem& system, int order, const SolveOptions& solve);
#define RATTLEBACK_TAYLOR(S) \
  template <>                \
  AnyStepperPointer<S> taylor_stepper(const AnySystem&, int, const SolveOptions&);
RATTLEBACK_FOR_FAMILY_SCALARS(RATTLEBACK_TAYLOR)
#undef RATTLEBACK_TAYLOR

namespace {

struct MakeTaylor {
  template <class S>
  AnyStepperPointer<S> operator()(const Values& values, const AnySystem& system,
                                  const SolveOptions& solve) const {
    const int order = static_cast<int>(values.whole("order"));
    if (!taylor_info(order).applies(system.traits()))
      throw ModelError("taylor: " + system.name() +
                       " is not a natural system with constraints on positions");
    return taylor_stepper<S>(system, order, solve);
  }
};

}  // namespace

Family taylor_family(FamilyScalars) {
  return {.name = "taylor",
          .text = "the series of the motion, to any order; no structure, but small errors",
          .options = {{.name = "order",
                       .text = "of the error",
                       .standard = 8L,
                       .samples = {4L, 5L},
                       .least = 1,
                       .most = highest_taylor_order}},
          .claims = [](const Values& values) -> Claims {
            return taylor_info(static_cast<int>(values.whole("order")));
          },
          .make = steppers(MakeTaylor{})};
}

}  // namespace rattleback

#include "rattleback/integrators/multistep.hpp"

#include "rattleback/problem/error.hpp"
#include "scalars.hpp"

namespace rattleback {

template <class S>
AnyStepperPointer<S> multistep_stepper(const AnySystem& system, int order,
                                       const SolveOptions& solve);

namespace {

int order_of(const Values& values) { return std::stoi(values.word("order")); }

struct MakeMultistep {
  template <class S>
  AnyStepperPointer<S> operator()(const Values& values, const AnySystem& system,
                                  const SolveOptions& solve) const {
    const Traits traits = system.traits();
    const char* lack = !traits.natural     ? "a natural Hamiltonian p.M^-1 p/2 + V(q)"
                       : !traits.holonomic ? "constraints on positions only"
                                           : nullptr;
    if (lack) throw ModelError(std::string("multistep: ") + system.name() + " lacks " + lack);
    return multistep_stepper<S>(system, order_of(values), solve);
  }
};

}  // namespace

Family multistep_family(FamilyScalars) {
  return {.name = "multistep",
          .text = "explicit symmetric multistep method: one force and one multiplier solve a step",
          .options = {word_option("order", "of the error", {"8", "4", "6"})},
          .claims = [](const Values& values) -> Claims { return multistep_info(order_of(values)); },
          .make = steppers(MakeMultistep{})};
}

}  // namespace rattleback

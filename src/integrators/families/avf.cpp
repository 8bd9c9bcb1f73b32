#include "rattleback/integrators/avf.hpp"

#include "../common_options.hpp"
#include "../full_or_sparse.hpp"

namespace rattleback {

namespace {

struct MakeAvf {
  template <class S>
  AnyStepperPointer<S> operator()(const Values& values, const AnySystem& system,
                                  const SolveOptions& solve) const {
    const int nodes = static_cast<int>(values.whole("nodes"));
    return full_or_sparse<S, AveragedStages>("avf", 1, system, avf_choice(nodes), solve);
  }
};

}  // namespace

Family avf_family(FamilyScalars) {
  return composable(
      {.name = "avf",
       .text = "average vector field: H, g and {g,H} are kept to round-off, the form is not",
       .options = {{.name = "nodes",
                    .text = "of the averages: exact for polynomials of degree 2 nodes - 1",
                    .standard = 4L,
                    .samples = {2L, 4L},
                    .least = 2,
                    .most = 16}},
       .claims = [](const Values&) -> Claims { return avf_info(); },
       .make = steppers(MakeAvf{})});
}

}  // namespace rattleback

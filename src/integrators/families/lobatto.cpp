#include "rattleback/integrators/lobatto.hpp"

#include "../common_options.hpp"
#include "../partitioned_stepper.hpp"
#include "rattleback/expression/sparse_derivatives.hpp"
#include "rattleback/integrators/spark.hpp"

namespace rattleback {

namespace {

/// From `fewest` on, which is the standard; the laws run the next two as well.
Option stages_option(long fewest) {
  return {.name = "stages",
          .text = "any number of them",
          .standard = fewest,
          .samples = {fewest + 1, fewest + 2},
          .least = static_cast<double>(fewest),
          .most = 20,
          .in_name = true};
}
int stages_of(const Values& values) { return static_cast<int>(values.whole("stages")); }

/// The fewest stages are RATTLE over a base map, which knows the structure of constraints and of H.
template <class S>
AnyStepperPointer<S> same_rattle(const AnySystem& system, BaseMap base, const SolveOptions& solve) {
  if (!sparse_derivatives(system)) return nullptr;
  return shake_rattle_stepper<S>(system, base, Projection::every, solve);
}

struct MakeLobatto {
  template <class S>
  AnyStepperPointer<S> operator()(const Values& values, const AnySystem& system,
                                  const SolveOptions& solve) const {
    require_holonomic("lobatto", system);
    if (stages_of(values) == 2)
      if (auto rattle = same_rattle<S>(system, BaseMap::verlet, solve)) return rattle;
    return partitioned_stepper<S>(system, lobatto_pair<Real<S>>(stages_of(values)), solve);
  }
};
struct MakeSpark {
  template <class S>
  AnyStepperPointer<S> operator()(const Values& values, const AnySystem& system,
                                  const SolveOptions& solve) const {
    require_holonomic("spark", system);
    if (stages_of(values) == 1)
      if (auto rattle = same_rattle<S>(system, BaseMap::midpoint, solve)) return rattle;
    return partitioned_stepper<S>(system, gauss_lobatto<Real<S>>(stages_of(values)), solve);
  }
};

}  // namespace

Family lobatto_family(FamilyScalars) {
  return with_density(
      composable({.name = "lobatto",
                  .text = "constrained Lobatto IIIA-IIIB pair, of order 2 stages - 2",
                  .options = {stages_option(2)},
                  .claims = [](const Values& v) -> Claims { return lobatto_info(stages_of(v)); },
                  .make = steppers(MakeLobatto{})}));
}
Family spark_family(FamilyScalars) {
  return with_density(
      composable({.name = "spark",
                  .text = "Gauss stages with multipliers at Lobatto nodes, of order 2 stages",
                  .options = {stages_option(1)},
                  .claims = [](const Values& v) -> Claims { return spark_info(stages_of(v)); },
                  .make = steppers(MakeSpark{})}));
}

}  // namespace rattleback

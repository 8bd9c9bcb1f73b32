#include "rattleback/integrators/index1.hpp"

#include "../common_options.hpp"

namespace rattleback {

namespace {

int stages_of(BaseMap base) {
  return base == BaseMap::midpoint ? 1 : base == BaseMap::gauss2 ? 2 : 3;
}

struct MakeIndex1 {
  template <class S>
  AnyStepperPointer<S> operator()(const Values& values, const AnySystem& system,
                                  const SolveOptions& solve) const {
    return erase<S>(Index1Stepper<AnySystem, S>(system, stages_of(base_of(values).map), solve));
  }
};

}  // namespace

Family index1_family(FamilyScalars) {
  Option base = word_option("base", "Gauss collocation with 1, 2 or 3 stages",
                            {"midpoint", "gauss2", "gauss3"});
  base.in_name = true;
  return composable(
      {.name = "index1",
       .text = "Gauss collocation on q' = H_p, p' = -H_q, 0 = H_beta; each constraint is a "
               "coordinate, alpha = 0",
       .options = {base},
       .claims = [](const Values& v) -> Claims { return index1_info(base_of(v).map); },
       .make = steppers(MakeIndex1{})});
}

}  // namespace rattleback

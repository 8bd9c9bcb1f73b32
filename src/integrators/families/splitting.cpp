#include "rattleback/integrators/splitting.hpp"

#include "../common_options.hpp"
#include "../partitioned_stepper.hpp"

namespace rattleback {

template <class S>
AnyStepperPointer<S> splitting_stepper(const AnySystem& system, const Substeps& substeps,
                                       Projection project, const SolveOptions& solve) {
  using Inner = OwnedStepper<S>;
  Inner shake{shake_rattle_stepper<S>(system, BaseMap::verlet, Projection::output, solve)};
  return erase<S>(SplittingStepper<AnySystem, S, Inner>(system, std::move(shake), substeps,
                                                        project == Projection::every));
}
#define SPLITTING(S)                                                                             \
  template AnyStepperPointer<S> splitting_stepper(const AnySystem&, const Substeps&, Projection, \
                                                  const SolveOptions&);
RATTLEBACK_FOR_FAMILY_SCALARS(SPLITTING)

namespace {

bool is_own(const Values& values) { return !values.list("c").empty() || !values.list("d").empty(); }

SplittingCoefficients coefficients_of(const Values& values) {
  if (!is_own(values)) return splitting_of_order(static_cast<int>(values.whole("order")));
  const auto &c = values.list("c"), &d = values.list("d");
  return {{c.begin(), c.end()}, {d.begin(), d.end()}};
}

struct MakeSplitting {
  template <class S>
  AnyStepperPointer<S> operator()(const Values& values, const AnySystem& system,
                                  const SolveOptions& solve) const {
    const Traits t = system.traits();
    if (!t.holonomic || !t.separable)
      throw ModelError(
          "splitting: " + system.name() +
          (t.holonomic ? " has an H that is not T(p) + V(q)" : " has constraints on momenta"));
    return splitting_stepper<S>(system, substeps(coefficients_of(values)), projection_of(values),
                                solve);
  }
};

Claims splitting_claims(const Values& values) {
  const long order = values.whole("order");
  const bool built_in = order == 1 || order == 2 || order == 4 || order == 6 || order == 8;
  if (!built_in)
    return Refusal{"orders 1, 2, 4, 6 and 8 are built in, not " + std::to_string(order)};
  if (is_own(values) && order != 2)
    return Refusal{"the order of one's own c and d follows from them"};
  const SplittingCoefficients coefficients = coefficients_of(values);
  if (std::string why = obstacle_to_splitting(coefficients); !why.empty()) return Refusal{why};
  const int found = is_own(values) ? splitting_order(coefficients) : static_cast<int>(order);
  return splitting_info(coefficients, found, "splitting");
}

}  // namespace

Family splitting_family(FamilyScalars) {
  const OptionValue none = std::vector<double>{};
  Family family{
      .name = "splitting",
      .text = "kicks and drifts for H = T(p) + V(q), one multiplier solve for every drift",
      .options = {{.name = "order",
                   .text = "of the built-in coefficients: 1, 2, 4, 6, 8",
                   .standard = 2L,
                   .samples = {1L, 4L, 6L, 8L},
                   .least = 1,
                   .most = 8},
                  {.name = "c", .text = "drifts of one's own: their sum is 1", .standard = none},
                  {.name = "d",
                   .text = "kicks of one's own, each before its drift: their sum is 1",
                   .standard = none},
                  project_option()},
      .claims = splitting_claims,
      .make = steppers(MakeSplitting{})};
  // Ruth's third order, which is 2 here: sum c_i^3 is not 0; and three even drifts, uneven kicks.
  family.together.push_back({{"c", std::vector<double>{2.0 / 3, -2.0 / 3, 1}},
                             {"d", std::vector<double>{7.0 / 24, 0.75, -1.0 / 24}}});
  family.together.push_back({{"c", std::vector<double>{0.25, 0.5, 0.25}},
                             {"d", std::vector<double>{0.375, 0.375, 0.25}}});
  family.together.push_back({{"order", 4L}, {"project", "output"}});
  return with_density(composable(std::move(family)));
}

}  // namespace rattleback

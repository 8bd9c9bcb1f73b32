// Energy over a long run: bounded and without a slope for symplectic methods; others must be seen
// to drift.
#include <set>

#include "laws/cases.hpp"
#include "rattleback/testing/energy.hpp"

namespace rattleback::testing {
namespace {

using Energy = EveryMethod;

// Of a pure drift the range grows fourfold after the first quarter, and the drift is all of it.
constexpr double most_growth = 3;    // measured: 2.2 (chain in space, chaotic), else below 1.4
constexpr double most_drift = 0.25;  // measured: 0.12 of the range (double pendulum)

struct Extremes {
  Worst growth, drift;
  int count = 0;
};

Extremes run(const Method& method, const std::set<std::string>& names, int steps) {
  Extremes worst;
  const bool symplectic = method.info().symplectic_on != SymplecticOn::nothing;
  for (const Problem& problem : problems_for(method)) {
    if (!problem.recurrent || std::isfinite(problem.regular_time)) continue;
    if (!names.empty() && !names.contains(problem.name())) continue;
    SCOPED_TRACE(problem.name());
    const auto result =
        check_energy(problem.system, method, problem.start, {.step = 0.0625, .steps = steps});
    ++worst.count;
    // A method that is not to be used may fail on the way: the drift has then been seen.
    EXPECT_TRUE(!symplectic || result.failure.empty()) << result;
    if (result.at_round_off()) continue;
    if (symplectic) {
      EXPECT_LE(result.growth(), most_growth) << result;
      EXPECT_LE(result.drift_share(), most_drift) << result;
    }
    worst.growth.add(result.growth(), problem.name());
    worst.drift.add(result.drift_share(), problem.name());
  }
  if (!symplectic) {
    EXPECT_GT(std::max(worst.growth.value() / most_growth, worst.drift.value() / most_drift), 1.5)
        << "not symplectic, but no witness shows a drift";
  }
  record("energy_growth", worst.growth);
  record("energy_drift", worst.drift);
  return worst;
}

TEST_P(Energy, IsBoundedAndFlatForSymplecticMethods) {
  const auto worst =
      run(method(),
          {"planar_pendulum", "spherical_pendulum", "quartic", "magnetic", "full_mass_sphere",
           "double_pendulum", "hopf_gravity", "hopf_quartic", "variable_mass_sphere", "index1",
           "index1_cosine", "index1_quartic", "index1_coupled"},
          2000);
  EXPECT_GE(worst.count, 4);
}

TEST_P(Energy, ThoroughOnAllProblems) { run(method(), {}, 20000); }

INSTANTIATE_TEST_SUITE_P(Registry, Energy, ::testing::ValuesIn(all_methods()), method_name);

}  // namespace
}  // namespace rattleback::testing

// The figures of every copy are those of a run of its own.
#include <gtest/gtest.h>

#include "rattleback/integrators/ensemble.hpp"
#include "rattleback/problem/witness.hpp"

namespace rattleback {
namespace {

/// iterations: a pack goes on until its last lane has converged.
template <class Copy, class Run>
void expect_figures(const Copy& copy, const Run& run, double round_off, int iterations) {
  EXPECT_EQ(copy.method, run.method);
  EXPECT_EQ(copy.step, run.step);
  EXPECT_EQ(copy.steps, run.steps);
  EXPECT_EQ(copy.wanted, run.wanted);
  EXPECT_NEAR(copy.initial_energy, run.initial_energy, round_off);
  EXPECT_NEAR(copy.final_energy, run.final_energy, round_off);
  EXPECT_NEAR(copy.energy_error, run.energy_error, round_off);
  EXPECT_NEAR(copy.energy_drift, run.energy_drift, round_off);
  EXPECT_NEAR(copy.constraint, run.constraint, 1e-14);
  EXPECT_NEAR(copy.hidden, run.hidden, 1e-14);
  EXPECT_NEAR(copy.newton_mean, run.newton_mean, iterations);
  EXPECT_NEAR(copy.newton_max, run.newton_max, iterations);
  EXPECT_EQ(copy.projections.position, run.projections.position);
  EXPECT_EQ(copy.projections.momentum, run.projections.momentum);
  EXPECT_EQ(copy.failure.text(), run.failure.text());
}

using Point = State<double, 4>;

/// Swings so fast at first that steps take several iterations more than later.
std::vector<Point> starts(int count) {
  const auto system = witness::double_pendulum();
  std::vector<Point> all;
  for (int i = 0; i < count; ++i) {
    Point z = witness::double_pendulum_start.in<double>();
    z.p *= 1 + 0.05 * i;
    all.push_back(consistent(system, z));
  }
  return all;
}

TEST(EnsembleFigures, AreThoseOfRunsOfTheirOwn) {
  const auto system = witness::double_pendulum();
  const auto z = starts(8);
  for (const long every :
       {1L, 50L, 999L}) {  // also where the most iterations are not in the last block
    const auto ensemble =
        integrate_ensemble(system, Rattle<>{}, z, {.step = 0.04, .steps = 300, .every = every});
    int most = 0;
    for (int i = 0; i < 8; ++i) {
      SCOPED_TRACE(i);
      const auto run =
          integrate(system, Rattle<>{}, z[i], {.step = 0.04, .steps = 300, .every = every});
      expect_figures(ensemble.copies[i], run, 1e-10, 1);
      most = std::max(most, run.newton_max);
      EXPECT_GE(ensemble.copies[i].newton_max, run.newton_max);
    }
    EXPECT_EQ(ensemble.copies[0].newton_max, most);  // its pack's
    EXPECT_GT(most, ensemble.copies[0].newton_mean + 1) << "all steps alike: this tests nothing";
  }
}

/// The largest of each, over all copies.
TEST(EnsembleFigures, TheSummaryHasTheLargest) {
  const auto ensemble = integrate_ensemble(witness::double_pendulum(), Shake<>{}, starts(11),
                                           {.step = 0.04, .steps = 50, .every = 1});
  double energy = 0, constraint = 0, hidden = 0;
  for (const auto& copy : ensemble.copies) {
    energy = std::max(energy, copy.energy_error);
    constraint = std::max(constraint, copy.constraint);
    hidden = std::max(hidden, copy.hidden);
  }
  const std::string text = ensemble.summary();
  const auto said = [&](const std::string& label) {
    const auto at = text.find(label);
    return at == std::string::npos ? -1 : std::strtod(text.c_str() + at + label.size(), nullptr);
  };
  EXPECT_EQ(said("copies             "), 11) << text;
  EXPECT_EQ(said(", of "), 50) << text;
  EXPECT_NEAR(said("largest error "), energy, 5e-3 * energy) << text;
  EXPECT_NEAR(said("max |g| = "), constraint, 5e-3 * constraint) << text;
  EXPECT_NEAR(said("max |{g,H}| = "), hidden, 5e-3 * hidden) << text;
  EXPECT_GT(hidden, 1e3 * constraint);
}

/// One that runs alone takes the very same steps.
TEST(EnsembleFigures, OfACopyThatRunsAlone) {
  const auto system = witness::double_pendulum();
  auto z = starts(3);
  z[1].p *= 40;  // fails, and with it the pack
  const auto ensemble = integrate_ensemble(
      system, Rattle<>{}, z, {.step = 0.04, .steps = 300, .every = 3, .allow_inconsistent = true});
  for (int i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    const auto& copy = ensemble.copies[i];
    EXPECT_TRUE(copy.alone);
    const auto run =
        integrate(system, Rattle<>{}, z[i],
                  {.step = 0.04, .steps = 300, .every = 3, .allow_inconsistent = true});
    EXPECT_EQ(copy.ok(), i != 1);
    EXPECT_EQ(copy.newton_max, run.newton_max);
    EXPECT_EQ(copy.newton_mean, run.newton_mean);
    expect_figures(copy, run, 1e-13, 0);
  }
}

}  // namespace
}  // namespace rattleback

// Large and long: steps that cost the same for each body, chains and tops at large steps, loops
// that pass a singular position. The whole lengths are in the thorough ones.
#include <gtest/gtest.h>

#include <algorithm>

#include "mechanisms.hpp"

namespace rattleback::testing {
namespace {

std::vector<double> bent(std::size_t links) {
  std::vector<double> angles(links);
  for (std::size_t i = 0; i < links; ++i) angles[i] = 0.3 * std::sin(0.7 * static_cast<double>(i));
  return angles;
}

struct Kept {
  bool ok = false;
  std::string said{};
  double constraint = 0, energy = 0, slope = 0, slope_error = 0;  ///< energy relative to its start
};

/// Energies averaged over a hundred parts of the run, and the line through them with the error of
/// its slope, as if the parts were independent.
Kept kept(const Mechanism& m, double h, long steps, long every = 10) {
  const auto motion = mechanism_motion(m, find_mechanism_method("rattlie"));
  std::vector<double> energies;
  RunOptions<AnyMotion::Point> options{.step = h, .steps = steps, .every = every};
  options.record = [&](const auto& sample) { energies.push_back(sample.energy); };
  const auto run = run_motion(*motion, options);
  Kept k{run.ok(), run.failure.text(), run.constraint,
         run.energy_error / std::abs(run.initial_energy)};
  constexpr std::size_t parts = 50;
  const std::size_t each = energies.size() / parts;
  if (each == 0) return k;
  std::vector<double> means(parts, 0);
  for (std::size_t i = 0; i < parts * each; ++i)
    means[i / each] += energies[i] / (static_cast<double>(each) * std::abs(run.initial_energy));
  double mean = 0, xx = 0, xy = 0, rest = 0;
  for (const double e : means) mean += e / parts;
  const auto place = [](std::size_t i) { return (static_cast<double>(i) + 0.5) / parts - 0.5; };
  for (std::size_t i = 0; i < parts; ++i)
    xx += place(i) * place(i), xy += place(i) * (means[i] - mean);
  k.slope = xy / xx;  // over the whole run
  for (std::size_t i = 0; i < parts; ++i) rest += std::pow(means[i] - mean - k.slope * place(i), 2);
  k.slope_error = std::sqrt(rest / (parts - 2) / xx);
  return k;
}

TEST(LongRuns, a_chain_of_a_hundred_thousand_links_steps) {
  const auto motion =
      mechanism_motion(chain(bent(100'000), JointType::ball), find_mechanism_method("rattlie"));
  const auto run = run_motion(*motion, {.step = 1e-3, .steps = 10, .every = 10});
  ASSERT_TRUE(run.ok()) << run.failure.text();
  EXPECT_LT(run.constraint, 1e-12 * 1e5);
  EXPECT_LE(run.newton_max, 4);
}

TEST(LongRuns, four_bars_in_a_row_pass_their_singular_position) {
  for (const int loops : {1, 10}) {
    const Kept k = kept(four_bars(loops), 1e-3, 2000, 5);
    ASSERT_TRUE(k.ok) << k.said;
    EXPECT_LT(k.constraint, 1e-12 * (loops + 1));
    EXPECT_LT(k.energy, 1e-3);
  }
}

TEST(LongRuns, a_fast_top_keeps_its_energy_at_large_steps) {
  const Kept k = kept(heavy_top(150), 1e-2, 20'000);
  ASSERT_TRUE(k.ok) << k.said;
  EXPECT_LT(k.energy, 2.7e-4);
  EXPECT_LT(std::abs(k.slope), 3 * k.slope_error);
}

TEST(LongRuns, ThoroughJointsOverAMillionSteps) {
  for (const Mechanism& m : {four_bars(1, 6), chain(bent(10), JointType::ball)}) {
    const Kept k = kept(m, 1e-3, 1'000'000, 100);
    ASSERT_TRUE(k.ok) << k.said;
    EXPECT_LT(k.constraint, 1e-12 * 10);
    EXPECT_LT(std::abs(k.slope), 3 * k.slope_error);
  }
}

}  // namespace
}  // namespace rattleback::testing

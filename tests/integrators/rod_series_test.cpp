// The two ways to the Taylor series of a chain of rods, by its links and by its expressions, are
// one.
#include "rattleback/integrators/rod_series.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "integrators/taylor_cases.hpp"
#include "rattleback/integrators/taylor.hpp"
#include "rattleback/problem/linked_system.hpp"
#include "rattleback/testing/trial.hpp"

namespace rattleback::taylor_tests {
namespace {

template <class S, class Sys, class Series>
State<S> after(const Sys& system, Series series, const State<Quad>& start, int steps, double h) {
  TaylorStepper<Sys, S, Series> stepper(std::move(series));
  State<S> z = testing::convert<S>(start);
  const Advance done = stepper.advance(system, z, Real<S>(h), steps);
  EXPECT_TRUE(done.status) << done.steps;
  return z;
}
template <class S, class Sys>
State<S> by_rods(const Sys& system, int order, const State<Quad>& start, int steps,
                 double h = 1.0 / 32) {
  const auto field = detail::uniform_field(system);
  EXPECT_FALSE(field.empty());
  return after<S>(system, RodSeries<Sys, S>(system, order, field), start, steps, h);
}
template <class S, class Sys>
State<S> by_tape(const Sys& system, int order, const State<Quad>& start, int steps,
                 double h = 1.0 / 32) {
  return after<S>(
      system,
      TapedSeries<Sys, S>(system, order, detail::recorded_field<Sys, S>(system), SolveOptions{}),
      start, steps, h);
}

template <int D, class Potential>
void expect_one_series(int n, const Potential& potential) {
  SCOPED_TRACE(std::to_string(n) + " links in " + std::to_string(D));
  const auto system = uneven_chain<D>(n, potential);
  const auto start = start_in<D>(system);
  for (const int order : {1, 2, 7, 36}) {
    // They project along other links, which makes a difference of the third power of what is left
    // out, and have the matrix of the end of a series and of its projection in the next step.
    const double h = order < 36 ? 1.0 / 4096 : 1.0 / 64;
    const double bound = order == 1 ? 1e-17 : order == 2 ? 1e-24 : 1e-28;
    const int steps = order < 36 ? 1 : 4;
    const auto rods = by_rods<Quad>(system, order, start, steps, h);
    EXPECT_LT(testing::distance(rods, by_tape<Quad>(system, order, start, steps, h)), bound)
        << order;
    // Eight strands against one.
    EXPECT_LT(testing::distance(rods, by_rods<double>(system, order, start, steps, h)), 4e-14)
        << order;
  }
}

TEST(RodSeries, HaveTheSeriesOfTheirExpressions) {
  for (const int n : {1, 2, 3, 7, 8, 9, 15, 16, 17, 40, 41}) expect_one_series<2>(n, height);
  for (const int n : {1, 5, 24}) expect_one_series<3>(n, tilted);
}

TEST(RodSeries, ReportTheMultipliersOfTheirExpressions) {
  const auto system = uneven_chain<2>(9, tilted);
  const auto start = start_in<2>(system);
  using System = std::decay_t<decltype(system)>;
  using Rods = RodSeries<System, double>;
  using Tape = TapedSeries<System, double>;
  TaylorStepper<System, double, Rods> rods(Rods(system, 16, detail::uniform_field(system)));
  TaylorStepper<System, double, Tape> tape(
      Tape(system, 16, detail::recorded_field<System, double>(system), SolveOptions{}));
  auto a = testing::convert<double>(start), b = a;
  for (int k = 0; k < 5; ++k) {
    ASSERT_TRUE(rods.step(system, a, 0.05));
    ASSERT_TRUE(tape.step(system, b, 0.05));
    for (int i = 0; i < 9; ++i)
      EXPECT_NEAR(rods.lambda()[i], tape.lambda()[i], 2e-12) << i;  // measured: 7e-13
    EXPECT_GT(std::abs(rods.lambda()[0]), 1e-3);
  }
}

TEST(RodSeries, CarriesDerivatives) {
  using D = Dual<double, 4>;
  const auto system = uneven_chain<2>(5, tilted);
  const auto start = start_in<2>(system);
  State<D> z = testing::convert<D>(start);
  z.p[3].partials[1] = 1;
  const Quad step(1e-10);
  const auto shifted = [&](const Quad& by) {
    auto moved = start;
    moved.p[3] += by;
    return by_rods<Quad>(system, 8, moved, 3);
  };
  const auto up = shifted(step), down = shifted(-step);
  const auto field = detail::uniform_field(system);
  using System = std::decay_t<decltype(system)>;
  TaylorStepper<System, D, RodSeries<System, D>> stepper(RodSeries<System, D>(system, 8, field));
  ASSERT_TRUE(stepper.advance(system, z, 1.0 / 32, 3).status);
  double most = 0;
  for (int i = 0; i < 10; ++i) {
    const auto slope = static_cast<double>(Quad((up.p[i] - down.p[i]) / (2 * step)));
    most = std::max(most, std::abs(slope));
    EXPECT_NEAR(z.p[i].partials[1], slope, 1e-12) << i;
  }
  EXPECT_GT(most, 0.1);
}

// The field decides which series a chain gets; both run through one door.
TEST(RodSeries, IsOfChainsInAnyField) {
  const auto bent = [](const auto& x) { return x[1] + x[0] * x[0] * x[1] / 4; };
  const auto system = uneven_chain<2>(6, bent);
  EXPECT_TRUE(detail::uniform_field(system).empty());
  EXPECT_EQ(detail::uniform_field(uneven_chain<2>(6, height)).size(), 12u);
  const auto start = start_in<2>(system);
  auto stepper = Taylor{.order = 12}.stepper<double>(system);
  auto z = testing::convert<double>(start);
  ASSERT_TRUE(stepper.advance(system, z, 1.0 / 32, 8).status);
  EXPECT_LT(testing::distance(z, by_tape<Quad>(system, 12, start, 8)), 2e-14);
  EXPECT_EQ(stepper.structure(system), "chain of 6");
}

}  // namespace
}  // namespace rattleback::taylor_tests

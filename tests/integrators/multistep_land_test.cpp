// How a multistep method's steps meet the constraints.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "integrators/multistep_cases.hpp"
#include "rattleback/expression/expression_system.hpp"
#include "rattleback/integrators/multistep.hpp"
#include "rattleback/problem/linked_system.hpp"
#include "rattleback/text/model.hpp"

namespace rattleback::multistep_tests {
namespace {

/// Promised to be quadratic, a constraint is met in one go, however long the step.
TEST(Multistep, MeetsOneQuadraticConstraintInClosedForm) {
  const auto sphere = [](const auto& q) { return (q.squaredNorm() - 1) / 2; };
  const auto height = [](const auto& q) { return q[2]; };
  const auto by_newton = natural_system(mass(1, 1, 1), height, sphere);
  const auto closed = natural_system(mass(1, 1, 1), height, quadratic(sphere));
  const State<double, 3> start{{0.6, 0, -0.8}, {0.4, 0.9, 0.3}};
  for (const double h : {0.01, 0.1, 0.2}) {
    State<double, 3> z = start, y = start;
    const Advance slow = Multistep{8}.stepper<double>(by_newton).advance(by_newton, z, h, 400);
    const Advance fast = Multistep{8}.stepper<double>(closed).advance(closed, y, h, 400);
    ASSERT_TRUE(slow.status && fast.status);
    EXPECT_EQ(fast.newton, 400) << h;
    if (h > 0.05) {
      EXPECT_GT(slow.newton, 700) << h;
    }
    EXPECT_LT((z.q - y.q).cwiseAbs().maxCoeff(), 1e-13) << h;  // 1.6e-14 to 4.2e-14
  }
}

/// A guess that happens to be good enough is off to one side: it is corrected all the same.
TEST(Multistep, CorrectsEveryGuess) {
  const AnySystem system =
      expression_system(read_model(RATTLEBACK_SOURCE_DIR "/examples/pendulum.toml").system);
  const auto stepper = multistep(8).stepper<double>(system);
  State<double> z{Vector<double, dynamic>(2), Vector<double, dynamic>(2)};
  z.q << 1, 0;
  z.p << 0, -2;
  constexpr long steps = 100'000;  // of which 35 would do without
  const Advance done = stepper->advance(system, z, 0.01, steps);
  ASSERT_TRUE(done.status);
  EXPECT_GE(done.newton, steps);
}

/// Where an iteration is linear, what it leaves is corrected once more: |g| is that of a rounded
/// position then, 0.36 eps (0.86 without, at this step).
TEST(Multistep, LeavesNothingOfALinearIteration) {
  const auto system = natural_system(
      mass(Vector<double, dynamic>(Vector<double, dynamic>::Ones(3))),
      [](const auto& q) { return q[2]; },
      constraints(1, [](const auto& q, auto& g) { g[0] = (q.squaredNorm() - 1) / 2; }));
  auto stepper = Multistep{8}.stepper<double>(system);
  State<double> z{Vector<double, dynamic>(3), Vector<double, dynamic>(3)};
  z.q << 0.6, 0, -0.8;
  z.p << 0, 0.9, 0;
  constexpr int steps = 20'000;
  long double squares = 0;
  for (int n = 0; n < steps; ++n) {
    ASSERT_TRUE(stepper.advance(system, z, 0.02, 1).status);
    const long double g = (z.q.cast<long double>().squaredNorm() - 1) / 2;
    squares += g * g / steps;
  }
  EXPECT_LT(std::sqrt(squares), 0.6L * std::numeric_limits<double>::epsilon());
}

TEST(Multistep, RefusesASolutionOnAnotherBranch) {
  for (const auto& [name, order] : {std::pair("quartic", 4), std::pair("four_bar", 8)}) {
    const auto& w = witness_system(name);
    const AnySystem text = expression_system(
        read_model(RATTLEBACK_SOURCE_DIR "/examples/witness/" + std::string(name) + ".toml")
            .system);
    for (const AnySystem* system : {&w.system, &text}) {
      const auto stepper = multistep(order).stepper<double>(*system);
      auto z = start_of(w);
      const Advance done = stepper->advance(*system, z, 0.3, 100);
      EXPECT_EQ(done.status.outcome, Outcome::branch_jump) << name;
    }
  }
}

/// Of rods G stands in the positions: what is pushed along G at the front is not pushed along
/// another one once positions move on. With links as functions G is stored.
TEST(Multistep, AChainIsPushedAlongTheFrontsOwnLinks) {
  constexpr int n = 12;
  const auto height = [](const auto& x) { return x[1]; };
  const auto rods = chain_system<2>(n, height);
  const auto functions = chain_system<2>(
      n, height, [](const auto& d) { return (d[0] * d[0] + d[1] * d[1] - 1) * 0.5; });
  State<double> z{Vector<double, dynamic>(2 * n), Vector<double, dynamic>::Zero(2 * n)};
  for (int k = 0; k < n; ++k) {
    z.q[2 * k] = (k > 0 ? z.q[2 * k - 2] : 0) + (k % 3 == 0 ? 0.6 : 0.8);
    z.q[2 * k + 1] = (k > 0 ? z.q[2 * k - 1] : 0) - (k % 3 == 0 ? 0.8 : 0.6);
  }
  auto y = z;
  ASSERT_TRUE(Multistep{8}.stepper<double>(rods).advance(rods, z, 1.0 / 64, 64).status);
  ASSERT_TRUE(Multistep{8}.stepper<double>(functions).advance(functions, y, 1.0 / 64, 64).status);
  EXPECT_LT(testing::distance(z, y), 1e-11);
}

}  // namespace
}  // namespace rattleback::multistep_tests

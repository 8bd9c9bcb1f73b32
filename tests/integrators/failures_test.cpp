// Failures explain themselves: each case checks the outcome, what is kept, and the words.
#include <gtest/gtest.h>

#include <rattleback/integrators/taylor.hpp>
#include <rattleback/rattleback.hpp>

namespace rb = rattleback;
using ::testing::Test;

namespace {

auto pendulum() {
  return rb::natural_system(
      rb::mass(1.0, 1.0), [](const auto& q) { return q[1]; },
      [](const auto& q) { return (q.squaredNorm() - 1) / 2; });
}

/// The Hopf problem with gravity at the level of Table 1 [McLachlan12, errata E1].
struct HopfStart {
  double q0 = -0.78652612, q1 = -0.4043988, p0 = -0.3880746864163783, p1 = 0.2173391755798215;
  double level() const { return q0 * q0 + q1 * q1 + p0 * p0 + p1 * p1; }
};
auto hopf(double level) {
  return rb::natural_system(
      rb::mass(1.0, 1.0), [](const auto& q) { return q[1]; },
      rb::quadratic([level](const auto& q, const auto& p) {
        return q.squaredNorm() + p.squaredNorm() - level;
      }));
}

template <class Run>
void expect_failure(const Run& run, rb::Outcome outcome, std::initializer_list<const char*> words) {
  EXPECT_FALSE(run.ok());
  EXPECT_EQ(run.status.outcome, outcome) << run.failure;
  for (const char* word : words)
    EXPECT_NE(run.failure.text().find(word), std::string::npos)
        << "no '" << word << "' in: " << run.failure;
  // Everything up to the failure is kept, the last good state included.
  EXPECT_EQ(run.times.size(), run.states.size());
  EXPECT_DOUBLE_EQ(run.times.back(), run.time());
  EXPECT_TRUE(run.final.q.allFinite() && run.final.p.allFinite());
}

}  // namespace

TEST(Failures, StepTooLargeForThePendulum) {
  // |h p| > 1 at the bottom: the drift misses the circle [errata, Pitfalls 4].
  auto run = rb::integrate(pendulum(), rb::Rattle{}, {.q = {0, -1}, .p = {10.2, 0}},
                           {.step = 0.1, .steps = 100});
  expect_failure(run, rb::Outcome::no_convergence,
                 {"step of size 0.1 failed at t = 0", "did not converge", "residual", "too large"});
  auto fine = rb::integrate(pendulum(), rb::Rattle{}, {.q = {0, -1}, .p = {9.9, 0}},
                            {.step = 0.1, .steps = 10});
  EXPECT_TRUE(fine.ok()) << fine.failure;
}

TEST(Failures, StepTooLargeForASeries) {
  auto run = rb::integrate(pendulum(), rb::Taylor{}, {.q = {0, -1}, .p = {10.2, 0}},
                           {.step = 0.5, .steps = 100});
  expect_failure(run, rb::Outcome::divergence,
                 {"step of size 0.5 failed at t = 0", "the series of the motion diverges",
                  "its term of order 9", "too large", "try half of it (0.25)"});
}

TEST(Failures, AreValuesThatMakeOneText) {
  auto run = rb::integrate(pendulum(), rb::Rattle{}, {.q = {0, -1}, .p = {10.2, 0}},
                           {.step = 0.1, .steps = 100});
  rb::Failure& failure = run.failure;
  EXPECT_EQ(failure.outcome, rb::Outcome::no_convergence);
  EXPECT_EQ(failure.step, 0.1);
  EXPECT_EQ(failure.time, 0);
  EXPECT_EQ(failure.cause.find("the step is too large for the motion"), 0u) << failure.cause;
  EXPECT_EQ(failure.text(), "step of size 0.1 failed at t = 0: " + failure.what +
                                ". Likely cause: " + failure.cause +
                                ". At the last good state: " + failure.place + ".");
  failure.cause = "a better one";
  EXPECT_NE(failure.text().find("Likely cause: a better one. At"), std::string::npos) << failure;
  EXPECT_EQ((rb::Failure{.what = "a.h5: full"}.text()), "a.h5: full");
  EXPECT_TRUE(rb::Failure{}.empty() && rb::Failure{}.text().empty());
}

TEST(Failures, StepTooLargeWithAnImplicitBaseMap) {
  auto run = rb::integrate(pendulum(), rb::Rattle<rb::BaseMap::midpoint>{},
                           {.q = {0, -1}, .p = {10.2, 0}}, {.step = 0.1, .steps = 100});
  expect_failure(run, rb::Outcome::no_convergence, {"did not converge", "too large"});
}

/// Not one: p grows from 0 to hundreds in a step, and with it the round-off that a solve ends at.
TEST(Failures, NoneWhereAStepBeginsAtRest) {
  using V = rb::Vector<double, 1>;
  const auto sled = rb::hamiltonian_system<1>([](const auto& q, const auto& p) {
    return p[0] * p[0] * (q[0] * q[0] * 0.1 + 1) / 2 + q[0] * 1000;
  });
  const rb::State<double, 1> start{.q = V(1.0), .p = V(0.0)};
  for (const double h : {0.001, 0.01, 0.02}) {
    const auto midpoint =
        rb::integrate(sled, rb::Rattle<rb::BaseMap::midpoint>{}, start, {.step = h, .steps = 1});
    EXPECT_TRUE(midpoint.ok()) << midpoint.failure;
    const auto verlet = rb::integrate(sled, rb::Rattle<>{}, start, {.step = h, .steps = 1});
    EXPECT_TRUE(verlet.ok()) << verlet.failure;
  }
}

/// The words are about what failed: H beyond its domain, and not the multipliers.
TEST(Failures, WhatIsNotFiniteIsNotBlamedOnTheMultipliers) {
  const auto well = rb::hamiltonian_system<2>(
      [](const auto& q, const auto& p) {
        using std::sqrt;
        return p.squaredNorm() / 2 + sqrt(q[0] + 1.0);
      },
      [](const auto& q) { return q[1]; });
  const auto run = rb::integrate(well, rb::Rattle<rb::BaseMap::midpoint>{},
                                 {.q = {0, 0}, .p = {-3, 0}}, {.step = 0.2, .steps = 100});
  expect_failure(run, rb::Outcome::not_finite, {"a value is not finite"});
}

TEST(Failures, BranchJumpOnTheHopfFibre) {
  const HopfStart s;
  const auto system = hopf(s.level());
  const rb::State<double, 2> start{{s.q0, s.q1}, {s.p0, s.p1}};
  auto run = rb::integrate(system, rb::Rattle<rb::BaseMap::midpoint>{}, start,
                           {.step = 0.3, .steps = 1000, .every = 1});
  expect_failure(run, rb::Outcome::branch_jump, {"another branch of the fibre", "smaller step"});
  EXPECT_LT(run.steps, 100);
  // A smaller step stays on the branch for good.
  auto fine = rb::integrate(system, rb::Rattle<rb::BaseMap::midpoint>{}, start,
                            {.step = 0.1, .steps = 1000, .every = 1});
  EXPECT_TRUE(fine.ok()) << fine.failure;
  EXPECT_LT(fine.energy_error, 0.006);  // 0.005005 measured, as in tests/reference/paper.json
}

TEST(Failures, IndexFiveProblem) {
  // [McLachlan12 5.2] H = p^2/2 + pbar q, g = qbar: N = 0.
  auto system = rb::hamiltonian_system<2>(
      [](const auto& q, const auto& p) { return p[0] * p[0] / 2 + p[1] * q[0]; },
      [](const auto& q) { return q[1]; });
  for (auto base : {0, 1}) {
    auto run = base == 0 ? rb::integrate(system, rb::Rattle{}, {.q = {0, 0}, .p = {0, 0}},
                                         {.step = 0.1, .steps = 100})
                         : rb::integrate(system, rb::Shake<rb::BaseMap::midpoint>{},
                                         {.q = {0, 0}, .p = {0, 0}}, {.step = 0.1, .steps = 100});
    expect_failure(run, rb::Outcome::rank_loss, {"singular", "degenerate", "{{g,H},g}", "index"});
    EXPECT_EQ(run.steps, 0);
  }
}

TEST(Failures, ConstraintThatTheHamiltonianDoesNotDetermine) {
  // [McLachlan12 5.2] H = p^2/2, g = qbar: residual and Jacobian vanish together.
  auto system =
      rb::hamiltonian_system<2>([](const auto&, const auto& p) { return p[0] * p[0] / 2; },
                                [](const auto& q) { return q[1]; });
  auto run = rb::integrate(system, rb::Rattle{}, {.q = {0, 0}, .p = {0.5, 0.3}},
                           {.step = 0.1, .steps = 100});
  expect_failure(run, rb::Outcome::rank_loss, {"degenerate"});
}

TEST(Failures, EnergyAsConstraint) {
  auto energy = [](const auto& q, const auto& p) {
    return p.squaredNorm() / 2 + q[1] + q[0] * q[0];
  };
  auto system = rb::hamiltonian_system<2>(
      energy, [energy](const auto& q, const auto& p) { return energy(q, p) - 1; });
  auto run = rb::integrate(system, rb::Rattle<rb::BaseMap::midpoint>{}, {.q = {1, 0}, .p = {0, 0}},
                           {.step = 0.1, .steps = 100});
  expect_failure(run, rb::Outcome::rank_loss, {"degenerate", "H = const"});
}

TEST(Failures, DuplicateConstraints) {
  auto system = rb::natural_system(
      rb::mass(1.0, 1.0), [](const auto& q) { return q[1]; },
      [](const auto& q) {
        using S = typename std::decay_t<decltype(q)>::Scalar;
        const S g = (q.squaredNorm() - 1) / 2;
        return std::array<S, 2>{g, g * 2.0};
      });
  auto run =
      rb::integrate(system, rb::Rattle{}, {.q = {1, 0}, .p = {0, -2}}, {.step = 0.1, .steps = 100});
  expect_failure(run, rb::Outcome::rank_loss, {"singular", "dependent", "redundant"});
}

TEST(Failures, ValueNotFinite) {
  // The potential ends at x = 0.5; the pendulum falls through.
  auto system = rb::natural_system(
      rb::mass(1.0, 1.0), [](const auto& q) { return q[1] + 0.01 * sqrt(q[0] - 0.5); },
      [](const auto& q) { return (q.squaredNorm() - 1) / 2; });
  auto run = rb::integrate(system, rb::Rattle{}, {.q = {1, 0}, .p = {0, -1}},
                           {.step = 0.01, .steps = 1000});
  expect_failure(run, rb::Outcome::not_finite, {"not finite"});
  EXPECT_GT(run.steps, 10);
}

TEST(Failures, InconsistentStartIsRefused) {
  const auto system = pendulum();
  try {
    (void)rb::integrate(system, rb::Rattle{}, {.q = {1, 0.1}, .p = {0, -2}},
                        {.step = 0.1, .steps = 10});
    FAIL() << "no exception";
  } catch (const rb::ModelError& e) {
    EXPECT_STREQ(e.what(),
                 "the start is not on the constraint: g_0 = 0.005 in absolute value (at "
                 "most 1e-09)");
  }
  try {
    (void)rb::integrate(system, rb::Rattle{}, {.q = {1, 0}, .p = {0.1, -2}},
                        {.step = 0.1, .steps = 10});
    FAIL() << "no exception";
  } catch (const rb::ModelError& e) {
    EXPECT_STREQ(e.what(),
                 "the start violates the hidden constraint: {g_0, H} = 0.1 in absolute "
                 "value (at most 1e-09)");
  }
}

TEST(Failures, BadOptionsAreNamed) {
  const auto system = pendulum();
  auto message = [&](const rb::RunOptions<rb::State<double, 2>>& options) {
    try {
      (void)rb::integrate(system, rb::Rattle{}, {.q = {1, 0}, .p = {0, -2}}, options);
    } catch (const rb::InputError& e) {
      return std::string(e.what());
    }
    return std::string("no exception");
  };
  EXPECT_EQ(message({.steps = 10}), "step: must be finite and not zero, got 0.000000");
  EXPECT_EQ(message({.step = 0.1, .steps = -3}), "steps: must not be negative, got -3");
  EXPECT_EQ(message({.step = 0.1, .steps = 3, .time = 1}), "steps: give steps or time, not both");
  EXPECT_EQ(message({.step = 0.1, .steps = 3, .every = -1}), "every: must not be negative, got -1");
  EXPECT_EQ(message({.step = 0.1}), "time: time 0.000000 is no positive number of steps 0.100000");
}

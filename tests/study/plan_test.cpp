// What is wanted goes before the file, the file before what is decided here; and that is said.
#include "rattleback/study/plan.hpp"

#include <algorithm>

#include "models.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/study/timescale.hpp"

namespace rattleback::study {
namespace {

const std::string decided =
    "[method]\nname = \"shake\"\n[run]\nstep = 0.02\nsteps = 50\nevery = 5\n";

bool says(const Plan& plan, const std::string& words) {
  return std::ranges::any_of(
      plan.notes, [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

TEST(Plan, the_file_decides_and_nothing_is_to_be_said) {
  const Plan plan = make_plan(problem_of(pendulum(decided)), {});
  EXPECT_EQ(plan.method->family().name, "shake");
  EXPECT_EQ(plan.step, 0.02);
  EXPECT_EQ(plan.steps, 50);
  EXPECT_EQ(plan.every, 5);
  EXPECT_TRUE(plan.notes.empty());
}

TEST(Plan, wishes_go_before_the_file) {
  const Plan plan = make_plan(problem_of(pendulum(decided)),
                              {.method = "rattle", .step = 0.1, .time = 3, .every = 7});
  EXPECT_EQ(plan.method->family().name, "rattle");
  EXPECT_EQ(plan.step, 0.1);
  EXPECT_EQ(plan.steps, 30);  // a wanted time puts the file's number of steps aside
  EXPECT_EQ(plan.every, 7);
}

TEST(Plan, what_nobody_says_is_decided_and_said) {
  const Plan plan = make_plan(problem_of(pendulum()), {});
  EXPECT_EQ(plan.method->family().name, "rattle");
  EXPECT_EQ(plan.steps, 10'000);
  EXPECT_EQ(plan.every, 10);
  EXPECT_TRUE(says(plan, "method rattle: natural H"));
  EXPECT_TRUE(says(plan, "length 10000 steps"));
  EXPECT_TRUE(says(plan, "the fastest motion"));
}

TEST(Plan, the_step_follows_the_fastest_motion) {
  // A small swing about the bottom turns at sqrt(g0).
  const auto at_bottom = [](const std::string& g0) {
    return problem_of(pendulum({}, "q = [0, -1]\np = [1e-3, 0]\n"), {{"g0", g0}});
  };
  for (const double rate : {1.0, 10.0}) {
    const Problem problem = at_bottom(std::to_string(rate * rate));
    EXPECT_NEAR(fastest_rate(problem.system, *problem.start), rate, 0.1 * rate);
    // A tenth of a radian a step, rounded down to 1, 2 or 5.
    const double step = make_plan(problem, {}).step;
    EXPECT_LE(step, 0.11 / rate);
    EXPECT_GE(step, 0.04 / rate);
  }
  // A wanted time is a whole number of steps, and they are not longer for it.
  const Plan plan = make_plan(at_bottom("1"), {.time = 1.23});
  EXPECT_LE(plan.step, make_plan(at_bottom("1"), {}).step);
  EXPECT_NEAR(plan.step * static_cast<double>(plan.steps), 1.23, 1e-15);
}

TEST(Plan, wishes_that_are_none_are_refused_by_name) {
  const Problem problem = problem_of(pendulum());
  const auto refused = [&](const Wishes& wishes) {
    return thrown<InputError>([&] { (void)make_plan(problem, wishes); });
  };
  expect_words(refused({.time = 1, .steps = 10}), "time: give steps or time");
  expect_words(refused({.step = 0}), "step: must be finite and not zero, got 0");
  expect_words(refused({.method = "ratle"}), "did you mean 'rattle'");
  expect_words(refused({.method = "auto:accuracy=2"}), "got 'auto:accuracy=2'");
  expect_words(refused({.time = -1}), "time: must be positive, got -1");
}

TEST(Plan, a_method_that_does_not_apply_is_refused_with_the_reason) {
  const std::string text =
      "[model]\ncoordinates = [\"x\"]\nhamiltonian = \"p_x^4 + x^2\"\n[initial]\nq = [1]\np = "
      "[0]\n";
  expect_words(thrown<ModelError>([&] {
                 (void)make_plan(problem_of(text), {.method = "baseline:kind=projection"});
               }),
               "needs a natural H");
}

TEST(Plan, the_path_is_that_of_the_method) {
  const auto path = [](const std::string& model, const std::string& method,
                       const Settings& set = {}) {
    const Problem problem = prepare(load(example(model), set));
    std::string text = path_in_words(problem, find_method(method));
    return text.substr(0, text.rfind(','));  // native or byte code, by machine
  };
  EXPECT_EQ(path("pendulum", "rattle"), "constraints solved dense 1 x 1");
  EXPECT_EQ(path("pendulum", "rattle:base=midpoint"), "constraints solved dense 1 x 1");
  EXPECT_EQ(path("pendulum", "rattle:compose=suzuki4"), "constraints solved dense 1 x 1");
  EXPECT_EQ(path("pendulum", "rattle:sums=compensated"),
            "constraints solved compensated, dense 1 x 1");
  EXPECT_EQ(path("pendulum", "variational:quadrature=midpoint"), "constraints solved dense 1 x 1");
  EXPECT_EQ(path("pendulum", "baseline:kind=rk4"),
            "constraints solved by elimination, dense 1 x 1");
  EXPECT_EQ(path("pendulum", "baseline:kind=projection"),
            "constraints solved after the step, dense 3 x 3");
  EXPECT_EQ(path("chain", "rattle", {{"N", "100"}}), "constraints solved chain of 100");
  EXPECT_EQ(path("chain", "rattle:compose=triplejump4", {{"N", "100"}}),
            "constraints solved chain of 100");
  EXPECT_EQ(path("chain", "rattle:base=midpoint", {{"N", "20"}}), "constraints solved chain of 20");
}

TEST(Plan, round_down_is_one_two_or_five) {
  for (const auto& [x, below] : {std::pair{0.0999, 0.05}, {0.1, 0.1}, {0.3, 0.2}, {7e4, 5e4}})
    EXPECT_DOUBLE_EQ(round_down(x), below);
}

}  // namespace
}  // namespace rattleback::study

// The cheapest method for an accuracy: what is promised is kept, and what is chosen is cheaper than
// the rest.
#include "rattleback/study/recommend.hpp"

#include <cmath>

#include "models.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/study/compare.hpp"
#include "rattleback/study/counting.hpp"
#include "rattleback/study/plan.hpp"

namespace rattleback::study {
namespace {

const char* const magnetic =
    "[model]\ncoordinates = [\"x\", \"y\", \"z\"]\n"
    "hamiltonian = \"((p_x + 0.4*y)^2 + (p_y - 0.4*x)^2 + p_z^2)/2 + z\"\n"
    "constraints = [\"(x^2 + y^2 + z^2 - 1)/2\"]\n"
    "[initial]\nq = [1, 0, 0]\np = [0, 0.6, 0.3]\nproject = true\n";

/// The error of a plan's run against one with steps an eighth as long: at its end, and the largest
/// over the last sixth of it.
struct Errors {
  double end = 0, largest = 0;
};
Errors errors_of(const Problem& problem, const Plan& plan) {
  const auto states = [&](int finer) {
    RunOptions<AnyMotion::Point> options;
    options.step = plan.step / finer;
    options.steps = plan.steps * finer;
    options.every = finer;
    const auto run = run_motion(*motion_of(problem, plan), options);
    EXPECT_TRUE(run.ok()) << run.failure.text();
    return run.states;
  };
  const auto coarse = states(1), fine = states(8);
  EXPECT_EQ(coarse.size(), fine.size());
  Errors errors;
  for (std::size_t k = 5 * coarse.size() / 6; k < std::min(coarse.size(), fine.size()); ++k) {
    errors.end = 0;
    for (std::size_t i = 0; i < coarse[k].size(); ++i)
      errors.end = std::max(errors.end, std::abs(coarse[k][i] - fine[k][i]));
    errors.largest = std::max(errors.largest, errors.end);
  }
  return errors;
}

TEST(Recommend, every_candidate_is_a_method_and_claims_order_two_or_more) {
  for (const Traits traits : {Traits{.natural = true, .holonomic = true}, Traits{.holonomic = true},
                              Traits{.holonomic = false}})
    for (const std::string& name : candidate_methods(traits))
      EXPECT_GE(find_method(name).info().order, 2) << name;
}

TEST(Recommend, what_is_promised_is_kept) {
  const std::vector<Problem> problems{problem_of(pendulum()), problem_of(magnetic),
                                      prepare(load(example("witness/hopf_gravity")))};
  for (const Problem& problem : problems)
    for (const double accuracy : {1e-3, 1e-6, 1e-9}) {
      SCOPED_TRACE(problem.system.name() + " at " + std::to_string(-std::log10(accuracy)));
      const Plan plan = make_plan(
          problem,
          {.method = "auto:accuracy=" + std::to_string(accuracy * 1e12) + "e-12", .time = 40});
      const Errors error = errors_of(problem, plan);
      EXPECT_LE(error.end, accuracy) << plan.method->info().name << " " << plan.step;
      // Nor is it a waste, where the step is not given: 0.20 to 1.1 measured. The 0.20 is the
      // multistep method of order 4 on the pendulum at 1e-3: the error tried is 0.18 at t = 10.7,
      // and 0.20 at t = 40, where it is taken to grow with time. At the very end, where the
      // pendulum happens to be slow, it is 0.066.
      if (!problem.file.run.step) {
        EXPECT_GE(error.largest, 0.1 * accuracy) << plan.method->info().name << " " << plan.step;
      }
    }
}

TEST(Recommend, the_first_is_the_cheapest_and_tighter_accuracies_cost_more) {
  const Problem problem = problem_of(pendulum());
  double last = 0;
  for (const double accuracy : {1e-2, 1e-5, 1e-8}) {
    const Recommendation tried = recommend(problem, {.accuracy = accuracy, .time = 50});
    ASSERT_NE(tried.best(), nullptr);
    for (const Candidate& other : tried.candidates)
      if (other.obstacle.empty()) {
        EXPECT_GE(other.cost, tried.best()->cost) << other.method;
      }
    EXPECT_GT(tried.best()->cost, last);
    last = tried.best()->cost;
  }
  // Order pays: Verlet is not what gets to 1e-8.
  EXPECT_GE(
      find_method(recommend(problem, {.accuracy = 1e-8, .time = 50}).best()->method).info().order,
      6);
}

TEST(Recommend, costs_are_evaluations_and_a_hessian_is_as_many_as_there_are_coordinates) {
  const Problem problem = problem_of(magnetic);
  const Recommendation tried = recommend(problem, {.accuracy = 1e-4, .time = 20});
  ASSERT_NE(tried.best(), nullptr);
  const double step = tried.best()->step;
  const long steps = std::min(50L, std::lround(tried.pilot_time / step));
  const Evaluations all = evaluations_of(problem.system, find_method(tried.best()->method),
                                         *problem.start, step, steps);
  EXPECT_GT(all.hessian, 0);
  const double sum = static_cast<double>(all.force + all.constraint + 3 * all.hessian);
  EXPECT_NEAR(tried.best()->cost * step * static_cast<double>(steps), sum, 1e-9 * sum);
}

TEST(Recommend, an_accuracy_beyond_reach_is_refused_with_the_closest) {
  const Problem problem = problem_of(pendulum());
  expect_words(thrown<InputError>([&] {
                 (void)make_plan(problem, {.method = "auto:accuracy=1e-15", .time = 1e3});
               }),
               "accuracy: 1e-15 at t = 1000 is not reached; the closest is ");
}

TEST(Recommend, with_a_step_only_the_method_is_chosen) {
  const Problem problem = problem_of(pendulum());
  const Plan plan = make_plan(problem, {.method = "auto:accuracy=1e-6", .step = 0.05, .time = 20});
  EXPECT_EQ(plan.step, 0.05);
  EXPECT_LE(errors_of(problem, plan).end, 1e-6) << plan.method->info().name;
}

ComparedRun run_of(const std::string& method, double step, double error, double seconds) {
  ComparedRun run;
  run.figures.method = method;
  run.figures.step = step;
  run.figures.seconds = seconds;
  run.error = error;
  return run;
}

TEST(Compare, recommends_the_cheapest_by_the_slope_between_its_runs) {
  const std::vector<ComparedRun> runs{run_of("a", 0.4, 1e-2, 1), run_of("a", 0.2, 1e-4, 2),
                                      run_of("b", 0.4, 1e-1, 0.1), run_of("b", 0.2, 5e-4, 9)};
  const auto best = cheapest(runs, 1e-3);  // halfway between the runs of a
  ASSERT_TRUE(best.has_value());
  EXPECT_EQ(best->method, "a");
  EXPECT_NEAR(best->step, 0.4 / std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(best->seconds, std::sqrt(2.0), 1e-14);
  EXPECT_FALSE(cheapest(runs, 1e-5).has_value());
  EXPECT_EQ(cheapest(runs, 0.5)->method, "b");  // its first run
}

}  // namespace
}  // namespace rattleback::study

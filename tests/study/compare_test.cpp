// Comparisons through the library: the same orders as the laws claim, and a watch that ends them.
#include "rattleback/study/compare.hpp"

#include <cmath>

#include "models.hpp"

namespace rattleback::study {
namespace {

TEST(Compare, orders_and_errors_against_a_better_reference) {
  const Problem problem = problem_of(pendulum());
  const Comparison c = compare(
      problem, {.methods = {"rattle", "baseline:kind=rk4"}, .step = 0.1, .time = 2, .halvings = 3});
  ASSERT_EQ(c.runs.size(), 8U);
  for (std::size_t i = 0; i < c.runs.size(); ++i) {
    const ComparedRun& run = c.runs[i];
    ASSERT_TRUE(run.error);
    EXPECT_LT(c.reference.error, 0.1 * *run.error);
    EXPECT_EQ(run.order.has_value(), i % 4 != 0);
    if (i % 4 == 0) continue;
    EXPECT_DOUBLE_EQ(*run.order, std::log2(*c.runs[i - 1].error / *run.error));
    EXPECT_NEAR(*run.order, i < 4 ? 2 : 4, 0.5);
  }
}

TEST(Compare, a_watch_sees_every_run_and_may_end_it) {
  const Problem problem = problem_of(pendulum());
  long seen = 0;
  const Comparison c = compare(problem, {.methods = {"rattle"}, .step = 0.1, .time = 1},
                               {.go_on = [&] { return seen < 2; },
                                .done =
                                    [&](long done, long all, double) {
                                      EXPECT_EQ(done, ++seen);
                                      EXPECT_EQ(all, 5);
                                    }});
  EXPECT_EQ(c.runs.size(), 2U);
  EXPECT_EQ(c.reference.method, "");
}

TEST(Compare, wishes_that_are_none_are_refused) {
  const Problem problem = problem_of(pendulum());
  const auto refused = [&](const ComparisonWishes& wishes) {
    return thrown<InputError>([&] { (void)compare(problem, wishes); });
  };
  expect_words(refused({}), "methods: none");
  expect_words(refused({.methods = {"rattle"}, .halvings = 21}), "halvings: 0 to 20, got 21");
  expect_words(refused({.methods = {"rattle"}, .step = 2, .time = 1}),
               "time: 1 is shorter than the largest step, 2");
}

}  // namespace
}  // namespace rattleback::study

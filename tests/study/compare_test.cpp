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

TEST(Compare, shake_has_the_order_that_it_claims_of_fibres) {
  // Its momenta, anywhere on their fibres, are of order 1.
  const Problem problem = problem_of(pendulum());
  const Comparison c = compare(problem, {.methods = {"shake", "shake:base=midpoint", "rattle"},
                                         .step = 0.1,
                                         .time = 2,
                                         .halvings = 3});
  ASSERT_EQ(c.runs.size(), 12U);
  for (std::size_t i = 0; i < c.runs.size(); ++i)
    if (i % 4 > 0) {
      EXPECT_NEAR(c.runs[i].order.value_or(0), 2, 0.3) << c.runs[i].figures.method;
    }
  // And is the map of RATTLE on them.
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(*c.runs[i].error, *c.runs[8 + i].error, 1e-10 + 1e-4 * *c.runs[i].error);
  ASSERT_GE(c.notes.size(), 2U);
  expect_words(c.notes[0], "shake:base=verlet leaves momenta anywhere on their fibre");
}

TEST(Compare, goes_on_where_a_method_does_not_apply) {
  const Problem problem = problem_of(pendulum());
  const Comparison c =
      compare(problem, {.methods = {"index1", "rattle"}, .step = 0.1, .time = 1, .halvings = 1});
  ASSERT_EQ(c.refused.size(), 1U);
  EXPECT_EQ(c.refused[0].method, "index1");
  expect_words(c.refused[0].reason, "does not apply");
  ASSERT_EQ(c.runs.size(), 2U);
  EXPECT_TRUE(c.runs[0].error);
  expect_words(thrown<ModelError>([&] {
                 (void)compare(problem, {.methods = {"index1"}, .step = 0.1, .time = 1});
               }),
               "does not apply");
  expect_words(thrown<InputError>([&] {
                 (void)compare(problem, {.methods = {"rattle"}, .step = 1e-320, .time = 1});
               }),
               "too small");
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

TEST(Compare, small_steps_do_not_spoil_the_reference) {
  // At a quarter of the smallest step compared a reference of order 8 is off by 5e-12, round-off.
  const Problem problem = problem_of(pendulum());
  const Comparison c = compare(problem, {.methods = {"multistep"}, .step = 0.04, .time = 10});
  EXPECT_LT(c.reference.error, 2e-12);  // measured: 7e-14 to 8e-13, by processor and steps
  int orders = 0;
  for (std::size_t i = 1; i < c.runs.size(); ++i) {
    const auto seen = [&](std::size_t k) { return *c.runs[k].error > 10 * c.reference.error; };
    EXPECT_EQ(c.runs[i].order.has_value(), seen(i) && seen(i - 1));
    if (!c.runs[i].order) continue;
    ++orders;
    EXPECT_NEAR(*c.runs[i].order, 8, 0.3);
  }
  EXPECT_GE(orders, 2);
}

TEST(Compare, errors_of_an_interrupted_comparison_are_right_or_not_there) {
  const Problem problem = problem_of(pendulum());
  const ComparisonWishes wishes{.methods = {"rattle"}, .step = 0.1, .time = 1000, .halvings = 2};
  const Comparison whole = compare(problem, wishes);
  int with = 0, without = 0;
  for (const long calls :
       {1, 2, 3, 5, 8, 12, 20, 50, 1'000'000'000}) {  // asked so often after the runs
    long seen = 0, later = 0;
    const Comparison c = compare(problem, wishes,
                                 {.go_on = [&] { return seen < 3 || ++later < calls; },
                                  .done = [&](long done, long, double) { seen = done; }});
    ASSERT_EQ(c.runs.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(c.runs[i].error.has_value(), !c.reference.method.empty());
      ++(c.runs[i].error ? with : without);
      const double right = *whole.runs[i].error;
      EXPECT_NEAR(c.runs[i].error.value_or(right), right, 0.01 * right);
    }
  }
  EXPECT_GT(with, 0);
  EXPECT_GT(without, 0);
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

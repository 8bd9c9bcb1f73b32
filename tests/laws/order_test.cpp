// Order, two-sided: the slope of the error against the exact solution is the declared order, not
// less and not more.
#include "rattleback/testing/order.hpp"
#include "laws/cases.hpp"

namespace rattleback::testing {
namespace {

using Order = EveryMethod;

constexpr OrderOptions usual{.time = 0.5, .coarsest = 8, .halvings = 4};
// Of the finest slope; the next term of the error makes it wrong by O(h), h = 1/256.
constexpr double tolerance = 0.1;

void expect_order(OrderResult result, const Coincidence* known, double allowed) {
  if (known == nullptr) {
    EXPECT_TRUE(result.holds(allowed)) << result;
  } else if (known->order > 0) {
    result.expected = known->order;
    EXPECT_TRUE(result.holds(allowed)) << known->reason << "; " << result;
  } else {
    EXPECT_EQ(result.failure, "");
    for (const double error : result.errors) EXPECT_LT(error, result.plateau) << known->reason;
  }
}

TEST_P(Order, IsWhatIsDeclared) {
  Worst worst;
  int ordinary = 0;
  for (const Problem& problem : problems_for(method())) {
    SCOPED_TRACE(problem.name());
    const Coincidence* known = coincidence(method(), problem);
    // Orders 6 and exact reach double's round-off at once.
    if (info().order > 4 || (known != nullptr && known->order > 4)) continue;
    const auto result = check_order(problem.system, method(), problem.start,
                                    exact_solution(problem, usual.time), usual);
    expect_order(result, known, tolerance);
    if (known == nullptr)
      worst.add(std::abs(result.slope() - info().order), problem.name()), ++ordinary;
  }
  EXPECT_TRUE(info().order > 4 || ordinary >= 4) << "too few problems to trust the order";
  record("order", worst);
}

/// The same code in quad precision: no plateau, finer steps, sharper slopes.
TEST_P(Order, IsWhatIsDeclaredInQuad) {
  if (info().order <= 4) GTEST_SKIP() << "double is enough";
  Worst worst;
  const OrderOptions options{.time = 0.5, .coarsest = 8, .halvings = 3, .plateau = 1e-28};
  for (const Problem& problem : problems_for(method())) {
    SCOPED_TRACE(problem.name());
    const auto result = check_order<Quad>(problem.system, method(), problem.start,
                                          exact_solution(problem, options.time), options);
    expect_order(result, coincidence(method(), problem), tolerance);
    worst.add(std::abs(result.slope() - info().order), problem.name());
  }
  record("order_quad", worst);
}

TEST_P(Order, ThoroughInQuad) {
  Worst worst;
  const OrderOptions options{.time = 0.5, .coarsest = 32, .halvings = 3, .plateau = 1e-28};
  for (const Problem& problem : problems_for(method())) {
    SCOPED_TRACE(problem.name());
    const Coincidence* known = coincidence(method(), problem);
    const auto result = check_order<Quad>(problem.system, method(), problem.start,
                                          exact_solution(problem, options.time), options);
    expect_order(result, known, tolerance);
    if (known == nullptr) worst.add(std::abs(result.slope() - info().order), problem.name());
  }
  record("order_quad", worst);
}

INSTANTIATE_TEST_SUITE_P(Registry, Order, ::testing::ValuesIn(all_methods()), method_name);

}  // namespace
}  // namespace rattleback::testing

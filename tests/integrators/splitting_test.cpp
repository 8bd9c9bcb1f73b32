// Orders of splittings on constrained systems, from their coefficients.
#include "rattleback/integrators/splitting.hpp"

#include <gtest/gtest.h>

#include "rattleback/integrators/registry.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {
namespace {

using Coefficients = SplittingCoefficients;

/// Drifts first: c_1/2 before the first kick, as the kick d_1 = 0 says.
Coefficients drift_first(const std::vector<Quad>& steps) {
  Coefficients all;
  for (std::size_t k = 0; k <= steps.size(); ++k) {
    const Quad before = k > 0 ? steps[k - 1] : Quad(0),
               after = k < steps.size() ? steps[k] : Quad(0);
    all.c.push_back(Quad((before + after) / 2));
    all.d.push_back(before);
  }
  return all;
}
const Quad outer = 1 / (2 - cbrt(Quad(2)));

TEST(Splitting, Built_in_orders_hold_to_30_digits) {
  for (const int order : {1, 2, 4, 6, 8}) {
    const Coefficients coefficients = splitting_of_order(order);
    EXPECT_EQ(splitting_order(coefficients, 1e-30), order);
    EXPECT_EQ(is_symmetric(coefficients), order > 1);
    EXPECT_EQ(obstacle_to_splitting(coefficients), "");
  }
  EXPECT_THROW(splitting_of_order(3), InputError);
}

TEST(Splitting, A_changed_digit_is_noticed) {
  Coefficients coefficients = splitting_of_order(6);
  coefficients.c[0] += 1e-20, coefficients.c[6] += 1e-20, coefficients.c[3] -= 2e-20;
  EXPECT_EQ(splitting_order(coefficients, 1e-30), 2);
  EXPECT_EQ(splitting_order(coefficients), 6);
}

/// sum c_i^3 = 0 is needed beyond order 2: the drift with its multiplier is of order 2 itself.
TEST(Splitting, Order_is_that_on_constrained_systems) {
  const Coefficients ruth3{{Quad(2) / 3, Quad(-2) / 3, 1},
                           {Quad(7) / 24, Quad(3) / 4, Quad(-1) / 24}};
  EXPECT_EQ(splitting_order(ruth3, 1e-30), 2);
  EXPECT_FALSE(is_symmetric(ruth3));
  const std::vector<Quad> forest_ruth{outer, Quad(1 - 2 * outer), outer};
  EXPECT_EQ(splitting_order(drift_first(forest_ruth), 1e-30), 2);
  EXPECT_TRUE(is_symmetric(drift_first(forest_ruth)));
  EXPECT_EQ(splitting_order({{0, 1}, {0.5, 0.5}}), 1) << "c of [Reich93 (37)] as printed";
  EXPECT_EQ(splitting_order({{1, 0}, {0.5, 0.5}}), 2);
}

TEST(Splitting, Drifts_that_are_zero_vanish) {
  const Substeps steps = substeps({{0, 0.5, 0, 0.5}, {0.25, 0.25, 0.25, 0.25}});
  EXPECT_EQ(steps.drifts, (std::vector<Quad>{0.5, 0.5}));
  EXPECT_EQ(steps.kicks, (std::vector<Quad>{0.5, 0.5, 0}));
}

std::string refusal(const std::string& specification) {
  try {
    (void)find_method(specification);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(Splitting, Refusals_say_why) {
  const auto expect = [](const std::string& method, const std::string& words) {
    EXPECT_NE(refusal(method).find(words), std::string::npos) << method << ": " << refusal(method);
  };
  expect("splitting:c=[0.5;0.6],d=[0.5;0.5]", "the sum of c must be 1, not 1.1");
  expect("splitting:c=[0.5;0.5],d=[0.5;0.25]", "the sum of d must be 1, not 0.75");
  expect("splitting:c=[1]", "c has 1 numbers and d has 0");
  expect("splitting:order=3", "orders 1, 2, 4, 6 and 8 are built in, not 3");
  expect("splitting:order=4,c=[1],d=[1]", "the order of one's own c and d follows from them");
  expect("splitting:order=1,compose=triplejump4", "not symmetric");
}

TEST(Splitting, Claims_follow_from_the_coefficients) {
  const auto claims = [](const char* name) { return find_method(name).info(); };
  EXPECT_EQ(claims("splitting:c=[1;0],d=[0.5;0.5]").order, 2);
  EXPECT_TRUE(claims("splitting:c=[1;0],d=[0.5;0.5]").symmetric);
  EXPECT_EQ(claims("splitting:c=[0.5;0.5],d=[0;1]").order, 2);
  EXPECT_TRUE(claims("splitting:c=[0.5;0.5],d=[0;1]").symmetric);
  EXPECT_EQ(claims("splitting:c=[1],d=[1]").order, 1);
  EXPECT_FALSE(claims("splitting:c=[1],d=[1]").symmetric);
}

}  // namespace
}  // namespace rattleback

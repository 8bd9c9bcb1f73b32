#include "rattleback/expression/graph.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "expression/random_expressions.hpp"

namespace rattleback {
namespace {

using testing::RandomExpressions;

double run(const Graph& graph, Expression e, std::span<const double> x) {
  const Program::Output output{0, 0, e};
  const Program program(graph, static_cast<int>(x.size()), std::span(&output, 1));
  double result = NAN;
  program.run<double>(x.data(), nullptr, &result, nullptr);
  return result;
}

/// Numbers with few bits: sums, products, quotients by powers of two and roots of squares are
/// exact, so no rule may change anything at all, however rules combine.
TEST(Graph, ExactArithmeticStaysExact) {
  const auto accept = [](Operation operation, double x, double y, double value) {
    if (!(std::abs(value) < 1e6) || std::ldexp(value, 10) != std::floor(std::ldexp(value, 10)))
      return false;
    switch (operation) {
      case Operation::negate:
      case Operation::abs:
      case Operation::sign:
      case Operation::add:
      case Operation::subtract:
      case Operation::multiply:
        return true;
      case Operation::divide:
        return y != 0 && value * y == x;
      case Operation::sqrt:
        return value * value == x;
      case Operation::power:
        return std::abs(y) <= 5 && x != 0 && std::pow(value, 1 / y) == std::abs(x);
      default:
        return false;
    }
  };
  int operations = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    RandomExpressions r(seed, {3, -2, 0.5, 4}, {0, 1, -1, 2, 0.5, -3, 4});
    r.grow(1 + r.below(40), 12, accept);
    const std::vector<double> x{3, -2, 0.5, 4};
    for (std::size_t k = 0; k < r.items.size(); ++k)
      ASSERT_EQ(run(r.graph, r.expressions[k], x), r.items[k].value)
          << "seed " << seed << ", item " << k << ": "
          << r.graph.text(r.expressions[k], [](int i) { return "x" + std::to_string(i); });
    operations += static_cast<int>(r.items.size()) - 11;
  }
  EXPECT_GT(operations, 30'000);
}

/// Any numbers: a rule moves a value by a few roundings of what goes into it, no more.
TEST(Graph, OneOperationOnSimplifiedOperandsKeepsItsValue) {
  double worst = 0;
  for (unsigned seed = 0; seed < 20'000; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> some(0.1, 0.9);
    const std::vector<double> x{some(random), some(random)};
    RandomExpressions r(seed, x, {some(random), -some(random), 0, 1, -1, 2, -0.5});
    r.grow(4, 100, [](Operation operation, double a, double b, double value) {
      const bool small_power = operation != Operation::power || std::abs(b) < 5;
      return operation != Operation::sign && small_power && std::abs(a) < 1e3 &&
             std::abs(b) < 1e3 && std::abs(value) < 1e3;
    });
    for (std::size_t k = 0; k < r.items.size(); ++k) {
      const auto& [operation, a, b, value] = r.items[k];
      if (operand_count(operation) == 0) continue;
      const double left = run(r.graph, r.expressions[a], x),
                   right = b < 0 ? 0 : run(r.graph, r.expressions[b], x);
      const double direct = evaluate(operation, left, right);
      if (!std::isfinite(direct)) continue;  // a zero that rounding has moved
      const double ours = run(r.graph, r.expressions[k], x);
      const double scale = std::max({std::abs(direct), std::abs(left), std::abs(right)});
      if (scale > 0) worst = std::max(worst, std::abs(ours - direct) / scale);
    }
  }
  EXPECT_LT(worst, 1e-15);
}

TEST(Graph, RulesFindWhatIsTheSame) {
  Graph g;
  const Expression x = g.input(0), y = g.input(1), zero = g.constant(0), one = g.constant(1);
  const auto c = [&](double value) { return g.constant(value); };
  EXPECT_EQ(g.add(x, zero), x);
  EXPECT_EQ(g.add(zero, x), x);
  EXPECT_EQ(g.add(x, y), g.add(y, x));
  EXPECT_EQ(g.add(x, g.negate(y)), g.subtract(x, y));
  EXPECT_EQ(g.add(g.negate(x), y), g.subtract(y, x));
  EXPECT_EQ(g.subtract(x, zero), x);
  EXPECT_EQ(g.subtract(zero, x), g.negate(x));
  EXPECT_EQ(g.subtract(x, x), zero);
  EXPECT_EQ(g.subtract(x, g.negate(y)), g.add(x, y));
  EXPECT_EQ(g.negate(g.negate(x)), x);
  EXPECT_EQ(g.negate(g.subtract(x, y)), g.subtract(y, x));
  EXPECT_EQ(g.multiply(x, one), x);
  EXPECT_EQ(g.multiply(one, x), x);
  EXPECT_EQ(g.multiply(x, zero), zero);
  EXPECT_EQ(g.multiply(x, c(-1)), g.negate(x));
  EXPECT_EQ(g.multiply(x, y), g.multiply(y, x));
  EXPECT_EQ(g.multiply(g.negate(x), g.negate(y)), g.multiply(x, y));
  EXPECT_EQ(g.multiply(g.negate(x), y), g.negate(g.multiply(x, y)));
  EXPECT_EQ(g.multiply(c(2), g.multiply(c(0.5), x)), x);
  EXPECT_EQ(g.multiply(c(3), g.negate(x)), g.multiply(c(-3), x));
  EXPECT_EQ(g.divide(zero, x), zero);
  EXPECT_EQ(g.divide(x, one), x);
  EXPECT_EQ(g.divide(x, c(2)), g.multiply(c(0.5), x));
  EXPECT_EQ(g.divide(x, c(-4)), g.multiply(c(-0.25), x));
  EXPECT_NE(g.divide(x, c(3)), g.multiply(c(1.0 / 3), x));
  EXPECT_EQ(g.power(x, zero), one);
  EXPECT_EQ(g.power(x, one), x);
  EXPECT_EQ(g.power(x, c(2)), g.multiply(x, x));
  EXPECT_EQ(g.power(x, c(-1)), g.divide(one, x));
  EXPECT_EQ(g.power(x, c(0.5)), g.apply(Operation::sqrt, x));
  EXPECT_EQ(g.apply(Operation::abs, g.negate(x)), g.apply(Operation::abs, x));
  EXPECT_EQ(c(-0.0), zero);
  EXPECT_EQ(g.apply(Operation::sin, c(0.5)), c(std::sin(0.5)));
}

TEST(Graph, WholePowersAreProductsAndLargeOnesPowers) {
  Graph g;
  const Expression x = g.input(0);
  const double at = 1.01;
  for (const double exponent : {0.0,   1.0,   2.0,    3.0, 7.0, 64.0, 65.0, 100.0, -1.0, -3.0,
                                -64.0, -65.0, -100.0, 0.5, 1.5, -0.5, -1.5, 0.3,   -0.3, 2.5}) {
    const Expression e = g.power(x, g.constant(exponent));
    ASSERT_TRUE(e) << exponent;
    EXPECT_NEAR(run(g, e, {&at, 1}), std::pow(at, exponent), 1e-14) << exponent;
  }
  for (const double exponent : {double{INFINITY}, -double{INFINITY}, double{NAN}}) {
    const Expression e = g.power(x, g.constant(exponent));
    ASSERT_TRUE(e);
    EXPECT_TRUE(testing::same_bits(run(g, e, {&at, 1}), std::pow(at, exponent)));
  }
}

TEST(Graph, DeepExpressionsNeedNoStack) {
  Graph g;
  Expression e = g.input(0);
  for (int k = 0; k < 200'000; ++k) e = g.apply(Operation::sin, g.add(e, g.input(1 + k % 3)));
  EXPECT_EQ(g.reachable(std::span(&e, 1)).size(), 400'004U);
  EXPECT_EQ(g.inputs_of(e), (std::vector<int>{0, 1, 2, 3}));
  const Expression zero = g.substitute(std::span(&e, 1), [&](int) { return g.constant(0); })[0];
  EXPECT_EQ(zero, g.constant(0));
  EXPECT_LT(g.text(e, [](int) { return std::string("x"); }).size(), 3000U);
  const std::vector<double> x{0.1, 0.2, 0.3, 0.4};
  double direct = x[0];
  for (int k = 0; k < 200'000; ++k) direct = std::sin(direct + x[1 + k % 3]);
  EXPECT_EQ(run(g, e, x), direct);
}

TEST(Graph, GrowsPastEveryReallocation) {
  Graph g;
  const Expression x = g.input(0);
  Expression sum = g.constant(0);
  for (int k = 1; k <= 100'000; ++k)  // every product folds two constants that are new
    sum = g.add(sum, g.multiply(g.constant(0.5), g.multiply(g.constant(k), x)));
  const double at = 2;
  EXPECT_EQ(run(g, sum, {&at, 1}), 100'000.0 * 100'001 / 2);
}

TEST(Graph, SubstitutionReplacesAndSimplifies) {
  Graph g;
  const Expression x = g.input(0), y = g.input(1);
  const std::vector<Expression> roots{g.add(g.multiply(x, y), x), g.apply(Operation::cos, y)};
  const auto out =
      g.substitute(roots, [&](int k) { return k == 0 ? g.multiply(y, y) : g.constant(0); });
  EXPECT_EQ(out[0], g.multiply(y, y));
  EXPECT_EQ(out[1], g.constant(1));
}

}  // namespace
}  // namespace rattleback

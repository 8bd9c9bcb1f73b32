#include "rattleback/expression/derivative.hpp"

#include <gtest/gtest.h>

#include "expression/random_expressions.hpp"
#include "rattleback/problem/dual.hpp"
#include "rattleback/problem/quad.hpp"

namespace rattleback {
namespace {

using testing::RandomExpressions;

/// The outputs in order, at x, in any scalar.
template <class S>
std::vector<S> run(const Graph& graph, std::span<const Expression> outputs,
                   const std::vector<S>& x) {
  std::vector<Program::Output> list;
  for (const Expression e : outputs) list.push_back({0, static_cast<int>(list.size()), e});
  const Program program(graph, static_cast<int>(x.size()), list);
  std::vector<S> result(outputs.size());
  program.run<S>(x.data(), nullptr, result.data(), nullptr);
  return result;
}

/// df/dx_j by the four-point difference quotient in quad precision.
Quad difference(const Graph& graph, Expression f, const std::vector<Quad>& x, int j) {
  const Quad h("1e-7");
  const auto at = [&](const Quad& shift) {
    std::vector<Quad> y = x;
    y[j] += shift;
    return run<Quad>(graph, std::span(&f, 1), y)[0];
  };
  return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
}

std::vector<Quad> in_quad(const std::vector<double>& x) { return {x.begin(), x.end()}; }

/// Inside the domain of every function and away from its kinks, values neither large nor small.
bool is_tame(Operation operation, double x, double y, double value) {
  if (!std::isfinite(value) || std::abs(value) > 10 || std::abs(value) < 0.05) return false;
  switch (operation) {
    case Operation::sqrt:
    case Operation::log:
    case Operation::power:
      return x > 0.1;
    case Operation::asin:
    case Operation::acos:
      return std::abs(x) < 0.9;
    case Operation::tan:
      return std::abs(std::cos(x)) > 0.2;
    case Operation::divide:
      return std::abs(y) > 0.1;
    case Operation::abs:
    case Operation::sign:
      return std::abs(x) > 0.05;
    case Operation::atan2:
      return x * x + y * y > 0.1;
    default:
      return true;
  }
}

TEST(Derivative, EveryOperationAgainstQuadDifferences) {
  for (int k = testing::first_operation; k <= testing::last_operation; ++k) {
    const auto operation = static_cast<Operation>(k);
    Graph g;
    const Expression x = g.input(0), y = g.input(1);
    const Expression f =
        operand_count(operation) == 1 ? g.apply(operation, x) : g.apply(operation, x, y);
    const std::vector<Quad> at{Quad("0.7"), Quad("1.3")};
    for (int j = 0; j < 2; ++j) {
      const Expression d = derivative(g, f, j);
      EXPECT_NEAR(
          static_cast<double>(run<Quad>(g, std::span(&d, 1), at)[0] - difference(g, f, at, j)), 0,
          1e-25)
          << spelling(operation) << " by " << j;
    }
  }
}

TEST(Derivative, RandomExpressionsAgainstDualsAndQuadDifferences) {
  int compared = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> some(0.2, 1.5);
    const std::vector<double> x{some(random), -some(random), some(random), some(random)};
    RandomExpressions r(seed, x, {2, -0.5, some(random), 3});
    r.grow(20, 8, is_tame);
    const Expression f = r.expressions.back();
    const auto slopes = gradient(r.graph, f, 0, 4);
    const std::vector<Quad> at = in_quad(x);
    for (const GradientEntry& slope : slopes) {
      const double value =
          static_cast<double>(run<Quad>(r.graph, std::span(&slope.value, 1), at)[0]);
      std::vector<Dual<Quad, 1>> lifted(at.begin(), at.end());
      lifted[slope.input].partials[0] = 1;
      const double dual =
          static_cast<double>(run<Dual<Quad, 1>>(r.graph, std::span(&f, 1), lifted)[0].partials[0]);
      const double quotient = static_cast<double>(difference(r.graph, f, at, slope.input));
      // Constants are folded in double: 2.3e-15 at most.
      const double scale = 1 + std::abs(dual);
      EXPECT_NEAR(value, dual, 5e-15 * scale) << "seed " << seed;
      EXPECT_NEAR(quotient, dual, 1e-12 * scale) << "seed " << seed;
      ++compared;
    }
    for (int j = 0; j < 4; ++j) {  // what is not listed is zero
      if (std::any_of(slopes.begin(), slopes.end(), [&](const auto& s) { return s.input == j; }))
        continue;
      EXPECT_NEAR(static_cast<double>(difference(r.graph, f, at, j)), 0, 1e-20);
    }
  }
  EXPECT_GT(compared, 1500);
}

TEST(Derivative, SecondDerivativesAreSymmetric) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const std::vector<double> x{0.7, -0.4, 1.1};
    RandomExpressions r(seed, x, {2, -0.5});
    r.grow(8, 5, is_tame);
    const Expression f = r.expressions.back();
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < i; ++j) {
        const Expression d[] = {derivative(r.graph, derivative(r.graph, f, i), j),
                                derivative(r.graph, derivative(r.graph, f, j), i)};
        const auto values = run<Quad>(r.graph, d, in_quad(x));
        const double scale = 1 + std::abs(static_cast<double>(values[0]));
        EXPECT_NEAR(static_cast<double>(values[0] - values[1]), 0, 1e-12 * scale) << seed;
      }
  }
}

TEST(Derivative, DirectionalIsTheGradientAlongIt) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const std::vector<double> x{0.7, -0.4, 1.1};
    const std::vector<double> along{0.3, 0, -2};
    RandomExpressions r(seed, x, {2, -0.5});
    r.grow(10, 6, is_tame);
    const std::vector<Expression> f{r.expressions.back(), r.expressions[r.expressions.size() - 2]};
    const auto changes = directional(r.graph, f, [&](int k) {
      return along[k] == 0 ? Expression{} : r.graph.constant(along[k]);
    });
    const auto values = run<Quad>(r.graph, changes, in_quad(x));
    for (int i = 0; i < 2; ++i) {
      Quad sum = 0;
      for (const auto& [input, slope] : gradient(r.graph, f[i], 0, 3))
        sum += along[input] * run<Quad>(r.graph, std::span(&slope, 1), in_quad(x))[0];
      const double scale = 1 + std::abs(static_cast<double>(sum));
      EXPECT_NEAR(static_cast<double>(values[i] - sum), 0, 1e-12 * scale) << seed;
    }
  }
}

TEST(Derivative, JacobianHasNoZeros) {
  Graph g;
  std::vector<Expression> links;
  for (int k = 1; k < 100; ++k) {
    const Expression d = g.subtract(g.input(k), g.input(k - 1));
    links.push_back(g.multiply(d, d));
  }
  links.push_back(g.subtract(g.add(g.input(3), g.input(4)), g.input(3)));
  const SparseExpressions j = jacobian(g, links, 0, 100);
  EXPECT_EQ(j.rows, 100);
  EXPECT_EQ(j.columns, 100);
  for (int k = 1; k < 100; ++k) {
    EXPECT_EQ(j.start[k] - j.start[k - 1], 2);
    EXPECT_EQ(j.column[j.start[k - 1]], k - 1);
    EXPECT_EQ(j.column[j.start[k - 1] + 1], k);
  }
  EXPECT_EQ(j.start[100] - j.start[99], 1);  // x3 cancels
}

/// The gradient of a sum over a chain costs what the sum costs, whatever the number of inputs.
TEST(Derivative, GradientIsAsLongAsTheFunction) {
  for (const int n : {10, 1000}) {
    Graph g;
    Expression sum = g.constant(0);
    for (int k = 1; k < n; ++k) {
      const Expression d = g.subtract(g.input(k), g.input(k - 1));
      sum = g.add(sum, g.apply(Operation::cos, g.multiply(d, d)));
    }
    std::vector<Program::Output> outputs{{1, 0, sum}};
    const std::size_t alone = Program(g, n, outputs).instructions().size();
    for (const auto& [input, value] : gradient(g, sum, 0, n)) outputs.push_back({0, input, value});
    EXPECT_LT(Program(g, n, outputs).instructions().size(), 3 * alone);
  }
}

}  // namespace
}  // namespace rattleback

#include "rattleback/geometry/brackets.hpp"

#include <gtest/gtest.h>

#include "rattleback/geometry/tidy.hpp"

using namespace rattleback;

namespace {

class BracketsTest : public testing::Test {
 protected:
  Graph graph;
  Expression x = graph.input(0), y = graph.input(1), px = graph.input(2), py = graph.input(3);
  Brackets brackets{graph, 2};
  std::string text(Expression e) {
    return readable(graph, e, [](int k) {
      return std::vector<std::string>{"x", "y", "p_x", "p_y"}[k];
    });
  }
  Expression square(Expression e) { return graph.multiply(e, e); }
};

TEST_F(BracketsTest, OfCoordinates) {
  EXPECT_EQ(brackets(x, px), graph.constant(1));
  EXPECT_EQ(brackets(px, x), graph.constant(-1));
  EXPECT_EQ(brackets(x, py), graph.constant(0));
  EXPECT_EQ(brackets(x, y), graph.constant(0));
}

TEST_F(BracketsTest, AlgebraOfTheBracketIsExact) {
  const Expression f = graph.multiply(square(x), py);
  const Expression g = graph.add(graph.multiply(px, y), square(py));
  const Expression h = graph.multiply(graph.multiply(x, y), px);
  EXPECT_EQ(tidied(graph, graph.add(brackets(f, g), brackets(g, f))), graph.constant(0));
  // Leibniz
  const Expression product = brackets(graph.multiply(f, g), h);
  const Expression parts =
      graph.add(graph.multiply(f, brackets(g, h)), graph.multiply(g, brackets(f, h)));
  EXPECT_EQ(tidied(graph, graph.subtract(product, parts)), graph.constant(0));
  // Jacobi
  const Expression cyclic =
      graph.add(graph.add(brackets(f, brackets(g, h)), brackets(g, brackets(h, f))),
                brackets(h, brackets(f, g)));
  EXPECT_EQ(tidied(graph, cyclic), graph.constant(0));
}

/// (x + y + p_x + p_y)^5 has 56 terms: too many to be multiplied out, which is not zero.
TEST_F(BracketsTest, LongSumsKeepTheirValue) {
  const Expression sum = graph.add(graph.add(x, y), graph.add(px, py));
  Expression power = sum;
  for (int k = 0; k < 4; ++k) power = graph.multiply(power, sum);
  const Expression longer = graph.subtract(power, x);
  EXPECT_EQ(tidied(graph, longer), longer);
}

TEST_F(BracketsTest, MatrixHasOnlyPairsThatShareVariables) {
  const Expression f[] = {x, y, graph.multiply(px, py)};
  const SparseExpressions m = brackets.matrix(f, f);
  EXPECT_EQ(m.start, (std::vector<int>{0, 1, 2, 4}));
  EXPECT_EQ(m.column, (std::vector<int>{2, 2, 0, 1}));
  EXPECT_EQ(m.value[0], py);
  EXPECT_EQ(text(m.value[2]), "-p_y");
}

TEST_F(BracketsTest, TidiedCancelsAndReads) {
  const Expression difference =
      graph.subtract(square(graph.add(x, y)), square(graph.subtract(x, y)));
  EXPECT_EQ(text(tidied(graph, difference)), "4*x*y");
  const Expression sine = graph.apply(Operation::sin, x);
  EXPECT_EQ(text(graph.multiply(sine, graph.multiply(py, y))), "y*p_y*sin(x)");
  EXPECT_EQ(text(graph.divide(x, graph.add(x, y))), "x/(x + y)");
}

TEST_F(BracketsTest, WhatIsOnlyMeantToBeZeroLosesItsFactor) {
  const Expression e = graph.negate(
      graph.add(graph.multiply(graph.constant(2), x), graph.multiply(graph.constant(2), y)));
  const auto name = [](int k) { return k == 0 ? std::string("x") : std::string("y"); };
  EXPECT_EQ(readable(graph, e, name, true), "x + y");
}

}  // namespace

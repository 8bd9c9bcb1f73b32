// Expressions of model files: what they mean, and that size and depth do no harm.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <rattleback/text/model.hpp>

namespace rb = rattleback;

namespace {

/// The value of a parameter that is written like this.
double value(const std::string& expression, const std::string& more = "") {
  const std::string text =
      "[model]\ncoordinates = [\"x\"]\nhamiltonian = \"p_x\"\nparameters = { a = '" + expression +
      "'" + more + " }\n";
  return rb::parse_model(text, "test").parameters.at("a").at(0);
}

/// A Hamiltonian of x[1..3] as the graph has it.
std::string written(const std::string& expression) {
  const auto file = rb::parse_model(
      "[model]\ncoordinates = [\"x[1..3]\"]\nparameters = { L = [2, 3, 4] }\nhamiltonian = '" +
          expression + "'\n",
      "test");
  return file.system.graph->text(file.system.hamiltonian,
                                 [&](int i) { return file.system.input_name(i); });
}

std::string message(const std::string& expression) {
  try {
    value(expression);
  } catch (const rb::TextError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST(Expressions, OperatorsBindAsInMathematics) {
  EXPECT_EQ(value("1 + 2*3"), 7);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("2^-3"), 0.125);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("2^-1^2"), 0.5);
  EXPECT_EQ(value("8/4/2"), 1);
  EXPECT_EQ(value("1 - 2 - 3"), -4);
  EXPECT_EQ(value("2*-3"), -6);
  EXPECT_EQ(value("- -3"), 3);
  EXPECT_EQ(value("+3"), 3);
  EXPECT_EQ(value("(1 + 2)*3"), 9);
}

TEST(Expressions, NumbersAndNames) {
  EXPECT_EQ(value("1e-3"), 1e-3);
  EXPECT_EQ(value(".5 + 2."), 2.5);
  EXPECT_EQ(value("1E+2"), 100);
  EXPECT_EQ(value("1e-400"), 0);
  EXPECT_EQ(value("pi"), std::numbers::pi);
  EXPECT_EQ(value("π"), std::numbers::pi);
  EXPECT_EQ(value("2*θ", ", \"θ\" = 3"), 6);
  EXPECT_EQ(value("b[2]^2", ", b = [1, 'c'], c = 4"), 16);
}

TEST(Expressions, Functions) {
  EXPECT_EQ(value("sqrt(2)"), std::sqrt(2.0));
  EXPECT_EQ(value("exp(1) + log(2)"), std::exp(1.0) + std::log(2.0));
  EXPECT_EQ(value("sin(1)*cos(1)/tan(1)"), std::sin(1.0) * std::cos(1.0) / std::tan(1.0));
  EXPECT_EQ(value("asin(.1) + acos(.1) + atan(.1)"), std::asin(.1) + std::acos(.1) + std::atan(.1));
  EXPECT_EQ(value("sinh(1) + cosh(1) + tanh(1)"), std::sinh(1.0) + std::cosh(1.0) + std::tanh(1.0));
  EXPECT_EQ(value("atan2(-1, -2)"), std::atan2(-1.0, -2.0));
  EXPECT_EQ(value("abs(-3)"), 3);
}

TEST(Expressions, Sums) {
  EXPECT_EQ(value("sum(i, 1, 4, i^2)"), 30);
  EXPECT_EQ(value("sum(i, 1, 0, i)"), 0);
  EXPECT_EQ(value("sum(i, -2, 2, i)"), 0);
  EXPECT_EQ(value("sum(i, 1, 3, sum(j, i, 3, i*j))"), 25);
  EXPECT_EQ(value("sum(i, 1, 3, i) + sum(i, 1, 3, i)"), 12);  // the index is free again
  EXPECT_EQ(written("sum(i, 2, 3, L[i]*(x[i] - x[i-1]))"), "3*(x[2] - x[1]) + 4*(x[3] - x[2])");
  EXPECT_EQ(written("sum(i, 1, 3, p_x[i]^2)"), "p_x[1]*p_x[1] + p_x[2]*p_x[2] + p_x[3]*p_x[3]");
}

TEST(Expressions, LongOnesAreNoProblem) {
  std::string text = "1";
  for (int i = 0; i < 100'000; ++i) text += "+1";
  EXPECT_EQ(value(text), 100'001);
}

TEST(Expressions, DeepOnesAreRefused) {
  const auto nested = [](int depth) {
    return std::string(depth, '(') + "1" + std::string(depth, ')');
  };
  EXPECT_EQ(value(nested(900)), 1);
  for (const std::string& deep :
       {nested(1'000'000), std::string(1'000'000, '(') + "1", std::string(1'000'000, '-') + "1"})
    EXPECT_NE(message(deep).find("nested more than 1000 levels deep"), std::string::npos);
  std::string tower = "1";
  for (int i = 0; i < 100'000; ++i) tower += "^1";
  EXPECT_NE(message(tower).find("nested more than 1000 levels deep"), std::string::npos);
}

TEST(Expressions, ManyParametersInAChainAreNoProblem) {
  std::string more;
  const int count = 20'000;
  for (int i = 0; i < count; ++i)
    more += ", b" + std::to_string(i) + " = 'b" + std::to_string(i + 1) + "'";
  EXPECT_EQ(value("b0", more + ", b" + std::to_string(count) + " = 7"), 7);
}

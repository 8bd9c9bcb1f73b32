// Grids of a sweep, between their ends too.
#include <gtest/gtest.h>

#include <cmath>
#include <rattleback/text/model.hpp>

namespace rb = rattleback;

namespace {

std::vector<double> grid(const std::string& text) {
  const auto file = rb::parse_model(
      "[model]\ncoordinates = ['x']\nparameters = { L = 1 }\nhamiltonian = 'p_x^2/2 + L*x'\n"
      "[initial]\nq = [0]\np = [0]\n[sweep]\nparameters = { L = " +
          text + " }\n",
      "test.toml");
  const auto& values = file.sweep->axes.at(0).values;
  std::vector<double> all;
  for (long i = 0; i < values.size(); ++i) all.push_back(values[i]);
  return all;
}

TEST(Grids, LogarithmicOnesHaveOneRatio) {
  const auto values = grid("{ from = 0.125, to = 512, count = 7, scale = \"log\" }");
  ASSERT_EQ(values.size(), 7u);
  for (int i = 0; i < 7; ++i) EXPECT_NEAR(values[i], std::ldexp(1.0, 2 * i - 3), 1e-15 * values[i]);
  const auto down = grid("{ from = 1000, to = 0.01, count = 6, scale = \"log\" }");
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(down[i] / std::pow(10.0, 3 - i), 1, 1e-15);
}

TEST(Grids, LinearOnesHaveOneDifference) {
  const auto values = grid("{ from = -1, to = 3, count = 9 }");
  ASSERT_EQ(values.size(), 9u);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(values[i], -1 + 0.5 * i);
  EXPECT_EQ(grid("{ from = 2, to = 5, count = 1 }"), std::vector<double>{2});
  EXPECT_EQ(grid("{ from = 2, to = 5, count = 2, scale = \"linear\" }"),
            (std::vector<double>{2, 5}));
}

}  // namespace

#include "expression/native_programs.hpp"
#include "rattleback/expression/derivative.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {
namespace {

using namespace testing;

TEST_F(Native, ThousandsOfRandomProgramsToTheBit) {
  std::size_t instructions = 0;
  for (unsigned seed = 0; seed < 4000 && !HasFailure(); ++seed) {
    const int size = 1 << seed % 11, window = seed % 2 == 0 ? 10 : 1 << 20;
    const Program program = random_program(
        seed, size, window, 1 + static_cast<int>(seed % 5) * size / 4, seed % 3 != 0);
    instructions += program.instructions().size();
    expect_same(program, near_one, "seed " + std::to_string(seed));
  }
  EXPECT_GT(instructions, 200'000U);
}

TEST_F(Native, EveryLaneHasItsOwnConstants) {
  for (unsigned seed = 0; seed < 500 && !HasFailure(); ++seed) {
    const Program program = random_program(seed, 1 << seed % 9, 10, 5, seed % 3 != 0);
    for (const int width : widths())
      for (const int lanes : {8, 16})
        EXPECT_EQ(differences_with_constants(program, lanes, width, near_one), 0)
            << "seed " << seed << ", " << lanes << " lanes, " << width << " in a register";
  }
  const Program program = random_program(1, 30, 10, 5, false);
  EXPECT_THROW(NativeCode(program, 8, 8, 0, std::vector<double>(1)), InputError);
}

/// One row of a family, with more values than there are registers.
Program row(bool calls) {
  Graph g;
  const Expression x = g.input(0), next = g.input(1), y = g.input(2);
  Expression e = g.divide(g.subtract(x, next), g.add(g.multiply(y, y), g.constant(1.5)));
  std::vector<Expression> values{e};
  for (int k = 1; k < 40; ++k)
    values.push_back(e = g.divide(g.add(e, x), g.add(g.multiply(e, e), next)));
  if (calls) e = g.apply(Operation::tanh, e);
  for (const Expression v : values) e = g.add(g.multiply(e, v), y);
  const std::vector<Program::Output> outputs{{0, 0, e}, {1, 0, g.apply(Operation::sign, e)}};
  return {g, 2, outputs};
}

TEST_F(Native, RowsOfAFamilySideBySide) {
  for (const bool calls : {false, true})
    for (const int width : widths())
      for (int rows = width; rows < 4 * width; ++rows) {
        const Program program = row(calls);
        std::vector<double> x(rows + 1), y(rows), a(rows + 1, untouched), b(rows + 1, untouched);
        for (double& v : x) v = near_one();
        for (double& v : y) v = near_one();
        NativeCode(program, width, 1, rows, {}, width)(x.data(), y.data(), a.data(), b.data());
        for (int r = 0; r < rows; ++r) {
          double expected[2];
          program.run<double>(&x[r], &y[r], &expected[0], &expected[1]);
          EXPECT_TRUE(same_bits(a[r], expected[0]) && same_bits(b[r], expected[1])) << r;
        }
        EXPECT_EQ(a[rows], untouched);
        EXPECT_EQ(b[rows], untouched);
      }
}

TEST_F(Native, EveryOperationOnEverySpecialValue) {
  const double special[] = {0.0,      -0.0,      1,      -1,     0.5,     -2,
                            INFINITY, -INFINITY, NAN,    5e-324, -5e-324, 2.2250738585072014e-308,
                            1.7e308,  -1e308,    1e-200, 3,      1e22,    0.1};
  for (int k = testing::first_operation; k <= testing::last_operation; ++k) {
    const auto operation = static_cast<Operation>(k);
    Graph g;
    const Expression x = g.input(0), y = g.input(1);
    const Expression e =
        operand_count(operation) == 1 ? g.apply(operation, x) : g.apply(operation, x, y);
    const Program::Output output{0, 0, e};
    const Program program(g, 1, std::span(&output, 1));
    for (const double a : special)
      for (const double b : special) {
        bool first = true;
        const auto next = [&] { return std::exchange(first, !first) ? a : b; };
        expect_same(program, next,
                    std::string(spelling(operation)) + " of " + std::to_string(a) + " and " +
                        std::to_string(b));
      }
  }
}

/// The three fused operations, with operands that are equal, constant, used again or not.
TEST_F(Native, FusedOperationsInEveryForm) {
  for (int again = 0; again < 8; ++again)
    for (int kind = 0; kind < 3; ++kind)
      for (int pattern = 0; pattern < 64; ++pattern) {
        Graph g;
        const Expression sources[] = {g.apply(Operation::sqrt, g.input(0)),
                                      g.apply(Operation::abs, g.input(1)), g.input(2),
                                      g.constant(0.3)};
        const Expression a = sources[pattern % 4], b = sources[pattern / 4 % 4],
                         c = sources[pattern / 16];
        const Expression product = g.multiply(a, b);
        const Expression e = kind == 0   ? g.add(product, c)
                             : kind == 1 ? g.subtract(c, product)
                                         : g.subtract(product, c);
        std::vector<Program::Output> outputs{{0, 0, e}};
        if (again & 1) outputs.push_back({0, 1, g.divide(a, g.input(3))});
        if (again & 2) outputs.push_back({0, 2, g.divide(b, g.input(3))});
        if (again & 4) outputs.push_back({0, 3, g.divide(c, g.input(3))});
        expect_same(Program(g, 4, outputs), near_one,
                    std::to_string(kind) + " " + std::to_string(pattern));
      }
}

TEST_F(Native, HighRegisterPressureFromOneToAHundredThousandValues) {
  for (const int live : {1,  2,  14, 15,  16,  17,  18,  30,  31,   32,    33,
                         40, 61, 63, 124, 126, 200, 499, 501, 2000, 10'000})
    for (const bool reversed : {false, true})
      for (const bool calls : {false, true})
        expect_same(high_pressure(live, reversed, calls), near_one,
                    std::to_string(live) + (reversed ? " reversed" : "") + (calls ? " calls" : ""));
  expect_same(high_pressure(100'000, true, true), near_one, "100000");
}

TEST_F(Native, OutputsThatAreInputsConstantsOrWrittenTwice) {
  Graph g;
  const Expression x = g.input(0), y = g.input(1), half = g.constant(0.5);
  const Expression product = g.multiply(x, y);
  const std::vector<Program::Output> outputs{{0, 0, x},       {0, 1, half},
                                             {1, 0, product}, {1, 1, product},
                                             {0, 2, product}, {0, 1, y},
                                             {1, 5, half},    {1, 4, half},
                                             {0, 3, x},       {1, 0, g.apply(Operation::exp, x)}};
  expect_same(Program(g, 1, outputs), near_one, "outputs");
  expect_same(Program(g, 1, {}), near_one, "nothing");
  const NativeCode nothing(Program(g, 1, {}));
  nothing(nullptr, nullptr, nullptr, nullptr);
}

TEST_F(Native, SinesAndCosinesOfOneArgumentTogether) {
  for (int between = 0; between < 40; ++between) {
    Graph g;
    const Expression x = g.input(0), y = g.input(1);
    const Expression first = g.apply(between % 2 == 0 ? Operation::sin : Operation::cos, x);
    Expression e = g.multiply(first, y);
    for (int k = 0; k < between; ++k)
      e = k % 7 == 6 ? g.apply(Operation::tanh, e) : g.add(g.multiply(e, y), g.input(k % 2));
    const Expression second = g.apply(between % 2 == 0 ? Operation::cos : Operation::sin, x);
    const std::vector<Program::Output> outputs{{0, 0, e},
                                               {0, 1, g.multiply(second, e)},
                                               {1, 0, first},
                                               {1, 1, second},
                                               {1, 2, g.apply(Operation::sin, e)}};
    expect_same(Program(g, 1, outputs), near_one, std::to_string(between));
    const auto large = [&] { return near_one() * 1e6; };
    expect_same(Program(g, 1, outputs), large, std::to_string(between));
  }
}

TEST_F(Native, ArgumentsOfCallsInAnyRegister) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    RandomExpressions r(seed, {0.5, 0.6, 0.7}, {0.3});
    r.grow(30, 1000, [](Operation operation, double, double, double value) {
      return (operation == Operation::atan2 || operation == Operation::power ||
              operation == Operation::add) &&
             std::abs(value) < 1e3;
    });
    std::vector<Program::Output> outputs;
    for (const Expression e : r.expressions)
      outputs.push_back({0, static_cast<int>(outputs.size()), e});
    expect_same(Program(r.graph, 3, outputs), near_one, "seed " + std::to_string(seed));
  }
}

}  // namespace
}  // namespace rattleback

#include "rattleback/expression/native.hpp"

#include <gtest/gtest.h>

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "expression/random_expressions.hpp"
#include "rattleback/expression/derivative.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {
namespace {

using testing::RandomExpressions;
using testing::same_bits;

/// What a program needs of its arrays.
struct Sizes {
  int x = 0, y = 0, a = 0, b = 0;
};
Sizes sizes_of(const Program& program) {
  Sizes s;
  for (const auto& i : program.inputs()) {
    int& size = i.array == 0 ? s.x : s.y;
    size = std::max(size, i.index + 1);
  }
  for (const auto& r : program.results()) {
    int& size = r.array == 0 ? s.a : s.b;
    size = std::max(size, r.index + 1);
  }
  return s;
}

/// Entries of array `from` of lane `lane`.
std::vector<double> lane_of(const std::vector<double>& from, int count, int stride, int lane) {
  std::vector<double> out(count);
  for (int k = 0; k < count; ++k) out[k] = from[k * stride + lane];
  return out;
}

constexpr double untouched = 1.23456e78;

/// Every kind of code that this processor runs, not only the best.
std::vector<int> widths() { return NativeCode::widest() == 8 ? std::vector{4, 8} : std::vector{4}; }

/// Runs the native code and, lane by lane, the byte code; counts different bits, and what was
/// written where nothing should be.
int differences(const Program& program, int lanes, int stride, int width,
                const std::function<double()>& value) {
  const Sizes s = sizes_of(program);
  std::vector<double> x(s.x * stride + 1), y(s.y * stride + 1);
  for (double& v : x) v = value();
  for (double& v : y) v = value();
  std::vector<double> a(s.a * stride + 1, untouched), b(s.b * stride + 1, untouched);
  const NativeCode code(program, lanes, stride, 0, {}, width);
  code(x.data(), y.data(), a.data(), b.data());
  int count = a.back() != untouched || b.back() != untouched;
  for (int lane = 0; lane < stride; ++lane) {
    std::vector<double> expected_a(s.a, untouched), expected_b(s.b, untouched);
    if (lane < lanes)
      program.run<double>(lane_of(x, s.x, stride, lane).data(),
                          lane_of(y, s.y, stride, lane).data(), expected_a.data(),
                          expected_b.data());
    for (int k = 0; k < s.a; ++k) count += !same_bits(a[k * stride + lane], expected_a[k]);
    for (int k = 0; k < s.b; ++k) count += !same_bits(b[k * stride + lane], expected_b[k]);
  }
  return count;
}
void expect_same(const Program& program, const std::function<double()>& value,
                 const std::string& what) {
  for (const int width : widths())
    for (const auto& [lanes, stride] : {std::pair{1, 1}, {4, 4}, {4, 8}, {8, 8}, {16, 16}})
      EXPECT_EQ(differences(program, lanes, stride, width, value), 0)
          << what << ", " << lanes << " lanes of " << stride << ", " << width << " in a register";
}

/// The same where every lane has constants of its own.
int differences_with_constants(const Program& program, int lanes, int width,
                               const std::function<double()>& value) {
  const Sizes s = sizes_of(program);
  const int count = static_cast<int>(program.constants().size());
  std::vector<double> constants(count * lanes), x(s.x * lanes), y(s.y * lanes);
  for (auto* array : {&constants, &x, &y})
    for (double& v : *array) v = value();
  std::vector<double> a(s.a * lanes), b(s.b * lanes);
  const NativeCode code(program, lanes, lanes, 0, constants, width);
  code(x.data(), y.data(), a.data(), b.data());
  int different = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    std::vector<double> expected_a(s.a), expected_b(s.b);
    program.run<double>(lane_of(constants, count, lanes, lane).data(), 1,
                        lane_of(x, s.x, lanes, lane).data(), lane_of(y, s.y, lanes, lane).data(),
                        expected_a.data(), expected_b.data());
    const auto written = lane_of(a, s.a, lanes, lane), also = lane_of(b, s.b, lanes, lane);
    for (int k = 0; k < s.a; ++k) different += !same_bits(written[k], expected_a[k]);
    for (int k = 0; k < s.b; ++k) different += !same_bits(also[k], expected_b[k]);
  }
  return different;
}

bool has_instruction(Operation operation) {
  switch (operation) {
    case Operation::negate:
    case Operation::sqrt:
    case Operation::abs:
    case Operation::sign:
      return true;
    default:
      return operation >= Operation::add && operation <= Operation::divide;
  }
}

/// A random program with `operations` operations and `outputs` outputs. Values near 1 stay so.
Program random_program(unsigned seed, int operations, int window, int outputs, bool calls) {
  std::vector<double> point(1 + seed % 7, 0.7);
  RandomExpressions r(seed, point, {0.3, -1.7, 2, 0.1 * seed});
  r.grow(operations, window, [&](Operation operation, double, double, double value) {
    return (calls || has_instruction(operation)) && std::isfinite(value) && std::abs(value) < 1e9;
  });
  std::vector<Program::Output> list;
  const int count = static_cast<int>(r.expressions.size());
  for (int k = 0; k < outputs; ++k)
    list.push_back({r.below(2), r.below(2 * outputs), r.expressions[count - 1 - r.below(count)]});
  return {r.graph, static_cast<int>(point.size()) / 2, list};
}

class Native : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!NativeCode::available()) GTEST_SKIP() << "no native code on this machine";
  }
  std::mt19937_64 random{7};
  std::function<double()> near_one = [this] {
    return std::uniform_real_distribution<double>(-1.5, 1.5)(random);
  };
};

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

/// `live` values that are all needed at the end, in the order in which they were made or reversed.
Program high_pressure(int live, bool reversed, bool calls) {
  Graph g;
  std::vector<Expression> values;
  Expression before = g.input(0);
  for (int k = 0; k < live; ++k) {
    const Expression moved = g.add(before, g.input(1 + k % 5));
    before = g.divide(moved, g.add(g.multiply(before, before), g.constant(1.5)));
    if (calls && k % 50 == 0)
      before = g.apply(k % 100 == 0 ? Operation::sin : Operation::cos, before);
    values.push_back(before);
  }
  if (reversed) std::reverse(values.begin(), values.end());
  Expression sum = g.constant(0.25);
  for (const Expression v : values) sum = g.add(g.multiply(sum, v), g.input(2));
  const Program::Output output{0, 0, sum};
  return {g, 6, std::span(&output, 1)};
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

TEST_F(Native, ManyThreadsBuildAndRun) {
  const Program shared_program = high_pressure(3000, true, true);
  const NativeCode shared(shared_program);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 mine(t);
      const auto value = [&] { return std::uniform_real_distribution<double>(-1, 1)(mine); };
      for (unsigned k = 0; k < 100; ++k) {
        wrong += differences(random_program(1000 * t + k, 200, 30, 20, true), 1, 1,
                             NativeCode::widest(), value);
        std::vector<double> x(6);
        for (double& v : x) v = value();
        double ours = 0, expected = 1;
        shared(x.data(), nullptr, &ours, nullptr);
        shared_program.run<double>(x.data(), nullptr, &expected, nullptr);
        wrong += !same_bits(ours, expected);
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

/// What does not fit is not taken from the stack, however many values there are.
TEST_F(Native, LargeProgramsRunOnSmallStacks) {
  struct Work {
    NativeCode code;
    std::vector<double> x = std::vector<double>(24, 0.5), a = std::vector<double>(4);
  } work{NativeCode(high_pressure(20'000, true, false), 4)};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 256 << 10), 0);
  pthread_t thread;
  const auto run = [](void* given) -> void* {
    auto& [code, x, a] = *static_cast<Work*>(given);
    code(x.data(), nullptr, a.data(), nullptr);
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_NE(work.a[3], 0);
  EXPECT_EQ(work.a[3], work.a[0]);
}

int count_mappings(const std::string& rights = "") {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find(rights) != line.npos;
  return count;
}

TEST_F(Native, MemoryIsNeverWritableAndExecutableAndIsFreed) {
  const Program program = random_program(3, 100, 20, 10, true);
  { const NativeCode warm(program); }
  const int before = count_mappings();
  for (int round = 0; round < 20; ++round) {
    std::vector<NativeCode> codes;
    for (int k = 0; k < 50; ++k) codes.emplace_back(program);
    EXPECT_EQ(count_mappings(" rwx"), 0);
    EXPECT_GT(count_mappings(" r-x"), 0);
  }
  EXPECT_LE(count_mappings(), before + 2);
}

TEST_F(Native, CopiesOutliveTheOriginal) {
  Graph g;
  const Program::Output output{0, 0, g.multiply(g.input(0), g.constant(3))};
  const Program program(g, 1, std::span(&output, 1));
  NativeCode copy;
  EXPECT_FALSE(copy);
  {
    NativeCode original(program);
    copy = original;
    const NativeCode moved = std::move(original);
    EXPECT_TRUE(moved);
  }
  const double x = 2;
  double result = 0;
  copy(&x, nullptr, &result, nullptr);
  EXPECT_EQ(result, 6);
}

TEST_F(Native, WrongLanesAreNamed) {
  const Program program = random_program(1, 3, 10, 1, false);
  EXPECT_THROW(NativeCode(program, 2), InputError);
  EXPECT_THROW(NativeCode(program, 32), InputError);
  EXPECT_THROW(NativeCode(program, 8, 8, 0, {}, 5), InputError);
  EXPECT_THROW(NativeCode(program, 8, 1, 8, {}, 4), InputError);  // rows side by side
  EXPECT_THROW(NativeCode(program, 4, 2), InputError);
}

/// Work and code grow in proportion to the program.
TEST_F(Native, CodeIsLinearInTheProgram) {
  const auto bytes = [](int live) {
    const Program program = high_pressure(live, true, false);
    return static_cast<double>(NativeCode(program).size()) / program.value_count();
  };
  EXPECT_LT(bytes(100'000), 1.5 * bytes(1000));
}

TEST(NativeFallback, TheEnvironmentCanSayNo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto said_no = [] {
    setenv("RATTLEBACK_NO_NATIVE", "1", 1);
    return !NativeCode::available();
  };
  EXPECT_EXIT(std::exit(said_no() ? 7 : 1), ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace rattleback

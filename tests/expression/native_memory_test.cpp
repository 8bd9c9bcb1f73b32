// Native code as an object: threads, stacks, pages, copies, refusals, size.
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "expression/native_programs.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {
namespace {

using namespace testing;

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
                             NativeCode::widest(), 2, value);
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
  EXPECT_THROW(NativeCode(program, 8, 8, 0, {}, 4, 3), InputError);
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

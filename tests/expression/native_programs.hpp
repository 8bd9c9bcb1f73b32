// What tests of native code share: programs, and the byte code of the same program to compare with.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "expression/random_expressions.hpp"
#include "rattleback/expression/native.hpp"

namespace rattleback::testing {

/// What a program needs of its arrays.
struct Sizes {
  int x = 0, y = 0, a = 0, b = 0;
};
inline Sizes sizes_of(const Program& program) {
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
inline std::vector<double> lane_of(const std::vector<double>& from, int count, int stride,
                                   int lane) {
  std::vector<double> out(count);
  for (int k = 0; k < count; ++k) out[k] = from[k * stride + lane];
  return out;
}

inline constexpr double untouched = 1.23456e78;

/// Every kind of code that this processor runs, not only the best.
inline std::vector<int> widths() {
  return NativeCode::widest() == 8 ? std::vector{4, 8} : std::vector{4};
}

/// Runs the native code and, lane by lane, the byte code; counts different bits, and what was
/// written where nothing should be.
inline int differences(const Program& program, int lanes, int stride, int width, int registers,
                       const std::function<double()>& value) {
  const Sizes s = sizes_of(program);
  std::vector<double> x(s.x * stride + 1), y(s.y * stride + 1);
  for (double& v : x) v = value();
  for (double& v : y) v = value();
  std::vector<double> a(s.a * stride + 1, untouched), b(s.b * stride + 1, untouched);
  const NativeCode code(program, lanes, stride, 0, {}, width, registers);
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
inline void expect_same(const Program& program, const std::function<double()>& value,
                        const std::string& what) {
  for (const int width : widths())
    for (const int registers : {1, 2})
      for (const auto& [lanes, stride] : {std::pair{1, 1}, {4, 4}, {4, 8}, {8, 8}, {16, 16}})
        EXPECT_EQ(differences(program, lanes, stride, width, registers, value), 0)
            << what << ", " << lanes << " lanes of " << stride << " in at least " << registers
            << " registers of " << width;
}

/// The same where every lane has constants of its own.
inline int differences_with_constants(const Program& program, int lanes, int width,
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

inline bool has_instruction(Operation operation) {
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
inline Program random_program(unsigned seed, int operations, int window, int outputs, bool calls) {
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

/// `live` values that are all needed at the end, in the order in which they were made or reversed.
inline Program high_pressure(int live, bool reversed, bool calls) {
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

}  // namespace rattleback::testing

// Steps of linked systems allocate nothing, not even the first.
#include <gtest/gtest.h>

#include <cmath>

#include "integrators/linked_reference.hpp"
#include "rattleback/integrators/natural_constrained.hpp"
#include "rattleback/integrators/registry.hpp"

#include "allocations.hpp"  // last: it defines what others declare

namespace rattleback {
namespace {

using testing::allocations;

using linked_tests::gravity;

template <class Sys>
long allocations_in_steps(const Sys& system) {
  State<double> z{Vector<double, dynamic>(system.dimension()),
                  Vector<double, dynamic>::Zero(system.dimension())};
  double x = 0, y = 0;
  for (int i = 0; i < system.bodies(); ++i) {
    x += std::sin(0.5 + 0.1 * (i % 5)), y -= std::cos(0.5 + 0.1 * (i % 5));
    z.q[2 * i] = x, z.q[2 * i + 1] = y;
  }
  NaturalConstrained<Sys, double> stepper(system);
  const long before = allocations;
  bool ok = true;
  for (int k = 0; k < 20; ++k) ok = ok && stepper.step(system, z, 0.01, true);
  EXPECT_TRUE(ok);
  return allocations - before;
}

TEST(LinkedAllocation, CountingWorks) {
  if (!testing::counts_allocations) GTEST_SKIP() << "malloc cannot be replaced here";
  const long before = allocations;
  std::vector<double> v(1000, 1.0);
  EXPECT_GT(allocations, before) << v[0];
}

TEST(LinkedAllocation, NoneInAChain) {
  EXPECT_EQ(allocations_in_steps(chain_system<2>(300, gravity)), 0);
}

TEST(LinkedAllocation, NoneInATree) {
  std::vector<Link<2>> links{{.first = ground, .second = 0, .length = 1, .anchor = {0, 0}}};
  for (int i = 1; i < 40; ++i)
    links.push_back({.first = i - 1, .second = i, .length = 1, .anchor = {0, 0}});
  EXPECT_EQ(allocations_in_steps(linked_system<2>(std::vector<double>(40, 1.0), gravity, links)),
            0);
}

/// Broyden's vectors are there before they are needed.
TEST(LinkedAllocation, NoneInHardSteps) {
  auto [system, z] = linked_tests::strained_tree();
  NaturalConstrained<std::decay_t<decltype(system)>, double> stepper(system, {1, 0});
  ASSERT_TRUE(stepper.project(system, z));
  const long before = allocations;
  int most = 0;
  for (int k = 0; k < 23; ++k) {
    const Status status = stepper.step(system, z, 0.01, true);
    ASSERT_TRUE(status) << k;
    most = std::max(most, status.iterations);
  }
  EXPECT_EQ(allocations - before, 0);
  EXPECT_GT(most, 10);  // measured: 14
}

/// A chain in disguise keeps its kernel: its stepper takes memory in proportion to its length,
/// where a full matrix would take the square of it, and evaluates each link as often in a long
/// chain.
TEST(LinkedAllocation, AnErasedChainIsLinear) {
  if (!testing::counts_allocations) GTEST_SKIP() << "malloc cannot be replaced here";
  static long evaluations;
  const auto counted = [](const auto& d) {
    ++evaluations;
    return (d[0] * d[0] + d[1] * d[1] - 1.0) * 0.5;
  };
  const auto cost = [&](int n) {
    const AnySystem chain("chain", chain_system<2>(n, gravity, counted));
    auto z = linked_tests::winding<double, 2>(n);
    z.p.setZero();
    const long before = testing::allocated;
    const auto stepper = find_method("rattle").stepper<double>(chain);
    const double bytes = static_cast<double>(testing::allocated - before) / n;
    EXPECT_TRUE(stepper->step(chain, z, 1e-3)) << n;
    evaluations = 0;
    const long settled = allocations;
    EXPECT_TRUE(stepper->step(chain, z, 1e-3)) << n;
    EXPECT_EQ(allocations - settled, 0);
    return std::pair(bytes, static_cast<double>(evaluations) / n);
  };
  const auto [bytes, calls] = cost(200);
  const auto [long_bytes, long_calls] = cost(2000);
  EXPECT_LT(long_bytes, 1.1 * bytes) << bytes;
  EXPECT_GT(calls, 0);
  EXPECT_LE(long_calls, calls + 0.01);
}

}  // namespace
}  // namespace rattleback

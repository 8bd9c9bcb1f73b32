// Steps of linked systems allocate nothing, not even the first.
#include <gtest/gtest.h>

#include <cmath>

#include "allocations.hpp"
#include "rattleback/integrators/natural_constrained.hpp"

namespace rattleback {
namespace {

using testing::allocations;

const auto gravity = [](const auto& x) { return x[1]; };

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

}  // namespace
}  // namespace rattleback

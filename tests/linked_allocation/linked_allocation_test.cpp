// Steps of linked systems allocate nothing: malloc is counted in this program.
#include <gtest/gtest.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "rattleback/integrators/natural_constrained.hpp"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS_ALLOCATIONS 1
#else
#define COUNTS_ALLOCATIONS 0
#endif

namespace {
thread_local long allocations = 0;
}

#if COUNTS_ALLOCATIONS
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** p, std::size_t alignment, std::size_t size) {
  ++allocations;
  *p = __libc_memalign(alignment, size);
  return *p ? 0 : ENOMEM;
}
}
#endif

namespace rattleback {
namespace {

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
  for (int k = 0; k < 20; ++k) ok = ok && stepper.step(system, z, 0.01, 0.5, 0.5, true);
  EXPECT_TRUE(ok);
  return allocations - before;
}

TEST(LinkedAllocation, CountingWorks) {
  if (!COUNTS_ALLOCATIONS) GTEST_SKIP() << "malloc cannot be replaced here";
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

// Factorisations and solves allocate nothing: operator new is counted in this program.
#include <cstdlib>
#include <new>

#include "rattleback/solve/banded.hpp"
#include "rattleback/solve/block_chain.hpp"
#include "rattleback/solve/chain.hpp"
#include "rattleback/solve/clusters.hpp"
#include "rattleback/solve/dense.hpp"
#include "rattleback/solve/tree.hpp"
#include "solve/reference.hpp"

namespace {
long allocations = 0;
void* counted(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void* counted(std::size_t size, std::align_val_t align) {
  ++allocations;
  const std::size_t unit = std::size_t(align);
  if (void* p = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return p;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, std::align_val_t align) { return counted(size, align); }
void* operator new[](std::size_t size, std::align_val_t align) { return counted(size, align); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace rattleback {
namespace {

template <class S, class Solver>
void expect_none(Solver&& solver, int width) {
  const int n = solver.size();
  const auto entry = [&](int i, int j) { return i == j ? S(4) : S(i - j <= width ? -0.5 : 0); };
  std::vector<S> b(n, S(1));
  std::vector<Dual<S, 3>> c(n, Dual<S, 3>(S(1)));
  const long before = allocations;
  const bool ok = solver.factor(entry).ok;
  solver.solve(b);
  solver.solve(c);
  const bool refused = !solver.factor([&](int, int) { return S(0); }).ok;
  const long after = allocations;
  EXPECT_TRUE(ok && refused);
  EXPECT_EQ(after - before, 0);
}

template <class S>
struct Allocation : ::testing::Test {};
TYPED_TEST_SUITE(Allocation, reference::Scalars);

TYPED_TEST(Allocation, none_in_factor_and_solve) {
  using S = TypeParam;
  expect_none<S>(DenseLdlt<S, 4>(), 1);
  expect_none<S>(DenseLdlt<S>(50), 1);
  expect_none<S>(DenseLu<S, 4>(), 1);
  expect_none<S>(DenseLu<S>(50), 1);
  expect_none<S>(ChainLdlt<S>(100), 1);
  expect_none<S>(BlockChainLdlt<S, 3>(100), 1);
  expect_none<S>(BandedLdlt<S>(100, 3), 3);
  expect_none<S>(ClusterLdlt<S>({1, 2, 3, 20}), 1);
  CouplingPattern pattern(100);
  for (int i = 1; i < 100; ++i) pattern[i] = {i - 1};
  expect_none<S>(TreeLdlt<S>(pattern), 1);
  pattern[0].push_back(99);
  expect_none<S>(SparseLdlt<S>(pattern), 1);
}

TEST(AllocationCounter, counts) {
  const long before = allocations;
  {
    std::vector<double> v(10);
    EXPECT_EQ(v.size(), 10u);
  }
  EXPECT_GT(allocations, before);
}

}  // namespace
}  // namespace rattleback

// Factorisations and solves allocate nothing.
#include "allocations.hpp"
#include "rattleback/solve/banded.hpp"
#include "rattleback/solve/block_chain.hpp"
#include "rattleback/solve/chain.hpp"
#include "rattleback/solve/clusters.hpp"
#include "rattleback/solve/dense.hpp"
#include "rattleback/solve/tree.hpp"
#include "solve/reference.hpp"

namespace rattleback {
namespace {

using testing::allocations;

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
  if (!testing::counts_allocations) GTEST_SKIP() << "malloc cannot be counted here";
  const long before = allocations;
  {
    std::vector<double> v(10);
    EXPECT_EQ(v.size(), 10u);
  }
  EXPECT_GT(allocations, before);
}

}  // namespace
}  // namespace rattleback

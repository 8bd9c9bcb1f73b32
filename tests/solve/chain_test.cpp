#include "rattleback/solve/chain.hpp"

#include "rattleback/solve/block_chain.hpp"
#include "solve/reference.hpp"

namespace rattleback {
namespace {

using namespace reference;

const Coupled neighbours = [](int i, int j) { return std::abs(i - j) == 1; };

template <int B>
const Coupled block_neighbours =
    [](int i, int j) { return i != j && std::abs(i / B - j / B) <= 1; };

template <class S>
struct Chain : ::testing::Test {};
TYPED_TEST_SUITE(Chain, Scalars);

TYPED_TEST(Chain, obeys_the_solver_laws) {
  for (int n : sizes)
    check_solver<TypeParam>(n, neighbours, [](int m) { return ChainLdlt<TypeParam>(m); });
}

TYPED_TEST(Chain, every_small_size_and_around_the_switch_to_four_rows) {
  for (int n = 1; n <= 60; ++n) {
    const auto a = positive<TypeParam>(n, neighbours);
    ChainLdlt<TypeParam> solver(n);
    expect_good(a, solver);
  }
}

TYPED_TEST(Chain, rank_loss_is_seen_in_the_pivots) {
  for (int n : {2, 3, 10, 101}) {
    ChainLdlt<TypeParam> solver(n);
    expect_rank_loss<TypeParam>(solver, neighbours, n - 1, n - 2);
    expect_rank_loss<TypeParam>(solver, neighbours, 1, 0);
  }
}

/// A tridiagonal matrix whose couplings differ, and solutions of it against products with it.
template <class S>
void expect_unsymmetric(int n) {
  SCOPED_TRACE(n);
  std::vector<S> a(n), below(n, S(0)), above(n, S(0));
  for (int i = 1; i < n; ++i) below[i] = random<S>(), above[i] = random<S>();
  for (int i = 0; i < n; ++i) a[i] = S(2.5) + random<S>() * S(0.2);
  const auto in = [](const std::vector<S>& v) { return [&v](int i) { return v[i]; }; };
  ChainLu<S> solver(n);
  const FactorReport report = solver.factor(in(a), in(below), in(above));
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(report.negative, 0);
  using R = Dual<S, 3>;
  std::vector<R> x(n), b(n);
  for (auto& v : x) v = random<R>();
  for (int i = 0; i < n; ++i) {
    b[i] = a[i] * x[i];
    if (i > 0) b[i] += below[i] * x[i - 1];
    if (i + 1 < n) b[i] += above[i + 1] * x[i + 1];
  }
  std::vector<S> values(n);
  for (int i = 0; i < n; ++i) values[i] = b[i].value;
  solver.solve(b), solver.solve(values);
  for (int i = 0; i < n; ++i) {
    // Dominant: condition below 10; measured at most 3 units of round-off.
    EXPECT_LT(magnitude(R(b[i] - x[i])), 10 * epsilon<S>) << i;
    EXPECT_LT(magnitude(S(values[i] - x[i].value)), 10 * epsilon<S>) << i;
  }
}
TYPED_TEST(Chain, couplings_of_two_rows_may_differ) {
  for (int n = 1; n <= 60; ++n) expect_unsymmetric<TypeParam>(n);
  expect_unsymmetric<TypeParam>(1001);
}

// Four rows at once multiply four pivots: matrices far from unit size go row by row.
TEST(ChainRange, entries_of_any_size) {
  for (double scale : {1e-300, 1e-90, 1e-60, 1.0, 1e60, 1e90, 1e300}) {
    SCOPED_TRACE(scale);
    auto a = positive<double>(101, neighbours);
    std::vector<double> x(101);
    for (auto& v : x) v = uniform();
    auto b = product(a, x);
    for (auto& v : a.values) v *= scale;
    for (auto& v : b) v *= scale;
    ChainLdlt<double> solver(101);
    const FactorReport report = solver.factor(a);
    EXPECT_TRUE(report.ok);
    EXPECT_EQ(report.negative, 0);
    solver.solve(b);
    for (int i = 0; i < 101; ++i) EXPECT_NEAR(b[i], x[i], 1e-12);
  }
}

// The chain of the hanging rods, G G^T = tridiag(-1, 2, -1) with a 1 at the start.
TEST(ChainRange, straight_chain_of_links) {
  const int n = 1000;
  ChainLdlt<double> solver(n);
  const FactorReport report =
      solver.factor([](int i) { return i > 0 ? 2.0 : 1.0; }, [](int) { return -1.0; });
  EXPECT_TRUE(report.ok);
  std::vector<double> b(n, 0.0);
  b[n - 1] = 1;
  solver.solve(b);  // a force on the end is carried by every link
  for (int i = 0; i < n; ++i) EXPECT_NEAR(b[i], 1.0, 1e-9) << i;
}

template <class S>
struct BlockChain : ::testing::Test {};
TYPED_TEST_SUITE(BlockChain, Scalars);

TYPED_TEST(BlockChain, obeys_the_solver_laws) {
  for (int n : sizes) {
    check_solver<TypeParam>(n, block_neighbours<2>,
                            [](int m) { return BlockChainLdlt<TypeParam, 2>(m); });
    check_solver<TypeParam>(n, block_neighbours<3>,
                            [](int m) { return BlockChainLdlt<TypeParam, 3>(m); });
    check_solver<TypeParam>(n, block_neighbours<5>,
                            [](int m) { return BlockChainLdlt<TypeParam, 5>(m); });
  }
  check_solver<TypeParam>(7, neighbours, [](int m) { return BlockChainLdlt<TypeParam, 1>(m); });
}

TYPED_TEST(BlockChain, rank_loss_across_blocks) {
  BlockChainLdlt<TypeParam, 3> solver(12);
  expect_rank_loss<TypeParam>(solver, block_neighbours<3>, 3, 2);
  expect_rank_loss<TypeParam>(solver, block_neighbours<3>, 11, 10);
}

TEST(ChainErrors, sizes_are_quoted) {
  EXPECT_THROW(ChainLdlt<double>(0), std::invalid_argument);
  EXPECT_THROW((BlockChainLdlt<double, 2>(-1)), std::invalid_argument);
}

}  // namespace
}  // namespace rattleback

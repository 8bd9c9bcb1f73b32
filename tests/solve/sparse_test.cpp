#include "rattleback/solve/sparse.hpp"

#include <numeric>

#include "rattleback/solve/banded.hpp"
#include "rattleback/solve/clusters.hpp"
#include "rattleback/solve/tree.hpp"
#include "solve/reference.hpp"

namespace rattleback {
namespace {

using namespace reference;

/// A tree of links: link i hangs on link (i - 1) / 2; links that share a body are coupled.
const Coupled binary_tree = [](int i, int j) {
  if (i == j) return false;
  const auto parent = [](int k) { return k > 0 ? (k - 1) / 2 : -1; };
  return parent(i) == j || parent(j) == i || parent(i) == parent(j);
};
const Coupled star = [](int i, int j) { return i != j && (i == 0 || j == 0); };
/// A net of ten columns: loops everywhere.
const Coupled net = [](int i, int j) {
  const int low = std::min(i, j), high = std::max(i, j);
  return high - low == 10 || (high - low == 1 && high % 10 != 0);
};

CouplingPattern lists(int n, const Coupled& coupled) {
  CouplingPattern pattern(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (i != j && coupled(i, j)) pattern[i].push_back(j);
  return pattern;
}

template <class S>
struct Sparse : ::testing::Test {};
TYPED_TEST_SUITE(Sparse, Scalars);

TYPED_TEST(Sparse, net_obeys_the_solver_laws) {
  for (int n : sizes)
    check_solver<TypeParam>(n, net, [](int m) { return SparseLdlt<TypeParam>(lists(m, net)); });
}

TYPED_TEST(Sparse, tree_obeys_the_solver_laws) {
  for (const Coupled* tree : {&binary_tree, &star})
    for (int n : sizes)
      check_solver<TypeParam>(n, *tree,
                              [&](int m) { return TreeLdlt<TypeParam>(lists(m, *tree)); });
}

/// Wide fronts, in several blocks and with odd rows left over.
TYPED_TEST(Sparse, wide_fronts_obey_the_solver_laws) {
  for (const int width : {7, 19, 30}) {
    const Coupled band = [=](int i, int j) { return i != j && std::abs(i - j) <= width; };
    const Coupled loop = [=](int i, int j) { return band(i, j) || std::abs(i - j) >= 95; };
    for (const Coupled* coupled : {&band, &loop})
      check_solver<TypeParam>(101, *coupled,
                              [&](int m) { return SparseLdlt<TypeParam>(lists(m, *coupled)); });
  }
}

TYPED_TEST(Sparse, banded_obeys_the_solver_laws) {
  for (int width : {0, 1, 2, 5, 200}) {
    const Coupled band = [=](int i, int j) { return i != j && std::abs(i - j) <= width; };
    for (int n : sizes)
      check_solver<TypeParam>(n, band, [&](int m) { return BandedLdlt<TypeParam>(m, width); });
  }
}

TYPED_TEST(Sparse, clusters_obey_the_solver_laws) {
  for (int n : sizes)
    for (int width : {1, 2, 3, 4, 5, 6, 9}) {
      const Coupled group = [=](int i, int j) { return i != j && i / width == j / width; };
      check_solver<TypeParam>(n, group, [&](int m) {
        std::vector<int> groups(m / width, width);
        if (m % width) groups.push_back(m % width);
        return ClusterLdlt<TypeParam>(groups);
      });
    }
}

TYPED_TEST(Sparse, rank_loss_is_seen_in_the_pivots) {
  TreeLdlt<TypeParam> tree(lists(31, binary_tree));
  expect_rank_loss<TypeParam>(tree, binary_tree, 7, 3);
  SparseLdlt<TypeParam> sparse(lists(40, net));
  expect_rank_loss<TypeParam>(sparse, net, 25, 15);
  const Coupled band = [](int i, int j) { return i != j && std::abs(i - j) <= 3; };
  BandedLdlt<TypeParam> banded(20, 3);
  expect_rank_loss<TypeParam>(banded, band, 9, 7);
  const Coupled group = [](int i, int j) { return i != j && i / 3 == j / 3; };
  ClusterLdlt<TypeParam> clusters({3, 3, 3});
  expect_rank_loss<TypeParam>(clusters, group, 5, 3);
}

TEST(Fill, trees_have_none) {
  for (int n : {1, 2, 50, 1000}) {
    const auto pattern = lists(n, binary_tree);
    std::size_t couplings = 0;
    for (const auto& row : pattern) couplings += row.size();
    EXPECT_EQ(TreeLdlt<double>(pattern).entries_of_factor(), couplings / 2);
  }
}

TEST(Fill, loops_are_refused_by_the_tree) {
  EXPECT_FALSE(perfect_elimination_ordering(lists(100, net)));
  EXPECT_THROW(TreeLdlt<double>(lists(100, net)), std::invalid_argument);
}

// The natural order of a net fills its band: about 10 entries a row. The reducing orders do better
// (measured 3.9 at 400 constraints in 10 columns; a square net of 120 x 120 is METIS's).
TEST(Fill, reducing_orders_reduce) {
  const auto pattern = lists(400, net);
  std::vector<int> natural(400);
  std::iota(natural.begin(), natural.end(), 0);
  EXPECT_LT(SparseLdlt<double>(pattern).entries_of_factor(),
            3 * SparseLdlt<double>(pattern, natural).entries_of_factor() / 4);

  const int side = 120;
  CouplingPattern square(side * side);
  for (int i = 0; i < side * side; ++i) {
    if (i % side) square[i].push_back(i - 1);
    if (i >= side) square[i].push_back(i - side);
  }
  SparseLdlt<double> large(square);
  EXPECT_LT(large.entries_of_factor(), std::size_t(side * side * 25));  // natural: 120 a row
  const FactorReport report = large.factor([](int i, int j) { return i == j ? 4.5 : -1.0; });
  EXPECT_TRUE(report.ok);
  std::vector<double> b(side * side);
  for (int i = 0; i < side * side; ++i)  // times the vector of ones
    b[i] = 4.5 - (i % side != 0) - (i % side != side - 1) - (i >= side) - (i < side * (side - 1));
  large.solve(b);
  for (double x : b) EXPECT_NEAR(x, 1, 1e-13);
}

TEST(Pattern, bad_indices_are_quoted) {
  try {
    (void)normalised({{1}, {7}});
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("coupled with 7"), std::string::npos);
  }
  EXPECT_THROW((BandedLdlt<double>(4, -1)), std::invalid_argument);
  EXPECT_THROW((ClusterLdlt<double>({3, 0})), std::invalid_argument);
}

}  // namespace
}  // namespace rattleback

#include "rattleback/solve/structure.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "rattleback/solve/chain.hpp"
#include "solve/reference.hpp"

namespace rattleback {
namespace {

using namespace reference;

CouplingPattern path(int n, int first = 0, CouplingPattern pattern = {}) {
  pattern.resize(std::max(pattern.size(), std::size_t(first + n)));
  for (int i = first + 1; i < first + n; ++i) pattern[i].push_back(i - 1);
  return pattern;
}

/// Constraint i becomes name[i].
CouplingPattern renamed(const CouplingPattern& pattern, const std::vector<int>& name) {
  CouplingPattern result(pattern.size());
  for (std::size_t i = 0; i < pattern.size(); ++i)
    for (int j : pattern[i]) result[name[i]].push_back(name[j]);
  return result;
}

std::vector<int> shuffled(int n) {
  std::vector<int> name(n);
  std::iota(name.begin(), name.end(), 0);
  std::shuffle(name.begin(), name.end(), std::mt19937(7));
  return name;
}

bool is_permutation(std::vector<int> order, int n) {
  std::sort(order.begin(), order.end());
  for (int i = 0; i < n; ++i)
    if (order[i] != i) return false;
  return int(order.size()) == n;
}

TEST(Structure, small_is_dense) {
  EXPECT_EQ(choose_structure(path(1)).kind, SolverKind::dense);
  EXPECT_EQ(choose_structure(path(8)).kind, SolverKind::dense);
  EXPECT_EQ(choose_structure({}).kind, SolverKind::dense);
}

TEST(Structure, chain) {
  const Structure s = choose_structure(path(50));
  EXPECT_EQ(s.kind, SolverKind::chain);
  EXPECT_TRUE(s.natural_order);
}

TEST(Structure, permuted_chain_is_put_in_order_and_solved) {
  const int n = 100;
  const auto name = shuffled(n);
  const Structure s = choose_structure(renamed(path(n), name));
  ASSERT_EQ(s.kind, SolverKind::chain);
  EXPECT_FALSE(s.natural_order);
  ASSERT_TRUE(is_permutation(s.order, n));

  std::vector<int> position(n);
  for (int i = 0; i < n; ++i) position[name[i]] = i;
  const Coupled coupled = [&](int i, int j) { return std::abs(position[i] - position[j]) == 1; };
  const auto a = positive<double>(n, coupled);
  ChainLdlt<double> solver(n);
  EXPECT_TRUE(solver.factor(permuted_entry(a, s.order)).ok);
  std::vector<double> x(n);
  for (auto& v : x) v = uniform();
  auto b = product(a, x);
  solver.solve(permuted_vector(b, s.order));
  for (int i = 0; i < n; ++i) EXPECT_NEAR(b[i], x[i], 1e-13);
}

TEST(Structure, two_long_chains_are_one_chain_with_a_gap) {
  const Structure s = choose_structure(path(30, 20, path(20)));
  EXPECT_EQ(s.kind, SolverKind::chain);
  EXPECT_TRUE(is_permutation(s.order, 50));
}

TEST(Structure, molecules_are_clusters) {
  CouplingPattern waters(30);
  for (int i = 0; i < 30; i += 3) waters[i] = {i + 1, i + 2}, waters[i + 1] = {i + 2};
  Structure s = choose_structure(waters);
  EXPECT_EQ(s.kind, SolverKind::clusters);
  EXPECT_EQ(s.cluster_sizes, std::vector<int>(10, 3));
  EXPECT_TRUE(s.natural_order);

  s = choose_structure(renamed(waters, shuffled(30)));
  EXPECT_EQ(s.kind, SolverKind::clusters);
  EXPECT_FALSE(s.natural_order);
  EXPECT_TRUE(is_permutation(s.order, 30));
}

TEST(Structure, star_is_a_tree_and_a_full_joint_is_dense) {
  CouplingPattern star(100), joint(100);
  for (int i = 1; i < 100; ++i) star[0].push_back(i);
  for (int i = 0; i < 100; ++i)
    for (int j = 0; j < i; ++j) joint[i].push_back(j);
  const Structure s = choose_structure(star);
  EXPECT_EQ(s.kind, SolverKind::tree);
  EXPECT_TRUE(is_permutation(s.order, 100));
  EXPECT_EQ(choose_structure(joint).kind, SolverKind::dense);
}

TEST(Structure, ring_is_a_band_of_two) {
  auto ring = path(100);
  ring[0].push_back(99);
  const Structure s = choose_structure(ring);
  EXPECT_EQ(s.kind, SolverKind::banded);
  EXPECT_EQ(s.half_bandwidth, 2);
  EXPECT_EQ(half_bandwidth(normalised(ring), s.order), 2);
}

TEST(Structure, joints_with_several_rows_are_a_block_chain) {
  const int block = 3, n = 20 * block;
  CouplingPattern joints(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      if (i / block - j / block <= 1) joints[i].push_back(j);
  Structure s = choose_structure(joints);
  EXPECT_EQ(s.kind, SolverKind::block_chain);
  EXPECT_EQ(s.block_size, block);
  EXPECT_TRUE(s.natural_order);
  s = choose_structure(renamed(joints, shuffled(n)));
  EXPECT_EQ(s.kind, SolverKind::block_chain);
  EXPECT_TRUE(is_permutation(s.order, n));
}

TEST(Structure, branching_tree_and_net) {
  CouplingPattern tree(1000);
  for (int i = 1; i < 1000; ++i) {
    tree[i].push_back((i - 1) / 2);
    if (i % 2 == 0) tree[i].push_back(i - 1);
  }
  EXPECT_EQ(choose_structure(tree).kind, SolverKind::tree);

  const int side = 30;
  CouplingPattern net(side * side), ladder(60);
  for (int i = 0; i < side * side; ++i) {
    if (i % side) net[i].push_back(i - 1);
    if (i >= side) net[i].push_back(i - side);
  }
  EXPECT_EQ(choose_structure(net).kind, SolverKind::sparse);
  for (int i = 2; i < 60; ++i) ladder[i] = {i - 2, i - i % 2};
  const Structure s = choose_structure(ladder);
  EXPECT_EQ(s.kind, SolverKind::banded);
  EXPECT_LE(s.half_bandwidth, 3);
}

TEST(Structure, kinds_have_names) { EXPECT_EQ(to_string(SolverKind::block_chain), "block chain"); }

}  // namespace
}  // namespace rattleback

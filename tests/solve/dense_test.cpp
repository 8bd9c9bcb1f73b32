#include "rattleback/solve/dense.hpp"

#include "solve/reference.hpp"

namespace rattleback {
namespace {

using namespace reference;

const Coupled all = [](int, int) { return true; };

template <class S>
struct Dense : ::testing::Test {};
TYPED_TEST_SUITE(Dense, Scalars);

TYPED_TEST(Dense, symmetric_fixed_sizes) {
  using S = TypeParam;
  check_solver<S>(1, all, [](int) { return DenseLdlt<S, 1>(); });
  check_solver<S>(2, all, [](int) { return DenseLdlt<S, 2>(); });
  check_solver<S>(3, all, [](int) { return DenseLdlt<S, 3>(); });
  check_solver<S>(4, all, [](int) { return DenseLdlt<S, 4>(); });
  check_solver<S>(8, all, [](int) { return DenseLdlt<S, 8>(); });
  check_solver<S>(12, all, [](int) { return DenseLdlt<S, 12>(); });
}

TYPED_TEST(Dense, symmetric_run_time_sizes) {
  for (int n : sizes)
    check_solver<TypeParam>(n, all, [](int m) { return DenseLdlt<TypeParam>(m); });
}

TYPED_TEST(Dense, rank_loss_is_seen_in_the_pivots) {
  DenseLdlt<TypeParam, 4> fixed;
  expect_rank_loss<TypeParam>(fixed, all, 3, 1);
  DenseLdlt<TypeParam> chosen(10);
  expect_rank_loss<TypeParam>(chosen, all, 9, 4);
}

/// Any matrix, with small diagonal entries so that pivoting has to happen.
template <class S>
Symmetric<S> general(int n) {
  Symmetric<S> a{n, std::vector<S>(std::size_t(n) * n, S(0))};
  for (auto& v : a.values) v = random<S>();
  for (int i = 0; i < n; ++i) {
    a.at(i, i) *= S(1e-3);
    a.at(i, (i + 1) % n) += S(n);  // keeps it away from singular
  }
  return a;
}

template <class S, class Solver>
void check_lu(int n, Solver solver) {
  SCOPED_TRACE(n);
  const auto a = general<S>(n);
  const auto entry = [&](int i, int j) { return a.at(i, j); };
  const FactorReport report = solver.factor(entry);
  EXPECT_TRUE(report.ok);
  expect_solves<S>(a, solver);
  expect_solves<Dual<S, 3>>(a, solver);

  auto singular = a;
  for (int j = 0; j < n; ++j) singular.at(n - 1, j) = n > 1 ? a.at(0, j) : S(0);
  EXPECT_FALSE(solver.factor([&](int i, int j) { return singular.at(i, j); }).ok);
  auto broken = a;
  broken.at(n / 2, n / 2) = S(std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(solver.factor([&](int i, int j) { return broken.at(i, j); }).ok);
}

TYPED_TEST(Dense, general_matrices) {
  using S = TypeParam;
  check_lu<S>(1, DenseLu<S, 1>());
  check_lu<S>(2, DenseLu<S, 2>());
  check_lu<S>(3, DenseLu<S, 3>());
  check_lu<S>(8, DenseLu<S, 8>());
  for (int n : {1, 2, 3, 10, 31, 32, 33, 40, 101}) check_lu<S>(n, DenseLu<S>(n));
}

TEST(DenseSmall, zero_leading_entry_needs_pivoting) {
  const double swap[2][2] = {{0, 1}, {1, 0}};
  const auto entry = [&](int i, int j) { return swap[i][j]; };
  DenseLdlt<double, 2> symmetric;
  const FactorReport refused = symmetric.factor(entry);
  EXPECT_FALSE(refused.ok);
  EXPECT_EQ(refused.row, 0);
  DenseLu<double, 2> general;
  EXPECT_TRUE(general.factor(entry).ok);
  std::vector<double> b{3, 4};
  general.solve(b);
  EXPECT_EQ(b, (std::vector<double>{4, 3}));
}

TEST(DenseSmall, one_broken_lane_is_reported) {
  DenseLdlt<Pack, 1> solver;
  Pack a = 2;
  EXPECT_TRUE(solver.factor([&](int, int) { return a; }).ok);
  a.set(5, 0);
  EXPECT_FALSE(solver.factor([&](int, int) { return a; }).ok);
  a.set(5, -1);
  const FactorReport report = solver.factor([&](int, int) { return a; });
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(report.negative, 1);
  EXPECT_EQ(report.smallest_pivot, 1);
  EXPECT_EQ(report.largest_pivot, 2);
}

TEST(DenseSmall, sizes_are_checked) {
  EXPECT_THROW(DenseLdlt<double>(0), std::invalid_argument);
  EXPECT_THROW((DenseLdlt<double, 3>(4)), std::invalid_argument);
  EXPECT_THROW(DenseLu<double>(-2), std::invalid_argument);
}

}  // namespace
}  // namespace rattleback

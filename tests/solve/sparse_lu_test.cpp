// Sparse LU against full matrices, in every scalar that steps run with.
#include "rattleback/solve/sparse_lu.hpp"

#include <numeric>

#include "solve/reference.hpp"

namespace rattleback {
namespace {

using namespace reference;

template <class S>
struct SparseLuOf : ::testing::Test {};
TYPED_TEST_SUITE(SparseLuOf, Scalars);

/// A net of loops with a border: entries on both sides differ, some are given twice.
std::vector<MatrixPlace> bordered_net(int n) {
  std::vector<MatrixPlace> places;
  for (int i = 0; i < n; ++i) {
    places.push_back({i, i});
    if (i + 1 < n) places.push_back({i, i + 1});
    if (i >= 7) places.push_back({i, i - 7});
    if (i % 3 == 0) places.push_back({n - 1, i});
    if (i % 5 == 0) places.push_back({i, i});
  }
  return places;
}

template <class S>
void fill(SparseLu<S>& lu, const std::vector<MatrixPlace>& places, Matrix<S, dynamic>& full) {
  full.setConstant(S(0));
  for (std::size_t k = 0; k < places.size(); ++k) {
    const auto [i, j] = places[k];
    lu.values()[k] = i == j ? S(random<S>() + S(6)) : random<S>();
    full(i, j) += lu.values()[k];
  }
}

// Below the bound; how far was not measured.
TYPED_TEST(SparseLuOf, solves_what_the_full_matrix_says) {
  using S = TypeParam;
  for (const int n : sizes) {
    const auto places = bordered_net(n);
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    for (int turn = 0; turn < 3; ++turn) {
      std::rotate(order.begin(), order.begin() + n / 3, order.end());
      SparseLu<S> lu(n, places, order);
      Matrix<S, dynamic> full(n, n);
      for (int again = 0; again < 2; ++again) {
        fill(lu, places, full);
        ASSERT_TRUE(lu.factor().ok);
        Vector<S, dynamic> b(n), x(n);
        for (int i = 0; i < n; ++i) b[i] = random<S>();
        x = b;
        lu.solve(x);
        for (int i = 0; i < n; ++i) {
          S rest = b[i];
          for (int j = 0; j < n; ++j) rest -= full(i, j) * x[j];
          EXPECT_LE(magnitude(rest), 30 * epsilon<S>) << n << ' ' << i;
        }
      }
    }
  }
}

TEST(SparseLu, counts_negative_pivots_and_names_the_row_that_depends_on_others) {
  const std::vector<MatrixPlace> places{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 2}};
  SparseLu<double> lu(3, places, {2, 0, 1});
  lu.values() = {1, 2, 2, 1, -5};
  FactorReport report = lu.factor();
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(report.negative, 2);  // -5, and 1 - 4
  lu.values() = {1, 3, 1.0 / 3, 1, -5};
  report = lu.factor();
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.row, 1);
  lu.values() = {1, 2, 2, 1, -5};  // and is as before
  EXPECT_TRUE(lu.factor().ok);
}

/// A chain of any length has factors of its own length.
TEST(SparseLu, fills_a_chain_not_at_all) {
  for (const int n : {100, 1000}) {
    std::vector<MatrixPlace> places;
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    for (int i = 0; i < n; ++i) {
      places.push_back({i, i});
      if (i > 0) places.push_back({i, i - 1}), places.push_back({i - 1, i});
    }
    EXPECT_EQ(SparseLu<double>(n, places, order).entries_of_factor(), 2 * (n - 1));
  }
}

}  // namespace
}  // namespace rattleback

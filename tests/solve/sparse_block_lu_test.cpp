// Sparse LU by blocks against full matrices.
#include "rattleback/solve/sparse_block_lu.hpp"

#include <numeric>

#include "solve/reference.hpp"

namespace rattleback {
namespace {

using namespace reference;

template <class S>
struct SparseBlockLuOf : ::testing::Test {};
using BlockScalars = ::testing::Types<double, Quad>;
TYPED_TEST_SUITE(SparseBlockLuOf, BlockScalars);

/// A ring of blocks of 1 to 12 unknowns. Diagonal blocks have their large entries beside the
/// diagonal, as saddle points do, so that rows have to be exchanged.
struct Ring {
  explicit Ring(int nodes) : sizes(nodes), order(nodes) {
    std::iota(order.begin(), order.end(), 0);
    std::rotate(order.begin(), order.begin() + nodes / 3, order.end());
    for (int i = 0; i < nodes; ++i) sizes[i] = 1 + (5 * i) % 12;
    for (int i = 0; i < nodes; ++i)
      for (const int j : {i, (i + 1) % nodes, (i + nodes - 1) % nodes})
        if (std::ranges::none_of(
                places, [&](const MatrixPlace& at) { return at.row == i && at.column == j; }))
          places.push_back({i, j});
  }
  /// And tells entry(i, j, value).
  template <class S, class Entry>
  void fill(SparseBlockLu<S>& lu, Entry&& entry) const {
    for (std::size_t k = 0; k < places.size(); ++k) {
      const auto [row, column] = places[k];
      const int rows = sizes[row];
      for (int j = 0; j < sizes[column]; ++j)
        for (int i = 0; i < rows; ++i) {
          S value = random<S>();
          if (row == column) value = i == j && rows > 1 ? S(0) : value;
          if (row == column && i == (j + 1) % rows) value += S(40);
          lu.block(k)[j * rows + i] = value;
          entry(lu.first(row) + i, lu.first(column) + j, value);
        }
    }
  }
  template <class S>
  void fill(SparseBlockLu<S>& lu, Matrix<S, dynamic>& full) const {
    full.setConstant(S(0));
    fill(lu, [&](int i, int j, const S& value) { full(i, j) = value; });
  }
  std::vector<int> sizes, order;
  std::vector<MatrixPlace> places;
};

TYPED_TEST(SparseBlockLuOf, solves_what_the_full_matrix_says) {
  using S = TypeParam;
  for (const int nodes : {1, 2, 3, 10, 40}) {
    const Ring ring(nodes);
    SparseBlockLu<S> lu(ring.sizes, ring.places, ring.order);
    const int n = lu.unknowns();
    ASSERT_EQ(n, std::accumulate(ring.sizes.begin(), ring.sizes.end(), 0));
    Matrix<S, dynamic> full(n, n);
    for (int again = 0; again < 2; ++again) {
      ring.fill(lu, full);
      ASSERT_TRUE(lu.factor().ok) << nodes;
      Vector<S, dynamic> b(n), room(lu.widest());
      for (int i = 0; i < n; ++i) b[i] = random<S>();
      Vector<S, dynamic> x = b;
      lu.solve(x.data(), room.data());
      for (int i = 0; i < n; ++i) {
        S rest = b[i];
        for (int j = 0; j < n; ++j) rest -= full(i, j) * x[j];
        EXPECT_LE(magnitude(rest), 30 * epsilon<S>) << nodes << ' ' << i;
      }
    }
  }
}

TEST(SparseBlockLu, solves_where_no_cache_holds_the_factor) {
  const Ring ring(9000);
  SparseBlockLu<double> lu(ring.sizes, ring.places, ring.order);
  ASSERT_GT(lu.entries_of_factor() * sizeof(double), lu.beyond_caches);
  ring.fill(lu, [](int, int, double) {});
  ASSERT_TRUE(lu.factor().ok);
  Vector<double, dynamic> rest(lu.unknowns()), room(lu.widest());
  for (double& b : rest) b = random<double>();
  Vector<double, dynamic> x = rest;
  lu.solve(x.data(), room.data());
  for (std::size_t k = 0; k < ring.places.size(); ++k) {
    const auto [row, column] = ring.places[k];
    detail::block_times<false>(ring.sizes[row], ring.sizes[column], lu.block(k),
                               x.data() + lu.first(column), rest.data() + lu.first(row));
  }
  EXPECT_LE(largest_magnitude(rest), 30 * epsilon<double>);
}

TEST(SparseBlockLu, refuses_a_matrix_that_is_singular_but_for_rounding) {
  const Ring ring(4);
  SparseBlockLu<double> lu(ring.sizes, ring.places, ring.order);
  Matrix<double, dynamic> full(lu.unknowns(), lu.unknowns());
  ring.fill(lu, full);
  ASSERT_TRUE(lu.factor().ok);
  // Two rows of one node become multiples of each other, in all of their blocks.
  const int node = 1, rows = ring.sizes[node];
  for (std::size_t k = 0; k < ring.places.size(); ++k)
    if (ring.places[k].row == node)
      for (int j = 0; j < ring.sizes[ring.places[k].column]; ++j)
        lu.block(k)[j * rows + 1] = lu.block(k)[j * rows] / 3;
  const FactorReport report = lu.factor();
  EXPECT_FALSE(report.ok);
  EXPECT_EQ(report.row, node);
  ring.fill(lu, full);  // and is as before
  EXPECT_TRUE(lu.factor().ok);
}

}  // namespace
}  // namespace rattleback

#include "rattleback/solve/strands.hpp"

#include "solve/reference.hpp"

namespace rattleback {
namespace {

using namespace reference;

const Coupled neighbours = [](int i, int j) { return std::abs(i - j) == 1; };

template <class S>
struct StrandsOf : ::testing::Test {};
using Scalars = ::testing::Types<double, Quad>;
TYPED_TEST_SUITE(StrandsOf, Scalars);

/// A tridiagonal matrix in strands.
template <class S>
class InStrands {
 public:
  using Of = Strands<S>;
  using Row = typename Of::Row;

  explicit InStrands(int n) : n_(n), length_(Of::length_for(n)), solver_(n) {}

  FactorReport factor(const Symmetric<S>& a) {
    std::vector<Row> diagonal = rows(S(1)), below = rows(S(0));
    for (int i = 0; i < n_; ++i) {
      put(diagonal, i, a.at(i, i));
      if (i > 0) put(below, i, a.at(i, i - 1));
    }
    return solver_.factor([&](int r) { return diagonal[r]; }, [&](int r) { return below[r]; });
  }
  /// With the rows in the order in which they come.
  std::vector<S> solve(const std::vector<S>& b, std::vector<int>* order = nullptr) const {
    std::vector<Row> right = rows(S(0)), x = rows(S(0)), room = rows(S(0));
    for (int i = 0; i < n_; ++i) put(right, i, b[i]);
    solver_.solve(
        room.data(), [&](int r) { return right[r]; },
        [&](int r, const Row& value) {
          x[r] = value;
          if (order) order->push_back(r);
        });
    std::vector<S> result;
    for (int i = 0; i < n_; ++i) result.push_back(Of::get(x[i % length_], i / length_));
    for (int i = n_; i < length_ * Of::count; ++i)
      EXPECT_EQ(Of::get(x[i % length_], i / length_), S(0)) << i;
    return result;
  }

 private:
  std::vector<Row> rows(const S& value) const {
    Row all(0.0);
    for (int l = 0; l < Of::count; ++l) Of::set(all, l, value);
    return std::vector<Row>(length_, all);
  }
  void put(std::vector<Row>& rows, int i, const S& x) const {
    Of::set(rows[i % length_], i / length_, x);
  }

  int n_, length_;
  StrandLdlt<S> solver_;
};

TYPED_TEST(StrandsOf, solve_at_every_length) {
  using S = TypeParam;
  std::vector<int> lengths{100, 101, 103, 104, 105, 1000};
  for (int n = 1; n <= 66; ++n) lengths.push_back(n);
  for (const int n : lengths) {
    SCOPED_TRACE(n);
    const auto a = positive<S>(n, neighbours);
    InStrands<S> solver(n);
    const FactorReport report = solver.factor(a);
    EXPECT_TRUE(report.ok);
    EXPECT_EQ(report.negative, 0);
    std::vector<S> x(n);
    for (auto& v : x) v = random<S>();
    const auto found = solver.solve(product(a, x));
    // The smallest eigenvalue is 1/4 or more. Measured: 4 units of round-off.
    for (int i = 0; i < n; ++i) EXPECT_LT(magnitude(S(found[i] - x[i])), 10 * epsilon<S>) << i;
  }
}

TYPED_TEST(StrandsOf, the_last_row_comes_first_and_then_all_in_order) {
  using S = TypeParam;
  InStrands<S> solver(100);
  const auto a = positive<S>(100, neighbours);
  ASSERT_TRUE(solver.factor(a).ok);
  std::vector<int> order;
  (void)solver.solve(std::vector<S>(100, S(1)), &order);
  const int length = Strands<S>::length_for(100);
  ASSERT_EQ(static_cast<int>(order.size()), length);
  EXPECT_EQ(order[0], length - 1);
  for (int r = 0; r + 1 < length; ++r) EXPECT_EQ(order[r + 1], r);
}

// A negative or missing pivot anywhere: within a strand, or where two meet.
TYPED_TEST(StrandsOf, what_is_not_positive_is_seen_wherever_it_stands) {
  using S = TypeParam;
  for (const int n : {1, 2, 8, 9, 16, 40, 100}) {
    for (int i = 0; i < n; ++i) {
      SCOPED_TRACE(std::to_string(n) + ": " + std::to_string(i));
      auto a = positive<S>(n, neighbours);
      const S before = a.at(i, i);
      a.set(i, i, S(-before));
      EXPECT_FALSE(InStrands<S>(n).factor(a).ok);
      a.set(i, i, before);
      if (i == 0) continue;
      a.set(i, i - 1, S(3 * (a.at(i, i) + a.at(i - 1, i - 1))));
      EXPECT_FALSE(InStrands<S>(n).factor(a).ok);
      // Two equal rows of a pair: rank loss.
      for (const int j : {i, i - 1}) {
        if (j > 0) a.set(j, j - 1, S(0));
        if (j + 1 < n) a.set(j + 1, j, S(0));
      }
      a.set(i, i, S(1)), a.set(i - 1, i - 1, S(1)), a.set(i, i - 1, S(1));
      EXPECT_FALSE(InStrands<S>(n).factor(a).ok);
    }
  }
}

TEST(StrandsOfDuals, carry_derivatives) {
  using D = Dual<double, 3>;
  for (const int n : {1, 2, 3, 17}) {
    const auto a = positive<D>(n, neighbours);
    InStrands<D> solver(n);
    ASSERT_TRUE(solver.factor(a).ok);
    std::vector<D> x(n);
    for (auto& v : x) v = random<D>();
    const auto found = solver.solve(product(a, x));
    // Measured: 4 units of round-off.
    for (int i = 0; i < n; ++i) EXPECT_LT(magnitude(D(found[i] - x[i])), 10 * epsilon<D>) << i;
  }
}

}  // namespace
}  // namespace rattleback

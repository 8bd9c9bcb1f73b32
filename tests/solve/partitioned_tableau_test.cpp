// The conditions of [Reich93 (22), (23)] on tableaux that fulfil them, and on some that do not.
#include "rattleback/solve/partitioned_tableau.hpp"

#include <gtest/gtest.h>

#include "rattleback/problem/quad.hpp"

namespace rattleback {
namespace {

constexpr double round_off = 2e-33;  // measured: 9.6e-34

TEST(PartitionedTableau, Lobatto_and_spark_fulfil_all_conditions) {
  for (int stages = 1; stages <= 8; ++stages)
    for (const bool spark : {false, true}) {
      if (!spark && stages == 1) continue;
      const auto found =
          conditions(spark ? gauss_lobatto<Quad>(stages) : lobatto_pair<Quad>(stages));
      SCOPED_TRACE(std::to_string(stages) + ": " + to_string(found));
      EXPECT_TRUE(found.is_symplectic(false, round_off));
      EXPECT_TRUE(found.is_solvable(round_off));
      EXPECT_GT(found.pivot, 1e-6);
    }
}

TEST(PartitionedTableau, Nodes_integrate_what_stages_can) {
  // sum_j x_kj c_j^(m-1) = X_k^m/m for m <= stages
  const int s = 4;
  const auto gauss = gauss_tableau<Quad>(s);
  const auto lobatto = lobatto_tableau<Quad>(s + 1);
  const auto t = gauss_lobatto<Quad>(s);
  for (int k = 0; k <= s; ++k)
    for (int m = 1; m <= s; ++m) {
      Quad sum = 0;
      for (int j = 0; j < s; ++j) sum += t.x(k, j) * pow(gauss.c[j], m - 1);
      EXPECT_LT(magnitude(Quad(sum - pow(lobatto.c[k], m) / m)), round_off) << k << ' ' << m;
    }
}

/// Ruth's third order as a pair: kicks before drifts, so that b and b^ differ. With the sign that
/// the paper prints in (22) the defect is 0.72.
PartitionedTableau<double> ruth() {
  const std::vector<double> c{2.0 / 3, -2.0 / 3, 1}, d{7.0 / 24, 0.75, -1.0 / 24};
  Matrix<double, dynamic> a(3, 3), a_hat(3, 3);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      a(i, j) = j < i ? c[j] : 0;
      a_hat(i, j) = j <= i ? d[j] : 0;
    }
  return partitioned_tableau(a, c, a_hat, d);
}

TEST(PartitionedTableau, Unequal_weights_are_for_separable_H) {
  const auto found = conditions(ruth());
  EXPECT_LT(found.symplectic, 1e-16);
  EXPECT_NEAR(found.equal_weights, 1.4166666666666667, 1e-15);
  EXPECT_TRUE(found.is_symplectic(true));
  EXPECT_FALSE(found.is_symplectic(false));
  EXPECT_TRUE(found.is_solvable());
}

TEST(PartitionedTableau, What_is_not_symplectic_is_reported) {
  // Lobatto IIIA for both: order 4, not symplectic, and the last multiplier is felt by the stages
  const auto lobatto = lobatto_tableau<double>(3);
  const auto found = conditions(partitioned_tableau(lobatto.a, lobatto.b, lobatto.a, lobatto.b));
  EXPECT_GT(found.symplectic, 0.01);
  EXPECT_GT(found.lands, 0.1);
  EXPECT_FALSE(found.is_symplectic(false));
  EXPECT_FALSE(found.is_solvable());
  EXPECT_NE(to_string(found).find("of symplecticity (22) 0.0"), std::string::npos)
      << to_string(found);
}

TEST(PartitionedTableau, Own_pair_takes_its_nodes_from_its_stages) {
  const auto lobatto = lobatto_tableau<double>(4);
  const auto own = partitioned_tableau(lobatto.a, lobatto.b, lobatto.a_hat, lobatto.b);
  const auto same = lobatto_pair<double>(4);
  ASSERT_EQ(own.nodes(), 4);
  EXPECT_EQ(own.x, same.x);
  EXPECT_EQ(own.f, same.f);
  EXPECT_EQ(own.a, same.a);
  const auto gauss = gauss_tableau<double>(2);
  const auto over = partitioned_tableau(gauss.a, gauss.b, gauss.a, gauss.b);
  EXPECT_EQ(over.nodes(), 2) << "RATTLE over Gauss";
  EXPECT_TRUE(conditions(over).is_solvable() && conditions(over).is_symplectic(false));
}

TEST(PartitionedTableau, Sizes_that_do_not_fit_are_refused) {
  const auto gauss = gauss_tableau<double>(2), other = gauss_tableau<double>(3);
  EXPECT_THROW(partitioned_tableau(gauss.a, gauss.b, other.a, gauss.b), InputError);
  EXPECT_THROW(partitioned_tableau(gauss.a, gauss.b, gauss.a, other.b), InputError);
}

}  // namespace
}  // namespace rattleback

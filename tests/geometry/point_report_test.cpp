// The numbers behind messages, against what they are by hand.
#include "rattleback/geometry/point_report.hpp"

#include <gtest/gtest.h>

#include <array>

#include "rattleback/problem/hamiltonian_system.hpp"
#include "rattleback/problem/natural_system.hpp"
#include "rattleback/problem/witness.hpp"

namespace rattleback {
namespace {

TEST(PointReport, OfThePendulumAwayFromItsManifold) {
  // g = (|q|^2 - 1)/2 = 0.22, {g,H} = q.p = 0.5, N = -|q|^2 = -1.44, |dg|^2 = 1.44, |H_zz| = 1.
  const PointReport r =
      report_point(witness::planar_pendulum(), {{1.2, 0}, {0.4166666666666667, 0.5}});
  EXPECT_NEAR(r.constraint, 0.22, 1e-15);
  EXPECT_NEAR(r.hidden, 0.5, 1e-15);
  EXPECT_EQ(r.bracket, 0);
  EXPECT_NEAR(r.jacobian_rank, 1, 1e-15);
  EXPECT_NEAR(r.nondegeneracy, 1, 1e-14);
  EXPECT_TRUE(r.ranks_known && r.finite());
  EXPECT_EQ(r.text(),
            "max|g| = 0.22, max|{g,H}| = 0.5, max|{g_i,g_j}| = 0, relative smallest singular "
            "value of dg 1, of N = {{g,H},g} 1");
}

/// {2 x, 3 p_x} = 6; singular values of dg are 2 and 3.
TEST(PointReport, BracketsAndRanksHaveTheirSize) {
  const auto system = hamiltonian_system<1>(
      [](const auto& q, const auto& p) { return (q[0] * q[0] + p[0] * p[0]) / 2; },
      [](const auto& q, const auto& p) {
        using S = typename std::decay_t<decltype(q)>::Scalar;
        return std::array<S, 2>{S(q[0] * 2), S(p[0] * 3)};
      });
  State<double, 1> z;
  z.q[0] = 0.5, z.p[0] = 0.25;
  const PointReport r = report_point(system, z);
  EXPECT_EQ(r.bracket, 6);
  EXPECT_NEAR(r.jacobian_rank, 2.0 / 3, 1e-15);
  EXPECT_EQ(r.constraint, 1);  // 2 x
  EXPECT_EQ(r.hidden, 1.5);    // {3 p, H} = -3 x
  EXPECT_NE(r.text().find("max|{g_i,g_j}| = 6,"), std::string::npos) << r.text();
}

/// {J_x, J_y} = J_z off the manifold J = 0.
TEST(PointReport, BracketsOfAngularMomenta) {
  State<double, 6> z = witness::zero_angular_momentum_start.in<double>();
  z.p[0] += 0.5;  // J = a x p_a + b x p_b is now 0.5 (0, a_z, -a_y)
  const PointReport r = report_point(witness::zero_angular_momentum(), z);
  EXPECT_NEAR(r.bracket, 0.5 * std::max(std::abs(z.q[2]), std::abs(z.q[1])), 1e-15);
  EXPECT_NEAR(r.constraint, r.bracket, 1e-15);
}

}  // namespace
}  // namespace rattleback

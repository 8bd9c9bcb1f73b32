// Tableaux for any number of stages: simplifying conditions, symplecticity and symmetry, in double
// and in quad precision.
//   B(p)  sum_i b_i c_i^(k-1) = 1/k                            k <= p
//   C(p)  sum_j a_ij c_j^(k-1) = c_i^k/k                       k <= p
//   D(p)  sum_i b_i c_i^(k-1) a_ij = b_j (1 - c_j^k)/k         k <= p
#include "rattleback/solve/tableau.hpp"

#include <gtest/gtest.h>

#include "rattleback/problem/quad.hpp"

namespace rattleback {
namespace {

template <class R>
R power(const R& x, int k) {
  R y(1);
  for (int i = 0; i < k; ++i) y *= x;
  return y;
}

template <class R>
double defect_b(const Tableau<R>& t, int p) {
  double worst = 0;
  for (int k = 1; k <= p; ++k) {
    R sum = -R(1) / R(k);
    for (int i = 0; i < t.stages(); ++i) sum += t.b[i] * power(t.c[i], k - 1);
    worst = larger(worst, magnitude(sum));
  }
  return worst;
}
template <class R>
double defect_c(const Tableau<R>& t, const Matrix<R, dynamic>& a, int p) {
  double worst = 0;
  for (int k = 1; k <= p; ++k)
    for (int i = 0; i < t.stages(); ++i) {
      R sum = -power(t.c[i], k) / R(k);
      for (int j = 0; j < t.stages(); ++j) sum += a(i, j) * power(t.c[j], k - 1);
      worst = larger(worst, magnitude(sum));
    }
  return worst;
}
template <class R>
double defect_d(const Tableau<R>& t, const Matrix<R, dynamic>& a, int p) {
  double worst = 0;
  for (int k = 1; k <= p; ++k)
    for (int j = 0; j < t.stages(); ++j) {
      R sum = -t.b[j] * (R(1) - power(t.c[j], k)) / R(k);
      for (int i = 0; i < t.stages(); ++i) sum += t.b[i] * power(t.c[i], k - 1) * a(i, j);
      worst = larger(worst, magnitude(sum));
    }
  return worst;
}
/// b_i a^_ij + b_j a_ji - b_i b_j
template <class R>
double symplectic_defect(const Tableau<R>& t) {
  double worst = 0;
  for (int i = 0; i < t.stages(); ++i)
    for (int j = 0; j < t.stages(); ++j)
      worst = larger(worst,
                     magnitude(R(t.b[i] * t.a_hat(i, j) + t.b[j] * t.a(j, i) - t.b[i] * t.b[j])));
  return worst;
}
/// a_{s+1-i,s+1-j} + a_ij - b_j
template <class R>
double symmetry_defect(const Tableau<R>& t, const Matrix<R, dynamic>& a) {
  const int s = t.stages();
  double worst = 0;
  for (int i = 0; i < s; ++i)
    for (int j = 0; j < s; ++j)
      worst = larger(worst, magnitude(R(a(s - 1 - i, s - 1 - j) + a(i, j) - t.b[j])));
  return worst;
}
/// To the last bit: 1 - c is exact for c from 1/2 to 1, where the sum of both nodes may be rounded.
template <class R>
void expect_symmetric_nodes(const Tableau<R>& t) {
  const int s = t.stages();
  for (int i = 0; i < s; ++i) {
    EXPECT_TRUE(2 * i >= s || R(1) - t.c[s - 1 - i] == t.c[i]) << s << ' ' << i;
    EXPECT_TRUE(t.b[i] == t.b[s - 1 - i]) << s << ' ' << i;
    EXPECT_TRUE(i == 0 || t.c[i - 1] < t.c[i]) << s << ' ' << i;
    EXPECT_TRUE(t.b[i] > R(0)) << s << ' ' << i;
  }
}

// Bounds are in units of the scalar's round-off. Measured: 1.9 for Gauss, 2.1 for Lobatto.
template <class R>
void expect_gauss(int most_stages, double bound) {
  for (int s = 1; s <= most_stages; ++s) {
    const Tableau<R> t = gauss_tableau<R>(s);
    ASSERT_EQ(t.stages(), s);
    const double unit = bound * epsilon<R>;
    EXPECT_LE(defect_b(t, 2 * s), unit) << s;
    EXPECT_LE(defect_c(t, t.a, s), unit) << s;
    EXPECT_LE(defect_d(t, t.a, s), unit) << s;
    EXPECT_LE(symplectic_defect(t), unit) << s;
    EXPECT_LE(symmetry_defect(t, t.a), unit) << s;
    EXPECT_TRUE(t.a == t.a_hat) << s;
    expect_symmetric_nodes(t);
    // Not more: the quadrature with s nodes has order 2s. Its first error, 9e-8 for 6 stages,
    // is lost in round-off above.
    EXPECT_TRUE(s > 6 || defect_b(t, 2 * s + 1) > 4e-8) << s;
  }
}
template <class R>
void expect_lobatto(int most_stages, double bound) {
  for (int s = 2; s <= most_stages; ++s) {
    const Tableau<R> t = lobatto_tableau<R>(s);
    const double unit = bound * epsilon<R>;
    EXPECT_LE(defect_b(t, 2 * s - 2), unit) << s;
    EXPECT_LE(defect_c(t, t.a, s), unit) << s;
    EXPECT_LE(defect_d(t, t.a, s - 2), unit) << s;
    EXPECT_LE(defect_c(t, t.a_hat, s - 2), unit) << s;
    EXPECT_LE(defect_d(t, t.a_hat, s), unit) << s;
    EXPECT_LE(symplectic_defect(t), unit) << s;
    EXPECT_LE(symmetry_defect(t, t.a), unit) << s;
    EXPECT_LE(symmetry_defect(t, t.a_hat), unit) << s;
    expect_symmetric_nodes(t);
    // The ends: the first stage of IIIA is the start, the last is the end; IIIB does not use the
    // last slope.
    EXPECT_TRUE(t.c.front() == R(0) && t.c.back() == R(1));
    for (int j = 0; j < s; ++j) {
      EXPECT_TRUE(t.a(0, j) == R(0));
      EXPECT_TRUE(t.a(s - 1, j) == t.b[j]);
      EXPECT_TRUE(t.a_hat(j, s - 1) == R(0));
    }
    EXPECT_TRUE(s > 6 || defect_b(t, 2 * s - 1) > 8e-7) << s;
  }
}

TEST(Tableau, gauss_in_double) { expect_gauss<double>(16, 4); }
TEST(Tableau, gauss_in_quad) { expect_gauss<Quad>(8, 4); }
TEST(Tableau, lobatto_in_double) { expect_lobatto<double>(16, 4); }
TEST(Tableau, lobatto_in_quad) { expect_lobatto<Quad>(8, 4); }

/// Against the numbers of the textbooks.
TEST(Tableau, few_stages_are_the_known_ones) {
  const Quad w = sqrt(Quad(15)), r = sqrt(Quad(3)) / 6;
  const auto close = [](const Quad& a, const Quad& b) { return abs(a - b) < 1e-33; };
  const auto two = gauss_tableau<Quad>(2), three = gauss_tableau<Quad>(3);
  EXPECT_TRUE(close(two.a(0, 1), Quad(1) / 4 - r));
  EXPECT_TRUE(close(two.a(1, 0), Quad(1) / 4 + r));
  EXPECT_TRUE(close(three.a(0, 1), Quad(2) / 9 - w / 15));
  EXPECT_TRUE(close(three.a(2, 0), Quad(5) / 36 + w / 30));
  EXPECT_TRUE(close(three.b[1], Quad(4) / 9));
  // Lobatto with three stages: Simpson's rule.
  const auto l = lobatto_tableau<Quad>(3);
  const Quad a[3][3] = {{0, 0, 0},
                        {Quad(5) / 24, Quad(1) / 3, Quad(-1) / 24},
                        {Quad(1) / 6, Quad(2) / 3, Quad(1) / 6}};
  const Quad a_hat[3][3] = {
      {Quad(1) / 6, Quad(-1) / 6, 0}, {Quad(1) / 6, Quad(1) / 3, 0}, {Quad(1) / 6, Quad(5) / 6, 0}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      EXPECT_TRUE(close(l.a(i, j), a[i][j])) << i << j;
      EXPECT_TRUE(close(l.a_hat(i, j), a_hat[i][j])) << i << j;
    }
}

TEST(Tableau, theta_is_symplectic) {
  for (const double theta : {0.0, 0.3, 0.5, 1.0}) {
    const auto t = theta_tableau(theta);
    EXPECT_EQ(symplectic_defect(t), 0) << theta;
    EXPECT_EQ(symmetry_defect(t, t.a) == 0, theta == 0.5);
  }
}

TEST(Tableau, refuses_too_few_stages) {
  for (const int stages : {0, -3}) EXPECT_THROW(gauss_tableau<double>(stages), InputError);
  try {
    lobatto_tableau<double>(1);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "stages: there must be at least 2, not 1");
  }
}

}  // namespace
}  // namespace rattleback

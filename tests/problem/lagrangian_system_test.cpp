#include "rattleback/problem/lagrangian_system.hpp"

#include <gtest/gtest.h>

#include <string>

#include "rattleback/problem/check_derivatives.hpp"
#include "rattleback/problem/pack.hpp"
#include "rattleback/problem/quad.hpp"
#include "rattleback/problem/witness.hpp"

namespace rattleback {
namespace {

using witness::ratio;

/// L = |v|^2/2 - V of the spherical pendulum.
const auto spherical = []<class Q>(const Q& q, const Q& v) {
  using S = typename Q::Scalar;
  return S(v.squaredNorm() / 2 - q[2] - q[0] * q[0] * ratio<S>(3, 10));
};
/// L = |v|^2/2 + (b/2)(q0 v1 - q1 v0) - V, b = 1.3
const auto magnetic = []<class Q>(const Q& q, const Q& v) {
  using S = typename Q::Scalar;
  return S(v.squaredNorm() / 2 + (q[0] * v[1] - q[1] * v[0]) * ratio<S>(65, 100) - q[2] -
           q[0] * q[1] * ratio<S>(2, 10));
};
/// A relativistic particle: v = p / sqrt(1 + |p|^2), defined for |v| < 1 only.
const auto relativistic = []<class Q>(const Q& q, const Q& v) {
  using std::sqrt;
  using S = typename Q::Scalar;
  return S(-sqrt(S(1 - v[0] * v[0] - v[1] * v[1])) - q[0] * q[1]);
};

/// Energy and both gradients of two descriptions of one system.
template <class S, class A, class B>
void expect_same(const A& a, const B& b, const StateOf<A, S>& z, double units) {
  const int n = a.dimension();
  PositionOf<A, S> a_q(n), a_p(n), b_q(n), b_p(n), l_q(n), l_v(n), m_q(n), m_v(n);
  const double bound = units * epsilon<S>;
  EXPECT_LE(magnitude(S(a.energy(z.q, z.p) - b.energy(z.q, z.p))), bound);
  a.energy_gradient(z.q, z.p, a_q, a_p);
  b.energy_gradient(z.q, z.p, b_q, b_p);
  EXPECT_LE(largest_magnitude((a_q - b_q).eval()), bound);
  EXPECT_LE(largest_magnitude((a_p - b_p).eval()), bound);
  a.lagrangian_gradient(z.q, a_p, l_q, l_v);
  b.lagrangian_gradient(z.q, a_p, m_q, m_v);
  EXPECT_LE(largest_magnitude((l_q - m_q).eval()), bound);
  EXPECT_LE(largest_magnitude((l_v - m_v).eval()), bound);
}

/// The start, every coordinate seeded with its own partial.
template <class Start>
State<Dual<double, 4>, 3> seeded(const Start& start) {
  using D = Dual<double, 4>;
  auto z = start.template in<D>();
  z.q[0].partials[0] = z.p[0].partials[1] = z.p[1].partials[2] = z.p[2].partials[3] = 1;
  return z;
}

// Measured, in units of epsilon: 1.25.
TEST(LagrangianSystem, agrees_with_the_natural_system) {
  const auto a = lagrangian_system<3>(spherical, witness::detail::unit_sphere);
  static_assert(ConstrainedSystem<decltype(a)> && LagrangianForm<decltype(a)>);
  EXPECT_TRUE(a.traits().lagrangian && a.traits().holonomic && !a.traits().natural);
  const auto b = witness::spherical_pendulum();
  expect_same<double>(a, b, witness::spherical_pendulum_start.in<double>(), 2);
  expect_same<Quad>(a, b, witness::spherical_pendulum_start.in<Quad>(), 2);
  expect_same<Dual<double, 4>>(a, b, seeded(witness::spherical_pendulum_start), 2);
}

TEST(LagrangianSystem, agrees_with_the_magnetic_system) {
  const auto a = lagrangian_system<3>(magnetic, witness::detail::unit_sphere);
  const auto b = witness::magnetic();
  expect_same<double>(a, b, witness::magnetic_start.in<double>(), 2);
  expect_same<Quad>(a, b, witness::magnetic_start.in<Quad>(), 2);
  expect_same<Dual<double, 4>>(a, b, seeded(witness::magnetic_start), 2.5);
  expect_same<Pack>(a, b, witness::magnetic_start.in<Pack>(), 2);
}

TEST(LagrangianSystem, derivatives_through_the_transform_are_exact) {
  const auto z = witness::magnetic_start.in<double>();
  const auto report =
      check_derivatives(lagrangian_system<3>(magnetic, witness::detail::unit_sphere), z.q, z.p);
  EXPECT_TRUE(report.ok()) << report;
  const Vector<double, 2> q(0.3, -0.8), p(1.2, 2.5);
  const auto fast = check_derivatives(lagrangian_system<2>(relativistic), q, p);
  EXPECT_TRUE(fast.ok()) << fast;
}

// Measured: gradients 2.3e-16, partials included; energy one unit (8.9e-16 at 6).
TEST(LagrangianSystem, nonlinear_transform_with_a_bounded_domain) {
  const auto a = lagrangian_system<2>(relativistic);
  const auto b = hamiltonian_system<2>(regular<2>([]<class Q>(const Q& q, const Q& p) {
    using std::sqrt;
    using S = typename Q::Scalar;
    return S(sqrt(S(1 + p[0] * p[0] + p[1] * p[1])) + q[0] * q[1]);
  }));
  using D = Dual<double, 4>;
  for (double size : {0.0, 1e-3, 0.5, 2.0, 6.0}) {
    SCOPED_TRACE(size);
    State<D, 2> z{{D::variable(0.3, 0), D::variable(-0.8, 1)},
                  {D::variable(0.6 * size, 2), D::variable(-0.8 * size, 3)}};
    Vector<D, 2> a_q, a_p, b_q, b_p;
    a.energy_gradient(z.q, z.p, a_q, a_p);
    b.energy_gradient(z.q, z.p, b_q, b_p);
    EXPECT_LE(largest_magnitude((a_q - b_q).eval()), 4e-16);
    EXPECT_LE(largest_magnitude((a_p - b_p).eval()), 4e-16);
    const Vector<double, 2> q(0.3, -0.8), p(0.6 * size, -0.8 * size);
    EXPECT_NEAR(a.energy(q, p), b.energy(q, p), 2e-15);
  }
}

/// Newton from rest comes from the side of the pole, |v| = 1, where L_vv = 1/(1 - v^2)^(3/2) makes
/// every correction small.
TEST(LagrangianSystem, transform_is_exact_near_a_pole) {
  const auto system = lagrangian_system<2>(relativistic);
  using D = Dual<double, 4>;
  for (double size : {1e2, 1e4, 1e5, 1e6}) {
    SCOPED_TRACE(size);
    const Vector<D, 2> q(D(0.3), D(-0.8)), p(D::variable(size, 0), D::variable(0, 1));
    Vector<D, 2> h_q, h_p;
    system.energy_gradient(q, p, h_q, h_p);
    const double gamma = std::sqrt(1 + size * size);
    EXPECT_NEAR(h_p[0].value, size / gamma, 3e-16);  // measured: 1.1e-16
    // The last digit of v is gamma^2 last digits of p; measured: 1.5 of those.
    const double digits = 3 * epsilon<double> * gamma * gamma;
    EXPECT_NEAR(h_p[0].partials[0] * gamma * gamma * gamma, 1, digits);
    EXPECT_NEAR(h_p[1].partials[1] * gamma, 1, digits);
  }
}

TEST(LagrangianSystem, indefinite_mass_needs_pivoting) {
  // L = v0 v1 + 2 v1^2 has L_vv = (0 1; 1 4): v0 = p1 - 4 p0, v1 = p0.
  const auto system = lagrangian_system<2>(
      [](const auto& q, const auto& v) { return v[0] * v[1] + v[1] * v[1] * 2 - q[0]; });
  const Vector<double, 2> q(0.1, 0.2), p(0.5, -1.5);
  Vector<double, 2> h_q, h_p;
  system.energy_gradient(q, p, h_q, h_p);
  EXPECT_DOUBLE_EQ(h_p[0], -3.5);
  EXPECT_DOUBLE_EQ(h_p[1], 0.5);
  EXPECT_EQ(h_q[0], 1);
}

TEST(LagrangianSystem, singular_only_at_rest_is_allowed) {
  // L = v^4/4: p = v^3, H = 3/4 p^(4/3)
  const auto system = lagrangian_system<1>(
      [](const auto&, const auto& v) { return v[0] * v[0] * v[0] * v[0] / 4; });
  const Vector<double, 1> q(0.0), p(2.0);
  EXPECT_NEAR(system.energy(q, p), 0.75 * std::pow(2.0, 4.0 / 3), 1e-15);
}

TEST(LagrangianSystem, sizes_at_run_time) {
  const int n = 11;
  const auto system = lagrangian_system(n, []<class Q>(const Q& q, const Q& v) {
    typename Q::Scalar sum(0);
    for (Eigen::Index i = 0; i < q.size(); ++i)
      sum += v[i] * v[i] * (1.0 + double(i)) / 2 - q[i] * q[i];
    return sum;
  });
  Vector<double, dynamic> q = Vector<double, dynamic>::LinSpaced(n, -1, 1), h_q(n), h_p(n);
  const Vector<double, dynamic> p = q * 2;
  system.energy_gradient(q, p, h_q, h_p);
  for (int i = 0; i < n; ++i) {
    EXPECT_NEAR(h_p[i], p[i] / (1 + i), 1e-15);
    EXPECT_NEAR(h_q[i], 2 * q[i], 1e-15);
  }
}

TEST(LagrangianSystem, singular_lagrangian_has_no_energy_and_says_why) {
  const auto system =
      lagrangian_system<2>([](const auto& q, const auto& v) { return v[0] * v[0] / 2 - q[1]; });
  const Vector<double, 2> q(0.25, 0.5), p(1, 0.5);
  EXPECT_TRUE(std::isnan(system.energy(q, p)));
  const std::string text = system.undefined_at(q, p);
  EXPECT_NE(text.find("L_vv is singular"), std::string::npos) << text;
  EXPECT_NE(text.find("q = (0.25, 0.5)"), std::string::npos) << text;
}

TEST(LagrangianSystem, what_is_not_finite_stays_so_without_an_exception) {
  const auto system = lagrangian_system<3>(magnetic);
  Vector<double, 3> q(1, NAN, 0), p(1, 2, 3), h_q, h_p;
  system.energy_gradient(q, p, h_q, h_p);
  EXPECT_TRUE(std::isnan(h_p[0]));
  EXPECT_TRUE(std::isnan(h_q[0]));
}

}  // namespace
}  // namespace rattleback

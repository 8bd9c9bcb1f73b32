#include "rattleback/problem/mass.hpp"

#include <gtest/gtest.h>

#include <string>

#include "rattleback/problem/dual.hpp"
#include "rattleback/problem/quad.hpp"

namespace rattleback {
namespace {

template <class F>
std::string message(const F& f) {
  try {
    f();
  } catch (const InputError& error) {
    EXPECT_EQ(error.where(), "mass");
    return error.what();
  }
  return "nothing thrown";
}
void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

template <class M>
void expect_inverse(const M& mass, double tolerance) {
  Vector<double, 3> p(0.3, -1.2, 2.5), v, back;
  mass.velocity(p, v);
  mass.momentum(v, back);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(back[i], p[i], tolerance);
}

Matrix<double, 3> full() {
  Matrix<double, 3> m;
  m << 2, 0.3, -0.2, 0.3, 1.5, 0.1, -0.2, 0.1, 1;
  return m;
}

// Measured: 0 diagonal, 5.6e-17 full; one unit in the last place is 4.4e-16.
TEST(Mass, velocity_and_momentum_are_inverse) {
  expect_inverse(mass(1.0, 2, 3), 5e-16);
  expect_inverse(mass_matrix(full()), 5e-16);
}

TEST(Mass, sizes_at_run_time) {
  const Vector<double, dynamic> masses = Vector<double, dynamic>::LinSpaced(7, 1, 7);
  const auto m = mass(masses);
  EXPECT_EQ(m.size(), 7);
  Vector<double, dynamic> p = masses, v(7);
  m.velocity(p, v);
  for (int i = 0; i < 7; ++i) EXPECT_NEAR(v[i], 1, 3e-16);
}

TEST(Mass, quad_velocities_are_not_rounded_to_double) {
  Vector<Quad, 3> p(Quad(1), Quad(2), Quad(3)), v, back;
  mass(3, 7, 11).velocity(p, v);
  EXPECT_LT(magnitude(Quad(v[0] * 3 - 1)), 2e-34);
  const auto m = mass_matrix(full());
  m.velocity(p, v);
  m.momentum(v, back);
  for (int i = 0; i < 3; ++i) EXPECT_LT(magnitude(Quad(back[i] - p[i])), 4e-34);  // 1.9e-34
  const auto in_quad = m.cast<Quad>();
  Vector<Quad, 3> w;
  in_quad.velocity(p, w);
  for (int i = 0; i < 3; ++i) EXPECT_LT(magnitude(Quad(w[i] - v[i])), 4e-34);
}

TEST(Mass, duals_pass_through) {
  using D = Dual<double, 2>;
  Vector<D, 3> p(D::variable(1, 0), D(2), D::variable(3, 1)), v;
  mass(2, 4, 8).velocity(p, v);
  EXPECT_EQ(v[0].partials[0], 0.5);
  EXPECT_EQ(v[2].partials[1], 0.125);
}

TEST(Mass, errors_name_the_entry_and_quote_the_value) {
  const std::string negative = message([] { (void)mass(1.0, -2.5); });
  expect_contains(negative, "entry 1");
  expect_contains(negative, "-2.5");
  expect_contains(message([] { (void)mass(0.0, 1.0); }), "entry 0");
  expect_contains(message([] { (void)mass(1.0, -1e-12); }), "-1e-12");
  expect_contains(message([] { (void)mass(1.0, 1.0, NAN); }), "nan");
  expect_contains(message([] { (void)mass(INFINITY); }), "inf");
}

TEST(Mass, errors_of_full_matrices) {
  Matrix<double, 3> m = full();
  m(2, 1) = 0.7;
  const std::string skew = message([&] { (void)mass_matrix(m); });
  expect_contains(skew, "(2, 1) is 0.7");
  expect_contains(skew, "(1, 2) is 0.1");
  m = full();
  m(1, 1) = -4;
  const std::string indefinite = message([&] { (void)mass_matrix(m); });
  expect_contains(indefinite, "not positive definite");
  expect_contains(indefinite, "pivot 1 is -4.045");
  m(1, 1) = NAN;
  expect_contains(message([&] { (void)mass_matrix(m); }), "nan");
  const Matrix<double, dynamic> wide = Matrix<double, dynamic>::Ones(2, 3);
  expect_contains(message([&] { (void)mass_matrix(wide); }), "2 x 3");
}

}  // namespace
}  // namespace rattleback

#include "rattleback/problem/dual.hpp"

#include <gtest/gtest.h>

#include <string>

#include "rattleback/problem/pack.hpp"
#include "rattleback/problem/quad.hpp"

namespace rattleback {
namespace {

/// Every function of one variable, each at a point inside its domain.
template <class Visitor>
void for_each_function(Visitor&& visit) {
  visit("sqrt", 0.7, [](const auto& x) { return sqrt(x); });
  visit("exp", 0.7, [](const auto& x) { return exp(x); });
  visit("log", 0.7, [](const auto& x) { return log(x); });
  visit("sin", 0.7, [](const auto& x) { return sin(x); });
  visit("cos", 0.7, [](const auto& x) { return cos(x); });
  visit("tan", 0.7, [](const auto& x) { return tan(x); });
  visit("asin", 0.6, [](const auto& x) { return asin(x); });
  visit("acos", 0.6, [](const auto& x) { return acos(x); });
  visit("atan", 0.7, [](const auto& x) { return atan(x); });
  visit("sinh", 0.7, [](const auto& x) { return sinh(x); });
  visit("cosh", 0.7, [](const auto& x) { return cosh(x); });
  visit("tanh", 0.7, [](const auto& x) { return tanh(x); });
  visit("abs", -0.7, [](const auto& x) { return abs(x); });
  visit("pow 3", -0.7, [](const auto& x) { return pow(x, 3); });
  visit("pow 2.5", 0.7, [](const auto& x) { return pow(x, 2.5); });
  visit("pow -2", 0.7, [](const auto& x) { return pow(x, -2); });
  visit("reciprocal", 0.7, [](const auto& x) { return 1 / x; });
  visit("rational", 0.7, [](const auto& x) { return (x * x - 2) / (3 + x); });
  visit("signs", 0.7, [](const auto& x) { return -x + (+x) * 3.0 - (2 - x) / 2; });
}

/// f'(x) by the four-point difference quotient in quad precision: h^4/30 f'''''.
template <class F>
Quad difference(const F& f, const Quad& x) {
  const Quad h("1e-7");
  return Quad(8 * (f(Quad(x + h)) - f(Quad(x - h))) - (f(Quad(x + 2 * h)) - f(Quad(x - 2 * h)))) /
         (12 * h);
}

// Measured: largest error of the quotient 2.8e-26; values 4.9e-35.
TEST(Dual, functions_match_difference_quotients) {
  for_each_function([](const std::string& name, double at, const auto& f) {
    const Quad x(at);
    const auto y = f(Dual<Quad, 1>::variable(x, 0));
    EXPECT_LT(magnitude(Quad(y.value - f(x))), 1e-34) << name;
    EXPECT_LT(magnitude(Quad(y.partials[0] - difference(f, x))), 6e-26) << name;
  });
}

// Measured: 2.2e-16, one unit in the last place.
TEST(Dual, double_matches_quad) {
  for_each_function([](const std::string& name, double at, const auto& f) {
    const auto y = f(Dual<double, 4>::variable(at, 2));
    const auto z = f(Dual<Quad, 1>::variable(Quad(at), 0));
    const double value = static_cast<double>(z.value), slope = static_cast<double>(z.partials[0]);
    EXPECT_NEAR(y.value, value, 4e-16 * std::abs(value)) << name;
    EXPECT_NEAR(y.partials[2], slope, 4e-16 * std::abs(slope)) << name;
    for (int i : {0, 1, 3}) EXPECT_EQ(y.partials[i], 0) << name;
  });
}

// Measured: largest error of the quotient of first derivatives 2.9e-25.
TEST(Dual, nested_duals_give_second_derivatives) {
  using D = Dual<Quad, 1>;
  for_each_function([](const std::string& name, double at, const auto& f) {
    const auto y = f(Dual<D, 1>::variable(D::variable(Quad(at), 0), 0));
    const Quad second =
        difference([&](const Quad& x) { return Quad(f(D::variable(x, 0)).partials[0]); }, Quad(at));
    EXPECT_LT(magnitude(Quad(y.partials[0].partials[0] - second)), 6e-25) << name;
    EXPECT_EQ(y.partials[0].value, y.value.partials[0]) << name;
  });
}

TEST(Dual, atan2_in_all_quadrants) {
  using D = Dual<double, 2>;
  for (double angle = -3; angle < 3.2; angle += 0.5) {
    const double x = 2 * std::cos(angle), y = 2 * std::sin(angle);
    const D a = atan2(D::variable(y, 0), D::variable(x, 1));
    EXPECT_NEAR(a.value, angle, 1e-15);
    EXPECT_NEAR(a.partials[0], x / 4, 2e-16);
    EXPECT_NEAR(a.partials[1], -y / 4, 2e-16);
  }
}

TEST(Dual, products_and_quotients_of_two_variables) {
  using D = Dual<double, 3>;
  const D x = D::variable(0.7, 0), y = D::variable(-1.3, 1);
  const D f = x * y / (x - y) + 2 * y;
  // f_x = -y^2/(x-y)^2, f_y = x^2/(x-y)^2 + 2
  EXPECT_NEAR(f.partials[0], -1.69 / 4, 1e-15);
  EXPECT_NEAR(f.partials[1], 0.49 / 4 + 2, 1e-15);
  EXPECT_EQ(f.partials[2], 0);
  D g = x;
  g *= y;
  g /= y;
  g += 1;
  g -= 1;
  EXPECT_NEAR(g.partials[0], 1, 2e-16);
  EXPECT_NEAR(g.partials[1], 0, 2e-16);
}

TEST(Dual, constant_powers_at_zero) {
  using D = Dual<double, 1>;
  const D x = D::variable(0, 0);
  EXPECT_EQ(pow(x, 0).value, 1);
  EXPECT_EQ(pow(x, 0).partials[0], 0);
  EXPECT_EQ(pow(x, 1).partials[0], 1);
  EXPECT_EQ(pow(x, 2).value, 0);
  EXPECT_EQ(pow(x, 2).partials[0], 0);
  EXPECT_EQ(pow(x, 0.5).value, 0);
}

TEST(Dual, comparisons_look_at_values) {
  using D = Dual<double, 2>;
  const D x = D::variable(1, 0), y = D::variable(2, 1);
  EXPECT_TRUE(x < y && y > x && x <= 1 && x >= 1 && x == D(1) && x != y && 0.5 < x);
  EXPECT_FALSE(D(NAN) < x || D(NAN) > x || D(NAN) == D(NAN));
}

TEST(Dual, magnitude_sees_partials_and_what_is_not_a_number) {
  using D = Dual<double, 3>;
  D x = D::variable(1, 0);
  x.partials[2] = -5;
  EXPECT_EQ(magnitude(x), 5);
  EXPECT_EQ(smallest(x), 1);
  EXPECT_TRUE(isfinite(x));
  x.partials[1] = NAN;
  EXPECT_TRUE(std::isnan(magnitude(x)));
  EXPECT_FALSE(isfinite(x));
}

TEST(Dual, works_inside_eigen) {
  using D = Dual<double, 2>;
  Vector<D, 2> x(D::variable(3, 0), D::variable(4, 1));
  const D norm = sqrt(x.squaredNorm());
  EXPECT_DOUBLE_EQ(norm.value, 5);
  EXPECT_DOUBLE_EQ(norm.partials[0], 0.6);
  EXPECT_DOUBLE_EQ(norm.partials[1], 0.8);
  const D sum = (2.0 * x + x * 3.0).sum();
  EXPECT_EQ(sum.partials[0], 5);
  Matrix<double, 2> a;
  a << 1, 2, 3, 4;
  const Vector<D, 2> y = a * x;
  EXPECT_EQ(y[1].partials[1], 4);
}

}  // namespace
}  // namespace rattleback

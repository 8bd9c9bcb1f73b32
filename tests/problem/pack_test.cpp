#include "rattleback/problem/pack.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "rattleback/problem/check_derivatives.hpp"
#include "rattleback/problem/natural_system.hpp"
#include "rattleback/problem/witness.hpp"

namespace rattleback {
namespace {

/// From `first` to less than eight steps more, however many lanes there are.
template <class P = Pack>
P ramp(double first, double step) {
  P x;
  for (int i = 0; i < P::lanes; ++i) x.set(i, first + step * i * 8 / P::lanes);
  return x;
}

/// f on a pack against f lane by lane, to `ulps` units in the last place.
template <class F>
void expect_lanes(const std::string& name, const F& f, const Pack& x, double ulps) {
  const Pack y = f(x);
  for (int i = 0; i < Pack::lanes; ++i) {
    const double expected = f(x[i]);
    EXPECT_NEAR(y[i], expected, ulps * 1.2e-16 * std::abs(expected)) << name << " lane " << i;
  }
}

// Measured: 4 units, where the compiler fuses multiplications and additions differently and
// cancellation enlarges it.
TEST(Pack, arithmetic_is_that_of_double) {
  const Pack x = ramp(-1.3, 0.4);
  expect_lanes(
      "polynomial", [](const auto& v) { return (v * v - 3) * v + 0.5; }, x, 8);
  expect_lanes(
      "quotient", [](const auto& v) { return 2 / (v * v + 1) - v / 3; }, x, 8);
  expect_lanes(
      "assignments",
      [](auto v) {
        v += 2;
        v *= v;
        v -= 1;
        v /= 7;
        return -v;
      },
      x, 8);
}

// Measured: 1 unit at most (libstdc++ vectorises some of them itself).
TEST(Pack, functions_are_those_of_double) {
  using std::atan, std::sinh, std::cosh, std::tanh, std::abs, std::pow, std::atan2;
  using std::sqrt, std::exp, std::log, std::sin, std::cos, std::tan, std::asin, std::acos;
  const Pack x = ramp(0.05, 0.1);
  expect_lanes(
      "sqrt", [](const auto& v) { return sqrt(v); }, x, 0);
  expect_lanes(
      "exp", [](const auto& v) { return exp(v); }, x, 2);
  expect_lanes(
      "log", [](const auto& v) { return log(v); }, x, 2);
  expect_lanes(
      "sin", [](const auto& v) { return sin(v); }, x, 2);
  expect_lanes(
      "cos", [](const auto& v) { return cos(v); }, x, 2);
  expect_lanes(
      "tan", [](const auto& v) { return tan(v); }, x, 2);
  expect_lanes(
      "asin", [](const auto& v) { return asin(v); }, x, 2);
  expect_lanes(
      "acos", [](const auto& v) { return acos(v); }, x, 2);
  expect_lanes(
      "atan", [](const auto& v) { return atan(v); }, x, 2);
  expect_lanes(
      "sinh", [](const auto& v) { return sinh(v); }, x, 2);
  expect_lanes(
      "cosh", [](const auto& v) { return cosh(v); }, x, 2);
  expect_lanes(
      "tanh", [](const auto& v) { return tanh(v); }, x, 2);
  expect_lanes(
      "abs", [](const auto& v) { return abs(v); }, ramp(-1, 0.3), 0);
  expect_lanes(
      "pow", [](const auto& v) { return pow(v, 2.5); }, x, 0);
  expect_lanes(
      "atan2", [](const auto& v) { return atan2(v, v - 0.4); }, x, 0);
}

/// Of one register and of several.
template <class P>
class Packs : public ::testing::Test {};
using Sizes = ::testing::Types<BasicPack<4>, BasicPack<8>, BasicPack<16>, BasicPack<24>>;
TYPED_TEST_SUITE(Packs, Sizes);

TYPED_TEST(Packs, masks_and_reductions) {
  using P = TypeParam;
  constexpr int n = P::lanes;
  const P x = ramp<P>(-2, 1);
  const double last = x[n - 1];
  EXPECT_FALSE(all_of(x > 0.0));
  EXPECT_TRUE(any_of(x > 0.0));
  EXPECT_TRUE(all_of(x >= -2.0) && all_of((x < 0.0) | (x >= 0.0)));
  EXPECT_FALSE(any_of((x < 0.0) & (x > 0.0)) || any_of(!(x == x)));
  EXPECT_EQ(hmin(x), -2);
  EXPECT_EQ(hmax(x), last);
  EXPECT_EQ(magnitude(x), last);
  EXPECT_EQ(smallest(x), -2);
  P y = x;
  where(x < 0.0, y) = P(7);
  where(x > 3.5, y) += P(1);
  EXPECT_EQ(y[0], 7);
  EXPECT_EQ(y[n / 2], x[n / 2]);
  EXPECT_EQ(y[n - 1], last + 1);
  EXPECT_EQ(min(x, P(0))[0], -2);
  EXPECT_EQ(max(x, P(0))[0], 0);
  EXPECT_TRUE(std::signbit(P(-0.0)[0]) && std::signbit(P(-0.0)[n - 1]));
}

TYPED_TEST(Packs, one_lane_is_seen) {
  using P = TypeParam;
  for (int lane = 0; lane < P::lanes; ++lane) {
    P x = ramp<P>(1, 1);
    EXPECT_EQ(abs(-x)[lane], x[lane]);
    const double before = x[lane];
    EXPECT_FALSE(all_of(x != P(before))) << lane;
    EXPECT_TRUE(any_of(x == P(before))) << lane;
    x.set(lane, NAN);
    EXPECT_TRUE(std::isnan(magnitude(x))) << lane;
    EXPECT_FALSE(ScalarTraits<P>::within(x, 100)) << lane;
    EXPECT_FALSE(ScalarTraits<P>::beyond(x, 0)) << lane;
  }
}

TEST(Pack, inside_duals) {
  using D = Dual<Pack, 2>;
  const Pack x = ramp(-1, 0.3);
  const D y = pow(abs(D::variable(x, 1)), 3);
  for (int i = 0; i < Pack::lanes; ++i) {
    EXPECT_NEAR(y.value[i], std::abs(x[i] * x[i] * x[i]), 2e-16);
    EXPECT_NEAR(y.partials[1][i], 3 * x[i] * std::abs(x[i]), 1e-15);
    EXPECT_EQ(y.partials[0][i], 0);
  }
}

/// Gradients and Jacobians of a witness on different points in the lanes against one point at a
/// time.
template <class Sys, class Start>
void expect_system_lanes(const std::string& name, const Sys& system, const Start& start) {
  constexpr int N = Sys::dimension_at_compile_time, M = Sys::constraints_at_compile_time;
  const int n = system.dimension(), m = system.constraint_count();
  State<Pack, N> z = start.template in<Pack>();
  for (int i = 0; i < n; ++i) z.q[i] += ramp(0, 0.01 * (i + 1)), z.p[i] -= ramp(0, 0.02);
  Vector<Pack, N> h_q(n), h_p(n);
  Vector<Pack, M> g(m);
  Matrix<Pack, M, N> g_q(m, n), g_p(m, n);
  const Pack energy = system.energy(z.q, z.p);
  system.energy_gradient(z.q, z.p, h_q, h_p);
  system.linearise(z.q, z.p, g, g_q, g_p);
  for (int lane = 0; lane < Pack::lanes; ++lane) {
    Vector<double, N> q(n), p(n), d_q(n), d_p(n);
    Vector<double, M> d(m);
    Matrix<double, M, N> j_q(m, n), j_p(m, n);
    for (int i = 0; i < n; ++i) q[i] = z.q[i][lane], p[i] = z.p[i][lane];
    system.energy_gradient(q, p, d_q, d_p);
    system.linearise(q, p, d, j_q, j_p);
    // Measured: 2.2e-16.
    const double tolerance = 5e-16;
    EXPECT_NEAR(energy[lane], system.energy(q, p), tolerance) << name;
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(h_q[i][lane], d_q[i], tolerance) << name;
      EXPECT_NEAR(h_p[i][lane], d_p[i], tolerance) << name;
      for (int k = 0; k < m; ++k) EXPECT_NEAR(g_q(k, i)[lane], j_q(k, i), tolerance) << name;
    }
    for (int k = 0; k < m; ++k) EXPECT_NEAR(g[k][lane], d[k], tolerance) << name;
  }
}

TEST(Pack, every_witness_lane_by_lane) {
  witness::for_each([](const std::string& name, const auto& system, const auto& start) {
    expect_system_lanes(name, system, start);
  });
}

TEST(Pack, every_copy_has_its_own_mass) {
  const Vector<Pack, 1> masses(ramp(1, 1));
  const auto system =
      natural_system(mass(masses), []<class Q>(const Q&) { return typename Q::Scalar(0); });
  Vector<Pack, 1> p(Pack(2)), v(Pack(0));
  system.velocity(p, v);
  for (int i = 0; i < Pack::lanes; ++i) EXPECT_DOUBLE_EQ(v[0][i], 2 / masses[0][i]);
}

}  // namespace
}  // namespace rattleback

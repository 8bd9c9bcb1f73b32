// Every group of the layer against the laws, at the arguments where closed forms break.
#include <gtest/gtest.h>

#include <numbers>

#include "rattleback/lie/euclidean.hpp"
#include "rattleback/lie/planar.hpp"
#include "rattleback/lie/product.hpp"
#include "rattleback/lie/se3.hpp"
#include "rattleback/problem/pack.hpp"
#include "rattleback/testing/lie_laws.hpp"

namespace rattleback::testing {
namespace {

template <class S>
using R3 = lie::Euclidean<S, 3>;
template <class S>
using Body = lie::Product<lie::SO3<S>, R3<S>>;

/// Directions scaled so that the turn has these angles: zero, tiny, where closed forms lose half
/// and all of their digits, usual ones, about pi, and beyond.
template <int N>
std::vector<Vector<double, N>> samples() {
  std::vector<Vector<double, N>> all;
  for (const double angle : {0.0, 1e-300, 1e-12, 1e-8, 1e-5, 1e-3, 0.03, 0.4, 1.5,
                             std::numbers::pi - 1e-9, std::numbers::pi, 4.0}) {
    Vector<double, N> xi;
    for (int i = 0; i < N; ++i) xi[i] = std::sin(1.3 * i + 0.9);
    const int turn = std::min(N, 3);
    double length = 0;
    for (int i = 0; i < turn; ++i) length = std::hypot(length, xi[i]);
    for (int i = 0; i < turn; ++i) xi[i] *= angle / length;
    all.push_back(xi);
  }
  return all;
}

template <template <class> class G>
void expect_laws(double round_off) {
  const LieResult result = check_lie_group<G>(samples<G<double>::dimension>());
  EXPECT_LT(result.largest(), round_off) << result.text();
}

// Measured: 7.1e-15 of SO2 and SE2, 3.2e-15 of SO3, 1.3e-14 of SE3 (Ad of products at 4 radians).
TEST(LieGroups, keep_the_laws_at_every_angle) {
  expect_laws<lie::SO2>(1.5e-14);
  expect_laws<lie::SE2>(1.5e-14);
  expect_laws<lie::SO3>(7e-15);
  expect_laws<lie::SE3>(3e-14);
  expect_laws<Body>(7e-15);
}

/// A group with a mistake in one of its functions.
template <class S>
struct Skewed : lie::SO3<S> {
  using Base = lie::SO3<S>;
  using typename Base::Algebra;
  using typename Base::Tangent;
  Skewed() = default;
  Skewed(const Base& g) : Base(g) {}
  friend Skewed operator*(const Skewed& a, const Skewed& b) {
    return Skewed(static_cast<const Base&>(a) * static_cast<const Base&>(b));
  }
  Skewed inverse() const { return Base::inverse(); }
  Skewed normalized() const { return Base::normalized(); }
  static Skewed exp(const Algebra& xi) { return Base::exp(xi); }
  static Skewed cay(const Algebra& xi) { return Base::cay(xi); }
  /// The closed form, which cancels.
  static Tangent dexp(const Algebra& xi) {
    using std::sqrt, std::sin, std::cos;
    const S angle = sqrt(S(xi.squaredNorm() + S(1e-40)));
    const Matrix<S, 3> k = lie::cross_matrix(xi);
    return Matrix<S, 3>::Identity() + S((S(1) - cos(angle)) / (angle * angle)) * k +
           S((angle - sin(angle)) / (angle * angle * angle)) * (k * k);
  }
  static Tangent dcay_inverse(const Algebra& xi) { return Base::dcay_inverse(-xi); }
};

TEST(LieGroups, mistakes_are_seen) {
  const LieResult result = check_lie_group<Skewed>(samples<3>());
  EXPECT_GT(result.inverse, 0.1);                     // the sign
  EXPECT_GT(result.tangent, 1e-10) << result.text();  // the closed form
}

TEST(LieGroups, many_products_stay_on_the_group) {
  const lie::SO3<double> by = lie::SO3<double>::exp({0.3, -0.2, 0.5});
  lie::SO3<double> g;
  for (int i = 0; i < 200'000; ++i) g = (g * by).normalized();
  EXPECT_NEAR(g.w * g.w + g.v.squaredNorm(), 1, 4e-16);
  const Vector<double, 3> turned = 200'000 * Vector<double, 3>(0.3, -0.2, 0.5);
  const double turns = std::round(turned.norm() / (2 * std::numbers::pi));
  const Vector<double, 3> rest = turned * (1 - 2 * std::numbers::pi * turns / turned.norm());
  EXPECT_LT((lie::log(g) - rest).norm(), 1e-10);  // measured: 1e-11, round-off of so many products
}

TEST(LieGroups, logarithms_and_matrices_lead_back) {
  for (const auto& xi : samples<3>()) {
    if (xi.norm() > std::numbers::pi) continue;
    const auto g = lie::SO3<double>::exp(xi);
    EXPECT_LT((lie::log(g) - xi).norm(), 1e-15 * (1 + 4 * xi.norm())) << xi.norm();
    const auto again = lie::rotation(g.matrix());
    EXPECT_LT((again.matrix() - g.matrix()).norm(), 4e-15);
  }
}

TEST(LieGroups, packs_have_the_numbers_of_their_lanes) {
  const auto all = samples<3>();
  const auto of = [&](int lane) { return all[static_cast<std::size_t>(lane) % all.size()]; };
  Vector<Pack, 3> xi;
  for (int i = 0; i < 3; ++i)
    for (int lane = 0; lane < pack_lanes; ++lane) xi[i].set(lane, of(lane)[i]);
  const auto packed = lie::SO3<Pack>::dexp_inverse(xi);
  for (int lane = 0; lane < pack_lanes; ++lane) {
    const auto alone = lie::SO3<double>::dexp_inverse(of(lane));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(packed(i, j)[lane], alone(i, j), 1e-15) << lane;
  }
}

}  // namespace
}  // namespace rattleback::testing

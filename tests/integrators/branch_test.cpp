// A step that lands on another solution of g(q1) = 0 says so, whatever kernel made it.
#include <gtest/gtest.h>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/expression/recorder.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/problem/linked_system.hpp"
#include "rattleback/problem/natural_system.hpp"
#include "rattleback/testing/witness_systems.hpp"

namespace rattleback {
namespace {

constexpr double h = 0.1;

/// Pulls outwards left of x = -0.1, and not at all to the right; along the circle nowhere.
struct Pull {
  double strength;
  template <class X>
  auto operator()(const X& x) const {
    using std::exp;
    using std::sqrt;
    using S = typename X::Scalar;
    return S((1.0 - sqrt(x[0] * x[0] + x[1] * x[1])) * strength /
             (exp((x[0] + 0.1) * 200.0) + 1.0));
  }
};
// Of Newton with the exact matrix, and of iterations with that of the start, which turn back to the
// near solution from less.
constexpr Pull newton{160}, iterated{230};

/// `count` pendulums of their own, swinging to the right.
State<double> swinging(int count) {
  State<double> z{Vector<double, dynamic>(2 * count), Vector<double, dynamic>(2 * count)};
  for (int i = 0; i < count; ++i) {
    const double angle = -0.45;
    z.q[2 * i] = std::sin(angle), z.q[2 * i + 1] = -std::cos(angle);
    z.p[2 * i] = std::cos(angle), z.p[2 * i + 1] = std::sin(angle);
  }
  return z;
}

/// SHAKE knows lambda from its past only. When the pull ends, it expects h lambda = h^2 strength;
/// solutions are 0.01, and 1.99, on the other side of the pivot.
template <class Sys, class Stepper, class Point>
void expect_branch_jump(const Sys& system, Pull pull, Stepper& stepper, Stepper& fresh, Point z) {
  for (int k = 0; k < 4; ++k) ASSERT_TRUE(stepper.step(system, z, h)) << k;
  ASSERT_GT(z.q[0], -0.1);
  EXPECT_NEAR(h * stepper.lambda()[0], h * h * pull.strength, 0.1);
  const Point before = z;
  const Status status = stepper.step(system, z, h);
  EXPECT_EQ(status.outcome, Outcome::branch_jump) << "to " << z.q[0] << ", " << z.q[1];
  EXPECT_EQ(largest_magnitude(z.q - before.q) + largest_magnitude(z.p - before.p), 0);
  ASSERT_TRUE(fresh.step(system, z, h));
  EXPECT_LT(largest_magnitude(z.q - before.q), 0.15);  // on its branch
}

TEST(Branches, SmallDense) {
  const auto system =
      natural_system(mass(1, 1), newton, [](const auto& q) { return (q.squaredNorm() - 1) / 2; });
  auto stepper = Shake<>{}.stepper<double>(system), fresh = Shake<>{}.stepper<double>(system);
  const State<double> z = swinging(1);
  expect_branch_jump(system, newton, stepper, fresh, State<double, 2>{z.q, z.p});
}

auto pendulums(int count, Pull pull) {
  std::vector<Link<2>> links;
  for (int i = 0; i < count; ++i) links.push_back({.first = ground, .second = i});
  return linked_system<2>(std::vector<double>(count, 1.0), pull, links);
}

TEST(Branches, Links) {
  const auto system = pendulums(8, iterated);
  auto stepper = Shake<>{}.stepper<double>(system), fresh = Shake<>{}.stepper<double>(system);
  expect_branch_jump(system, iterated, stepper, fresh, swinging(8));
}

TEST(Branches, Compiled) {
  for (const int count : {1, 8}) {  // of static size, and sparse
    const Pull pull = count == 1 ? newton : iterated;
    const AnySystem system = expression_system(record(pendulums(count, pull)));
    ASSERT_NE(system.model<double>().compiled(), nullptr);
    auto stepper = find_method("shake").stepper<double>(system);
    auto fresh = find_method("shake").stepper<double>(system);
    expect_branch_jump(system, pull, *stepper, *fresh, swinging(count));
  }
}

/// Twice the digits take more iterations: that alone is no sign of another branch. The first of
/// these steps hardly changes the energy, the second 36 times as much.
TEST(Branches, MoreDigitsAreNotHarder) {
  const auto& [system, start] = testing::witness_system("hopf_gravity");
  auto stepper = find_method("rattle:base=theta,theta=0.25").stepper<Quad>(system);
  State<Quad> z = start;
  for (int k = 0; k < 4; ++k) {
    const Status status = stepper->step(system, z, Quad(1) / 64);
    EXPECT_TRUE(status) << k << ": " << int(status.outcome);
    if (k < 2) {
      EXPECT_GT(status.iterations, threshold::easy_iterations) << k;
    }
  }
}

}  // namespace
}  // namespace rattleback

// Mechanisms against their equations in the fewest coordinates, which know nothing of joints.
#include <gtest/gtest.h>

#include "mechanisms.hpp"

namespace rattleback::testing {
namespace {

/// Euler's equations about the point of support, with the direction of gravity in the body.
/// y = (quaternion, omega).
std::vector<double> top_after(const Mechanism& m, double time) {
  const Body& top = m.bodies[0];
  const Vector3 arm(0, 0, 0.4);
  const double moved = top.mass * 0.16;
  const Vector3 inertia = top.inertia.diagonal() + Vector3(moved, moved, 0);
  std::vector<double> y{top.orientation.w, top.orientation.v[0], top.orientation.v[1],
                        top.orientation.v[2]};
  for (const double w : top.angular_velocity) y.push_back(w);
  return runge_kutta(y, time, 20'000, [&](const std::vector<double>& y) {
    const lie::SO3<double> r{y[0], {y[1], y[2], y[3]}};
    const Vector3 w(y[4], y[5], y[6]);
    const Vector3 weight = r.inverse()(Vector3(top.mass * m.gravity));
    const Vector3 torque =
        lie::cross<double>(arm, weight) - lie::cross<double>(w, Vector3(inertia.cwiseProduct(w)));
    const lie::SO3<double> rate = r * lie::SO3<double>{0, w / 2};
    return std::vector<double>{rate.w,
                               rate.v[0],
                               rate.v[1],
                               rate.v[2],
                               torque[0] / inertia[0],
                               torque[1] / inertia[1],
                               torque[2] / inertia[2]};
  });
}

double top_error(const std::string& method, int steps) {
  const Mechanism m = heavy_top();
  const std::vector<double> truth = top_after(m, 0.5);
  const auto end = bodies_of(m, end_of(m, method, 0.5 / steps, steps))[0];
  const lie::SO3<double> r{truth[0], {truth[1], truth[2], truth[3]}};
  const Vector3 w(truth[4], truth[5], truth[6]);
  return std::max(lie::log(r.inverse() * end.orientation).norm(),
                  (w - end.angular_velocity).norm());
}

class TopMethods : public ::testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(TopMethods, have_their_order_on_the_heavy_top) {
  const auto& [method, order] = GetParam();
  const int steps = order > 2 ? 100 : 400;
  const double coarse = top_error(method, steps), fine = top_error(method, 2 * steps);
  EXPECT_NEAR(std::log2(coarse / fine), order, 0.15) << method << ": " << coarse << ", " << fine;
}

INSTANTIATE_TEST_SUITE_P(
    Mechanism, TopMethods,
    ::testing::Values(std::tuple{"rattlie", 2}, std::tuple{"rattlie:retraction=cayley", 2},
                      std::tuple{"rattlie:group=SE3", 2},
                      std::tuple{"rattlie:group=SE3,retraction=cayley", 2},
                      std::tuple{"lie-rattle", 2}, std::tuple{"lie-rattle:group=SE3", 2},
                      std::tuple{"lie-rattle:retraction=cayley", 2},
                      std::tuple{"lie-composition", 2}, std::tuple{"lie-composition:group=SE3", 2},
                      std::tuple{"lie-euler-a", 1}, std::tuple{"lie-euler-b", 1},
                      std::tuple{"rattlie:compose=suzuki4", 4},
                      std::tuple{"lie-rattle:compose=suzuki4", 4}));

/// Of chain({a, b}).
std::vector<double> double_pendulum_after(double a, double b, double time) {
  return runge_kutta({a, b, 0, 0}, time, 20'000, double_pendulum_slope);
}

TEST(Mechanism, double_pendulum_has_the_angles_of_lagrange) {
  const auto truth = double_pendulum_after(0.7, -0.4, 1);
  for (const JointType type : {JointType::ball, JointType::revolute}) {
    const Mechanism m = chain({0.7, -0.4}, type);
    double before = 0;
    for (const int steps : {200, 400}) {
      const auto bodies = bodies_of(m, end_of(m, "rattlie", 1.0 / steps, steps));
      double error = 0;
      for (std::size_t i = 0; i < 2; ++i) {
        const Vector3 turn = lie::log(bodies[i].orientation);
        EXPECT_LT(std::hypot(turn[0], turn[2]), 1e-13);
        error = std::max({error, std::abs(turn[1] - truth[i]),
                          std::abs(bodies[i].angular_velocity[1] - truth[2 + i])});
      }
      if (before > 0) {
        EXPECT_NEAR(std::log2(before / error), 2, 0.1) << before << ", " << error;
      }
      before = error;
    }
    EXPECT_LT(before, 1e-3);  // measured: 5.0e-4
  }
}

TEST(Mechanism, composed_to_order_four_it_meets_lagrange_at_1e_9) {
  const auto truth = double_pendulum_after(0.7, -0.4, 1);
  const Mechanism m = chain({0.7, -0.4}, JointType::revolute);
  const auto bodies = bodies_of(m, end_of(m, "rattlie:compose=suzuki4", 1.0 / 800, 800));
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(lie::log(bodies[i].orientation)[1], truth[i], 1e-9);
}

}  // namespace
}  // namespace rattleback::testing

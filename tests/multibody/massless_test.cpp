// Bodies without mass or without inertia, and bodies with many joints: both stay in the matrix.
#include <gtest/gtest.h>

#include "mechanisms.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/study/load.hpp"

namespace rattleback::testing {
namespace {

const Vector3 down(0.3, -0.8, -9.81);

Body massless(const std::string& name, const Vector3& at = {0, 0, 0}) {
  return {.name = name, .mass = 0, .inertia = Matrix3::Zero(), .position = at};
}
Body heavy(const Vector3& at) {
  return {.name = "body", .mass = 1.7, .inertia = diagonal(0.2, 0.3, 0.4), .position = at};
}
double apart(const Mechanism& a, const Mechanism& b, const std::string& method, int steps) {
  const auto x = bodies_of(a, end_of(a, method, 0.005, steps)),
             y = bodies_of(b, end_of(b, method, 0.005, steps));
  const Body &p = x.front(), &q = y.front();
  return lie::log(p.orientation.inverse() * q.orientation).norm() +
         (p.position - q.position).norm() + (p.angular_velocity - q.angular_velocity).norm();
}

/// A body on a joint, and the same on hinges with massless links between them.
struct Pair {
  Mechanism direct, linked;
};
Pair on_hinges(const std::vector<Vector3>& axes) {
  const Vector3 arm(0.1, 0.2, 0.4);
  Mechanism direct{.name = "direct", .gravity = down};
  direct.add(heavy(arm));
  Mechanism linked = direct;
  direct.add(Joint{.type = axes.size() == 2 ? JointType::universal : JointType::ball,
                   .bodies = {"world", "body"},
                   .points = {Vector3(0, 0, 0), -arm},
                   .axis = axes[0],
                   .axis2 = axes[1]});
  std::string before = "world";
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool last = i + 1 == axes.size();
    const std::string next = last ? "body" : "link" + std::to_string(i);
    if (!last) linked.add(massless(next));
    linked.add(Joint{.name = "hinge" + std::to_string(i),
                     .type = JointType::revolute,
                     .bodies = {before, next},
                     .points = {Vector3(0, 0, 0), last ? Vector3(-arm) : Vector3(0, 0, 0)},
                     .axis = axes[i]});
    before = next;
  }
  return {direct, linked};
}

TEST(Massless, hinges_in_series_are_the_joint_that_they_make) {
  for (const auto& axes : {std::vector<Vector3>{{1, 0, 0}, {0, 1, 0}},
                           std::vector<Vector3>{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}) {
    const auto [direct, linked] = on_hinges(axes);
    for (const char* method : {"rattlie", "rattlie:group=SE3", "rattlie:retraction=cayley",
                               "lie-composition", "rattlie:compose=suzuki4"})
      EXPECT_LT(apart(direct, linked, method, 100), 2e-12) << method << ", " << axes.size();
    const MechanismReport a = report_on(direct), b = report_on(linked);
    EXPECT_EQ(a.freedoms(), b.freedoms());
  }
  EXPECT_THROW((void)end_of(on_hinges({{1, 0, 0}, {0, 1, 0}}).linked, "lie-rattle", 0.01, 1),
               ModelError);
}

/// Points at the ends of rods without mass: y = (a, b, a', b').
std::vector<double> points_slope(const std::vector<double>& y) {
  constexpr double g = 9.81;
  const double c = std::cos(y[0] - y[1]), s = std::sin(y[0] - y[1]);
  const double f1 = -s * y[3] * y[3] - 2 * g * std::sin(y[0]);
  const double f2 = s * y[2] * y[2] - g * std::sin(y[1]);
  const double det = 2 - c * c;
  return {y[2], y[3], (f1 - c * f2) / det, (2 * f2 - c * f1) / det};
}

/// chain() of hinges with all mass at the ends of its links.
Mechanism points_on_rods(const std::vector<double>& angles) {
  Mechanism m = chain(angles, JointType::revolute);
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    m.bodies[i].position += 0.5 * m.bodies[i].orientation(Vector3(0, 0, -1));
    m.bodies[i].inertia = Matrix3::Zero();
    m.joints[i].points = {Vector3(0, 0, 0), Vector3(0, 0, 1)};
  }
  return m;
}

TEST(Massless, points_on_rods_are_the_double_pendulum) {
  const auto truth = runge_kutta({0.7, -0.4, 0, 0}, 1, 20'000, points_slope);
  const Mechanism m = points_on_rods({0.7, -0.4});
  const auto end = bodies_of(m, end_of(m, "rattlie:compose=suzuki4", 1.0 / 800, 800));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(lie::log(end[i].orientation)[1], truth[i], 1e-8);
    EXPECT_NEAR(end[i].angular_velocity[1], truth[2 + i], 1e-7);
  }
}

TEST(Massless, long_chains_of_points_keep_their_energy) {
  const Mechanism m = points_on_rods(std::vector<double>(200, 0.6));
  const auto motion = mechanism_motion(m, find_mechanism_method("rattlie"));
  const auto run = run_motion(*motion, {.step = 0.002, .steps = 200, .every = 10});
  ASSERT_TRUE(run.ok()) << run.failure.text();
  EXPECT_LT(run.constraint, 1e-12);
  EXPECT_LT(run.energy_error, 1e-4 * std::abs(run.initial_energy));
}

std::string said(const Mechanism& m) {
  try {
    (void)end_of(m, "rattlie", 0.01, 1);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Massless, a_leaf_that_turns_is_refused_by_its_joint_and_a_welded_one_moves_along) {
  Mechanism m = chain({0.7, -0.4}, JointType::revolute);
  m.bodies[1].mass = 0, m.bodies[1].inertia = Matrix3::Zero();
  m.joints[1].name = "wrist";
  EXPECT_NE(said(m).find("revolute joint 'wrist' between 'link1' and 'link2'"), std::string::npos)
      << said(m);
  EXPECT_NE(said(m).find("no inertia"), std::string::npos) << said(m);
  m.joints[1].type = JointType::fixed;
  EXPECT_EQ(said(m), "");
  const Mechanism alone = chain({0.7}, JointType::revolute);
  EXPECT_LT(apart(m, alone, "rattlie", 100), 1e-12);
  // A point on a ball joint spins about its rod as it likes.
  Mechanism point = points_on_rods({0.3});
  EXPECT_EQ(said(point), "");
  point.joints[0].type = JointType::ball, point.joints[0].name = "socket";
  EXPECT_NE(said(point).find("ball joint 'socket'"), std::string::npos) << said(point);
}

TEST(Massless, a_coupler_without_mass_is_the_limit_of_light_ones) {
  Mechanism none =
      *study::load(RATTLEBACK_SOURCE_DIR "/examples/mechanisms/four_bar.toml").mechanism;
  none.bodies[1].mass = 0, none.bodies[1].inertia = Matrix3::Zero();
  for (const auto order :
       {std::array{0, 1, 2, 3}, std::array{3, 2, 1, 0}, std::array{1, 3, 0, 2}}) {
    Mechanism m = none;
    for (std::size_t i = 0; i < 4; ++i)
      m.joints[i] = none.joints[static_cast<std::size_t>(order[i])];
    double before = 0;
    for (const double mass : {1e-3, 1e-4}) {
      Mechanism light = m;
      light.bodies[1].mass = mass, light.bodies[1].inertia = 0.06 * mass * Matrix3::Identity();
      const double error = apart(light, m, "rattlie", 100);
      if (before > 0) {
        EXPECT_NEAR(before / error, 10, 0.5) << before << ", " << error;
      }
      before = error;
    }
  }
}

/// Pendulums in a ring on one free body, more than are eliminated with it.
TEST(Massless, bodies_with_many_joints_cost_no_more_for_each) {
  Mechanism m{.name = "star", .gravity = {0, 0, -9.81}};
  m.add(Body{.name = "hub", .mass = 3, .inertia = diagonal(1, 1, 2)});
  for (int i = 0; i < 12; ++i) {
    const double t = 0.5 * i;
    const Vector3 at(std::cos(t), std::sin(t), 0);
    const std::string name = "arm" + std::to_string(i);
    m.add(Body{.name = name,
               .mass = 0.5,
               .inertia = diagonal(0.03, 0.04, 0.02),
               .position = at + Vector3(0.3, 0, 0.1 * i),
               .angular_velocity = {0.1 * i, -0.3, 0.2}});
    m.add(Joint{.type = JointType::ball,
                .bodies = {"hub", name},
                .points = {at, Vector3(-0.3, 0, -0.1 * i)}});
  }
  m = with_consistent_velocities(m);
  for (const char* method : {"rattlie", "rattlie:group=SE3", "lie-rattle"}) {
    const auto motion = mechanism_motion(m, find_mechanism_method(method));
    const auto run = run_motion(*motion, {.step = 0.01, .steps = 200, .every = 10});
    ASSERT_TRUE(run.ok()) << run.failure.text();
    EXPECT_LE(run.newton_max, 4) << method;
    EXPECT_LT(run.constraint, 1e-13) << method;
    EXPECT_LT(run.energy_error, 1e-3 * std::abs(run.initial_energy)) << method;
    if (std::string(method).find("SE3") != std::string::npos) continue;
    Vector3 centre = Vector3::Zero();  // falls as a stone, where shifts are apart from turns
    double mass = 0;
    for (const auto& [bodies, sign] :
         {std::pair{bodies_of(m, run.final), 1.0}, std::pair{m.bodies, -1.0}})
      for (std::size_t i = 0; i < bodies.size(); ++i) {
        centre += sign * m.bodies[i].mass * bodies[i].position;
        if (sign < 0) {
          mass += m.bodies[i].mass;
          centre -= 2.0 * m.bodies[i].mass * bodies[i].velocity;
        }
      }
    EXPECT_LT((centre / mass - Vector3(0, 0, -0.5 * 9.81 * 4)).norm(), 1e-11) << method;
  }
}

}  // namespace
}  // namespace rattleback::testing

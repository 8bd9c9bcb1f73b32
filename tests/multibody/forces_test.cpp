// Springs, potentials of the user, and what joints do to bodies.
#include <gtest/gtest.h>

#include <numbers>

#include "mechanisms.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/study/load.hpp"

namespace rattleback::testing {
namespace {

auto run_of(const Mechanism& m, const std::string& method, double h, long steps) {
  const auto motion = mechanism_motion(m, find_mechanism_method(method));
  return run_motion(*motion, {.step = h, .steps = steps, .every = 1});
}

/// A slider on a spring of its joint, and one between points.
TEST(Springs, sliders_swing_as_cosines) {
  const double k = 30, mass = 1.7, omega = std::sqrt(k / mass), time = 1.3;
  for (const bool of_joint : {true, false}) {
    Mechanism m{.name = "slider"};
    m.add(Body{.name = "body", .mass = mass, .position = {0.9, 0.1, 0}});
    m.add(Joint{.name = "rail",
                .type = JointType::prismatic,
                .bodies = {"world", "body"},
                .points = {Vector3(0.2, 0, 0), Vector3(0, -0.1, 0)},
                .axis = {3, 0, 0}});
    Spring spring{.stiffness = k, .rest = 0.5};
    if (of_joint)
      spring.joint = "rail";
    else
      spring.bodies = {"world", "body"}, spring.points = {Vector3(0.2, 0, 0), Vector3(0, -0.1, 0)};
    m.add(spring);
    const auto end = bodies_of(m, end_of(m, "rattlie:compose=suzuki4", time / 400, 400))[0];
    EXPECT_NEAR(end.position[0], 0.7 + 0.2 * std::cos(omega * time), 1e-9);
  }
}

/// A disc on a torsion spring, and beyond half a turn.
TEST(Springs, discs_swing_about_their_rest) {
  const double k = 2, inertia = 0.4, omega = std::sqrt(k / inertia), time = 2;
  Mechanism m{.name = "balance"};
  m.add(Body{.name = "disc", .inertia = diagonal(0.2, 0.3, inertia)});
  m.add(Joint{.name = "pivot", .type = JointType::revolute, .bodies = {"world", "disc"}});
  m.add(Spring{.joint = "pivot", .stiffness = k, .rest = 2.5});
  const auto end = bodies_of(m, end_of(m, "rattlie:compose=suzuki4", time / 400, 400))[0];
  const double angle = 2.5 * (1 - std::cos(omega * time));
  const auto expected = lie::SO3<double>::exp({0, 0, angle});
  EXPECT_LT(lie::log(expected.inverse() * end.orientation).norm(), 1e-8);
}

/// Turned against its hinge's first body, and with a rest nearer the other way round.
TEST(Springs, of_hinges_know_the_axis_in_both_bodies_and_the_nearer_way) {
  const double k = 2, inertia = 0.4, omega = std::sqrt(k / inertia), time = 2, rest = 3.5;
  Mechanism m{.name = "balance"};
  m.add(Body{.name = "disc",
             .inertia = diagonal(inertia, inertia, inertia),
             .orientation = turned(0.5, -0.7, 0.3)});
  m.add(Joint{.name = "pivot", .type = JointType::revolute, .bodies = {"world", "disc"}});
  m.add(Spring{.joint = "pivot", .stiffness = k, .rest = rest});
  const auto end = bodies_of(m, end_of(m, "rattlie:compose=suzuki4", time / 400, 400))[0];
  const double angle = (rest - 2 * std::numbers::pi) * (1 - std::cos(omega * time));
  const auto expected = turned(0, 0, angle) * turned(0.5, -0.7, 0.3);
  EXPECT_LT(lie::log(expected.inverse() * end.orientation).norm(), 1e-8);
}

/// Of rattlie, over t = 1, with joints at round-off.
void expect_second_order_of_energy(const Mechanism& m) {
  double before = 0;
  for (const long steps : {400, 800}) {
    const auto run = run_of(m, "rattlie", 1.0 / static_cast<double>(steps), steps);
    ASSERT_TRUE(run.ok()) << run.failure.text();
    if (before > 0) {
      EXPECT_NEAR(std::log2(before / run.energy_error), 2, 0.1);
    }
    before = run.energy_error;
    EXPECT_LT(run.constraint, 1e-13);
  }
}

/// What a spring gives a body without mass, its momentum has, and its velocity has not.
TEST(Springs, pull_at_bodies_without_mass) {
  Mechanism m = chain({0.7, -0.4}, JointType::revolute);
  m.bodies[0].mass = 0, m.bodies[0].inertia = Matrix3::Zero();
  m.add(Spring{.bodies = {"world", "link1"},
               .points = {Vector3(2, 0, 0), Vector3(0, 0, -0.3)},
               .stiffness = 30,
               .rest = 0.5});
  expect_second_order_of_energy(m);
}

Mechanism loop_with_springs() {
  Mechanism m = *study::load(RATTLEBACK_SOURCE_DIR "/examples/mechanisms/four_bar.toml").mechanism;
  m.joints[0].name = "pivot";
  m.add(Spring{.bodies = {"crank", "rocker"},
               .points = {Vector3(0.1, 0.05, 0), Vector3(0.2, 0, 0.1)},
               .stiffness = 40,
               .rest = 0.3});
  m.add(Spring{.joint = "pivot", .stiffness = 3, .rest = 0.5});
  Potential well{.name = "well", .bodies = {"coupler", "world"}};
  well.energy = [](std::span<const BodyPose> at, std::span<Wrench> wrenches) {
    const Vector3 tip(0.2, 0.1, 0), x = at[0].position + at[0].rotation * tip;
    const Vector3 force(-4 * x[0] * x[0] * x[0], 0, 0);
    wrenches[0].force += force;
    wrenches[0].torque += lie::cross<double>(tip, at[0].rotation.transpose() * force);
    return x[0] * x[0] * x[0] * x[0];
  };
  return m.add(well);
}

TEST(Springs, energy_with_springs_and_potentials_stays_and_converges) {
  const Mechanism m = loop_with_springs();
  expect_second_order_of_energy(m);
  Mechanism without = m;
  without.springs.clear(), without.potentials.clear();
  EXPECT_GT((bodies_of(m, end_of(m, "rattlie", 0.01, 50))[0].position -
             bodies_of(without, end_of(without, "rattlie", 0.01, 50))[0].position)
                .norm(),
            1e-3);
}

TEST(Springs, name_what_is_not_there) {
  Mechanism m = heavy_top();
  m.add(Spring{.joint = "hinge"});
  EXPECT_THROW((void)report_on(m), InputError);
  m = heavy_top();
  m.joints[0].name = "socket";
  m.add(Spring{.joint = "socket"});
  EXPECT_THROW((void)report_on(m), InputError);
}

/// What joints and other forces do to each body is what its momentum changes by: the largest
/// difference over a run of so many steps, momenta by central differences.
double newton_euler_defect(const Mechanism& m, double h, long steps) {
  const auto motion = mechanism_motion(m, find_mechanism_method("rattlie"));
  struct Look {
    std::vector<Body> bodies;
    std::vector<double> reactions;
  };
  std::vector<Look> looks;
  for (long n = 0; n <= steps; ++n) {
    rattleback::Look<AnyMotion::Point> look{.point = motion->state()};
    (void)static_cast<bool>(motion->present(look.point));
    (void)static_cast<bool>(motion->measure(look));
    looks.push_back({bodies_of(m, look.point), {}});
    motion->multipliers(looks.back().reactions);
    (void)motion->advance(h, 1);
  }
  double worst = 0;
  for (std::size_t n = 1; n + 1 < looks.size(); ++n)
    for (std::size_t i = 0; i < m.bodies.size(); ++i) {
      const Body& now = looks[n].bodies[i];
      const auto spin = [&](std::size_t at) {
        const Body& b = looks[at].bodies[i];
        return Vector3(b.orientation(Vector3(b.inertia * b.angular_velocity)));
      };
      Vector3 force = now.mass *
                          (looks[n + 1].bodies[i].velocity - looks[n - 1].bodies[i].velocity) /
                          (2 * h) -
                      now.mass * m.gravity,
              torque = (spin(n + 1) - spin(n - 1)) / (2 * h);
      for (std::size_t k = 0; k < m.joints.size(); ++k) {
        const Joint& joint = m.joints[k];
        for (const int side : {0, 1}) {
          if (m.index(joint.bodies[static_cast<std::size_t>(side)]) != static_cast<int>(i))
            continue;
          const double sign = side == 1 ? 1 : -1;
          const double* r = looks[n].reactions.data() + 6 * k;
          const Vector3 f = sign * Vector3(r[0], r[1], r[2]), t = sign * Vector3(r[3], r[4], r[5]);
          force -= f;
          torque -= t + lie::cross<double>(
                            now.orientation(joint.points[static_cast<std::size_t>(side)]), f);
        }
      }
      worst = std::max({worst, force.norm(), torque.norm()});
    }
  return worst;
}

TEST(Reactions, are_those_of_newton_and_euler) {
  Mechanism loop =
      *study::load(RATTLEBACK_SOURCE_DIR "/examples/mechanisms/four_bar.toml").mechanism;
  const Mechanism pendulum = chain({0.7, -0.4, 0.2}, JointType::revolute, {1, 2, 0});
  Mechanism points = chain({0.7, -0.4}, JointType::revolute);
  points.bodies[0].mass = 0, points.bodies[0].inertia = Matrix3::Zero();
  Mechanism rotors = chain({0.7, -0.4}, JointType::revolute);
  rotors.joints[0].name = "a", rotors.joints[1].name = "b", rotors.joints[1].armature = 0.3;
  Mechanism gear = rotors;
  gear.add(Coupling{.joints = {"a", "b"}, .coefficients = {0, -1.5, 0.7}});
  for (const Mechanism& m : {pendulum, heavy_top(), loop, points, rotors, gear}) {
    const double coarse = newton_euler_defect(m, 2e-3, 20), fine = newton_euler_defect(m, 1e-3, 40);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.2) << m.name << ": " << coarse << ", " << fine;
  }
  // At rest a pendulum pulls with its weight.
  const Mechanism rest = chain({0, 0}, JointType::ball);
  const auto motion = mechanism_motion(rest, find_mechanism_method("rattlie"));
  rattleback::Look<AnyMotion::Point> look{.point = motion->state()};
  (void)static_cast<bool>(motion->measure(look));
  std::vector<double> r;
  motion->multipliers(r);
  EXPECT_NEAR(r[2], 2 * 9.81, 1e-12);
  EXPECT_NEAR(r[8], 9.81, 1e-12);
  EXPECT_EQ(reaction_names(rest)[7], "joint2.force_y");
}

TEST(Reactions, too_strong_for_the_step_are_named) {
  // A taut chain: its links swing about their joints with (T l / I)^(1/2), times h / 64 beyond 2.
  Mechanism m = chain(std::vector<double>(20, 0.01), JointType::ball);
  const auto motion = mechanism_motion(m, find_mechanism_method("rattlie"));
  const auto run = run_motion(*motion, {.step = 10, .steps = 10});
  ASSERT_FALSE(run.ok());
  EXPECT_NE(run.failure.text().find("beyond 2"), std::string::npos) << run.failure.text();
}

}  // namespace
}  // namespace rattleback::testing

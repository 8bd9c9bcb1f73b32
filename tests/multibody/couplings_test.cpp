// Rotors behind gears, and joints that follow others.
#include <gtest/gtest.h>

#include <optional>

#include "mechanisms.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback::testing {
namespace {

constexpr double g = 9.81;

/// A bar on a hinge about y at the origin, `at` along x; and a disc that follows it.
Mechanism geared(std::vector<double> coefficients, double spin) {
  Mechanism m{.name = "geared", .gravity = {0, 0, -g}};
  const double ratio = coefficients[1];
  m.add(Body{.name = "bar",
             .mass = 0.5,
             .inertia = diagonal(0.03, 0.02, 0.04),
             .position = {0.3, 0, 0},
             .velocity = {0, 0, -0.3 * spin},
             .angular_velocity = {0, spin, 0}});
  m.add(Body{.name = "disc",
             .mass = 2,
             .inertia = diagonal(0.02, 0.02, 0.05),
             .position = {0, 1, 0},
             .orientation = turned(0.3, 0.2, 0.1)});
  const Vector3 axis = turned(0.3, 0.2, 0.1)(Vector3(0, 0, 1));
  m.bodies[1].angular_velocity = {0, 0, ratio * spin};
  m.add(Joint{.name = "swing",
              .type = JointType::revolute,
              .bodies = {"world", "bar"},
              .points = {Vector3(0, 0, 0), Vector3(-0.3, 0, 0)},
              .axis = {0, 2, 0}});
  m.add(Joint{.name = "turn",
              .type = JointType::revolute,
              .bodies = {"world", "disc"},
              .points = {Vector3(0, 1, 0), Vector3(0, 0, 0)},
              .axis = axis});
  return m.add(Coupling{.joints = {"swing", "turn"}, .coefficients = std::move(coefficients)});
}

/// J t'' = 0.5 g 0.3 cos t, t from horizontal downwards.
std::vector<double> swing_of(double inertia, double spin, double time) {
  return runge_kutta({0, spin}, time, 40'000, [&](const std::vector<double>& y) {
    return std::vector<double>{y[1], 0.5 * g * 0.3 * std::cos(y[0]) / inertia};
  });
}

TEST(Couplings, a_gear_adds_the_inertia_of_what_it_drives_and_counts_its_turns) {
  const double ratio = -2.6, spin = 14, time = 3, bar = 0.02 + 0.5 * 0.09;
  const auto truth = swing_of(bar + ratio * ratio * 0.05, spin, time);
  ASSERT_GT(truth[0], 6 * 6.28);  // many turns, of which the disc has not a whole number
  const Mechanism m = geared({0, ratio}, spin);
  const auto end = bodies_of(m, end_of(m, "rattlie:compose=suzuki4", time / 1500, 1500));
  const auto off = [](const lie::SO3<double>& a, const lie::SO3<double>& b) {
    return lie::log(a.inverse() * b).norm();
  };
  EXPECT_LT(off(end[0].orientation, turned(0, truth[0], 0)), 1e-7);
  const auto disc = turned(0.3, 0.2, 0.1) * turned(0, 0, ratio * truth[0]);
  EXPECT_LT(off(end[1].orientation, disc), 3e-7);
  EXPECT_EQ(report_on(m).freedoms(), 1);
}

TEST(Couplings, keep_their_equation_and_their_energy) {
  for (const char* method : {"rattlie", "rattlie:group=SE3", "lie-rattle", "lie-composition"}) {
    const auto motion =
        mechanism_motion(geared({0, 1.7, 0.4, -0.1}, 3), find_mechanism_method(method));
    const auto run = run_motion(*motion, {.step = 0.002, .steps = 2000, .every = 10});
    ASSERT_TRUE(run.ok()) << method << run.failure.text();
    EXPECT_LT(run.constraint, 1e-13) << method;
    EXPECT_LT(run.hidden, 1e-12) << method;
    EXPECT_LT(run.energy_error, 1e-4) << method;
  }
}

/// A slider along z whose height is a polynomial of the angle of a wheel: y = (t, t').
TEST(Couplings, of_higher_degree_move_as_their_lagrangian_says) {
  const double wheel = 0.3, mass = 0.8, start = 0.4;
  const auto height = [](double t) { return 0.1 + t * (0.5 + t * (-0.3 + t * 0.05)); };
  const auto slope = [](double t) { return 0.5 + t * (-0.6 + t * 0.15); };
  const auto bend = [](double t) { return -0.6 + t * 0.3; };
  const auto truth = runge_kutta({start, 2}, 1, 20'000, [&](const std::vector<double>& y) {
    const double s = slope(y[0]);
    return std::vector<double>{
        y[1], -(mass * s * bend(y[0]) * y[1] * y[1] + mass * g * s) / (wheel + mass * s * s)};
  });
  Mechanism m{.name = "cam", .gravity = {0, 0, -g}};
  m.add(Body{.name = "wheel", .inertia = diagonal(1, 1, wheel), .angular_velocity = {0, 0, 2}});
  m.add(Body{
      .name = "slider", .mass = mass, .position = {1, 0, 5}, .velocity = {0, 0, 2 * slope(start)}});
  m.add(Joint{.name = "w", .type = JointType::revolute, .bodies = {"world", "wheel"}});
  m.add(Joint{.name = "s",
              .type = JointType::prismatic,
              .bodies = {"world", "slider"},
              .points = {Vector3(1, 0, 0), Vector3(0, 0, 0)}});
  m.add(Coupling{.joints = {"w", "s"},
                 .coefficients = {0.1, 0.5, -0.3, 0.05},
                 .start = {start, height(start)}});
  const auto end = bodies_of(m, end_of(m, "rattlie:compose=suzuki4", 1.0 / 400, 400));
  EXPECT_NEAR(lie::log(end[0].orientation)[2] + start, truth[0], 1e-9);
  EXPECT_NEAR(end[1].position[2] - 5 + height(start), height(truth[0]), 1e-9);
  EXPECT_NEAR(end[1].velocity[2], slope(truth[0]) * truth[1], 1e-8);
}

TEST(Couplings, go_on_to_the_bit) {
  const Mechanism m = geared({0, -2.6}, 14);
  const auto motion_of = [&] { return mechanism_motion(m, find_mechanism_method("rattlie")); };
  std::optional<Checkpoint> saved;
  RunOptions<AnyMotion::Point> options{
      .step = 0.002, .steps = 2000, .every = 100, .restart_every = 500};
  const auto whole = motion_of(), part = motion_of(), rest = motion_of();
  const auto straight = run_motion(*whole, options);
  options.steps = 1000;
  options.checkpoint = [&](const Checkpoint& c) { saved = c; };
  (void)run_motion(*part, options);
  options.steps = 2000;
  options.resume = saved;
  EXPECT_EQ(straight.final, run_motion(*rest, options).final);
  EXPECT_LT(straight.constraint, 1e-12);
}

TEST(Armature, of_a_hinge_in_the_world_is_inertia_of_its_body) {
  Mechanism rotor = chain({0.7}, JointType::revolute, {3}), body = rotor;
  rotor.joints[0].armature = 0.21;
  body.bodies[0].inertia += diagonal(0, 0.21, 0);
  for (const char* method : {"rattlie", "rattlie:group=SE3", "lie-composition"}) {
    const auto a = end_of(rotor, method, 0.01, 200), b = end_of(body, method, 0.01, 200);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12) << method;
  }
}

/// y = (a, b, a', b'): a double pendulum with armatures of both hinges.
TEST(Armature, adds_to_the_inertia_of_joints) {
  constexpr double inertia = 0.085, first = 0.4, second = 0.15;
  const auto truth = runge_kutta({0.7, -0.4, 0, 0}, 1, 20'000, [&](const std::vector<double>& y) {
    const double c = std::cos(y[0] - y[1]), s = std::sin(y[0] - y[1]);
    const double m11 = inertia + 1.25 + first + second, m12 = 0.5 * c - second,
                 m22 = inertia + 0.25 + second;
    const double f1 = -0.5 * s * y[3] * y[3] - 1.5 * g * std::sin(y[0]);
    const double f2 = 0.5 * s * y[2] * y[2] - 0.5 * g * std::sin(y[1]);
    const double det = m11 * m22 - m12 * m12;
    return std::vector<double>{y[2], y[3], (m22 * f1 - m12 * f2) / det,
                               (m11 * f2 - m12 * f1) / det};
  });
  Mechanism m = chain({0.7, -0.4}, JointType::revolute);
  m.joints[0].armature = first, m.joints[1].armature = second;
  const auto end = bodies_of(m, end_of(m, "rattlie:compose=suzuki4", 1.0 / 800, 800));
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(lie::log(end[i].orientation)[1], truth[i], 1e-8);
  // A rotor is all the inertia that a massless link needs.
  m.bodies[1].mass = 0, m.bodies[1].inertia = Matrix3::Zero();
  const auto motion = mechanism_motion(m, find_mechanism_method("rattlie"));
  const auto run = run_motion(*motion, {.step = 0.002, .steps = 500, .every = 10});
  ASSERT_TRUE(run.ok()) << run.failure.text();
  EXPECT_LT(run.energy_error, 1e-4);
}

TEST(Armature, of_a_slider_is_mass) {
  const double k = 30, mass = 1.7, more = 0.9, omega = std::sqrt(k / (mass + more)), time = 1.3;
  Mechanism m{.name = "slider"};
  m.add(Body{.name = "body", .mass = mass, .position = {0.9, 0, 0}});
  m.add(Joint{.name = "rail",
              .type = JointType::prismatic,
              .bodies = {"world", "body"},
              .points = {Vector3(0.2, 0, 0), Vector3(0, 0, 0)},
              .axis = {3, 0, 0},
              .armature = more});
  m.add(Spring{.joint = "rail", .stiffness = k, .rest = 0.5});
  const auto end = bodies_of(m, end_of(m, "rattlie:compose=suzuki4", time / 400, 400))[0];
  EXPECT_NEAR(end.position[0], 0.7 + 0.2 * std::cos(omega * time), 1e-9);
}

std::string said_of(const Mechanism& m) {
  try {
    (void)report_on(m);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}
void expect_said(const Mechanism& m, const std::string& what) {
  EXPECT_NE(said_of(m).find(what), std::string::npos) << said_of(m);
}

TEST(Couplings, say_what_is_wrong) {
  Mechanism m = geared({0, 2}, 1);
  m.couplings[0].joints[1] = "turns";
  expect_said(m, "there is no joint 'turns'");
  m = geared({0, 2}, 1);
  m.couplings[0].joints[1] = "swing";
  expect_said(m, "two different joints");
  m = geared({0.25, 2}, 1);
  expect_said(m, "joint 'turn' is at 0 at the start, and must be at 0.25");
  m = geared({0, 2}, 1);
  m.joints[1].type = JointType::ball;
  expect_said(m, "revolute and prismatic joints");
  m = heavy_top();
  m.joints[0].armature = 1;
  expect_said(m, "revolute and prismatic joints");
  m = chain({0.1}, JointType::revolute);
  m.joints[0].armature = -1;
  expect_said(m, "must not be negative: -1");
}

}  // namespace
}  // namespace rattleback::testing

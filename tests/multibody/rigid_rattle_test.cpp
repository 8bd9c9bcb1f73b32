// Bodies as rotation matrices under R^T R = 1: discrete Moser-Veselov [Barbero24 Example 5.3].
#include <gtest/gtest.h>

#include "mechanisms.hpp"

namespace rattleback::testing {
namespace {

Mechanism free_body(const Matrix3& inertia) {
  Mechanism m{.name = "free"};
  Body body{.name = "body", .mass = 1.5, .inertia = inertia};
  body.orientation = turned(0.4, -0.3, 0.9);
  body.angular_velocity = {0.8, -1.1, 0.6};
  body.velocity = {0.2, 0.1, -0.3};
  return m.add(body);
}

Matrix3 full_inertia() {
  Matrix3 inertia;
  inertia << 0.9, 0.1, -0.05, 0.1, 1.2, 0.08, -0.05, 0.08, 0.7;
  return inertia;
}

TEST(RigidRattle, steps_solve_the_equation_of_moser_and_veselov) {
  const Mechanism m = free_body(full_inertia());
  const double h = 0.2;
  const Body& start = m.bodies[0];
  const Body end = bodies_of(m, end_of(m, "rigid-rattle", h, 1))[0];
  const Matrix3 f = start.orientation.matrix().transpose() * end.orientation.matrix();
  const Matrix3 j = 0.5 * start.inertia.trace() * Matrix3::Identity() - start.inertia;
  const auto momentum = [&](const Body& body) {
    return lie::cross_matrix<double>(body.inertia * body.angular_velocity);
  };
  EXPECT_LT((f * j - j * f.transpose() - h * momentum(start)).norm(), 1e-15);
  EXPECT_LT((j * f - f.transpose() * j - h * momentum(end)).norm(), 1e-15);
  EXPECT_GT((f - Matrix3::Identity()).norm(), 0.1);
}

/// The second is flat: its J is singular.
TEST(RigidRattle, a_free_body_keeps_energy_and_momentum_in_space) {
  for (const Matrix3& inertia : {full_inertia(), diagonal(1, 2, 3)}) {
    const Mechanism m = free_body(inertia);
    const auto kept = [&](const std::string& method, double& momentum) {
      const auto motion = mechanism_motion(m, find_mechanism_method(method));
      const auto run = run_motion(*motion, {.step = 0.1, .steps = 100'000, .every = 100});
      const Body end = bodies_of(m, run.final)[0];
      const Body& start = m.bodies[0];
      momentum = (end.orientation(Vector3(inertia * end.angular_velocity)) -
                  start.orientation(Vector3(inertia * start.angular_velocity)))
                     .norm();
      return run.energy_error;
    };
    double momentum = 0;
    EXPECT_LT(kept("rigid-rattle", momentum), 1e-12);  // measured of the first: 8.2e-14
    EXPECT_LT(momentum, 1e-12);                        // 1.2e-13
    EXPECT_GT(kept("rattlie", momentum), 1e-5);        // of others the energy swings
  }
}

TEST(RigidRattle, turns_of_more_than_a_radian_have_no_step_in_any_part) {
  Mechanism m = free_body(full_inertia());
  m.bodies[0].angular_velocity *= 2000;
  const auto motion = mechanism_motion(m, find_mechanism_method("rigid-rattle"));
  const auto run = run_motion(*motion, {.step = 0.1, .steps = 10});
  EXPECT_FALSE(run.ok());
  EXPECT_NE(run.failure.text().find("a body turns by"), std::string::npos) << run.failure.text();
}

}  // namespace
}  // namespace rattleback::testing

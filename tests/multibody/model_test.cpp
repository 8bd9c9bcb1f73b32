// What mechanisms are made into before they step: fill, softened loops, bodies with half an
// inertia.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "../../src/multibody/mechanism_model.hpp"
#include "mechanisms.hpp"

namespace rattleback::testing {
namespace {

std::size_t storage(const Mechanism& m) { return MechanismModel(m).pattern.storage(); }

/// Leaves first: a chain of n joints has n blocks on its diagonal and two for each pair that meets.
TEST(MechanismModel, chains_have_no_fill_whatever_the_order_of_their_joints) {
  Mechanism m = chain(std::vector<double>(60, 0.1), JointType::ball);
  EXPECT_EQ(storage(m), 9u * (60 + 2 * 59));
  std::shuffle(m.joints.begin(), m.joints.end(), std::minstd_rand(3));
  EXPECT_EQ(storage(m), 9u * (60 + 2 * 59));
}

/// Joints that hang on a massless body are eliminated before it: nothing has to be joined to give
/// it a pivot, as it would be with twice the numbers.
TEST(MechanismModel, crosses_without_mass_go_after_what_hangs_on_them) {
  Mechanism m = chain(std::vector<double>(40, 0.3), JointType::revolute);
  for (std::size_t i = 0; i < 40; ++i) {
    if (i % 2 == 0) m.bodies[i].mass = 0, m.bodies[i].inertia = Matrix3::Zero();
    m.joints[i].axis = i % 2 == 0 ? Vector3(0, 1, 0) : Vector3(1, 0, 0);
  }
  EXPECT_EQ(MechanismModel(m).pattern.largest(), 6 + 5);
  EXPECT_EQ(storage(m), 7210u);
  std::shuffle(m.joints.begin(), m.joints.end(), std::minstd_rand(3));
  EXPECT_EQ(storage(m), 7210u);
}

/// Two bodies on a cross without mass, all afloat: nothing holds the first body of a list.
TEST(MechanismModel, massless_bodies_afloat_cost_the_same_wherever_they_are_listed) {
  const auto crossed = [](bool first) {
    Mechanism m{.name = "afloat"};
    const Body cross{.name = "cross", .mass = 0, .inertia = Matrix3::Zero()};
    if (first) m.add(cross);
    m.add(Body{.name = "a", .position = {1, 0, 0}, .angular_velocity = {0, 0.4, 0.3}});
    m.bodies.back().velocity = lie::cross<double>(m.bodies.back().angular_velocity, {1, 0, 0});
    m.add(Body{.name = "b", .mass = 2, .position = {-1, 0, 0}});
    if (!first) m.add(cross);
    const auto hinge = [&](const char* body, const Vector3& arm, const Vector3& axis) {
      m.add(Joint{.type = JointType::revolute,
                  .bodies = {"cross", body},
                  .points = {Vector3(0, 0, 0), arm},
                  .axis = axis});
    };
    hinge("a", {-1, 0, 0}, {0, 1, 0});
    hinge("b", {1, 0, 0}, {0, 0, 1});
    return with_consistent_velocities(m);
  };
  const Mechanism first = crossed(true), last = crossed(false);
  EXPECT_EQ(storage(first), storage(last));
  const auto x = bodies_of(first, end_of(first, "rattlie", 0.01, 100)),
             y = bodies_of(last, end_of(last, "rattlie", 0.01, 100));
  EXPECT_LT((x[1].position - y[0].position).norm(), 1e-13);
}

/// Loops are softened; a second pass removes what that leaves of the first, 1e-9 of it.
TEST(MechanismModel, momenta_of_loops_are_projected_to_round_off) {
  Mechanism m = four_bars(3, 2);
  for (std::size_t i = 0; i < m.bodies.size(); ++i)
    m.bodies[i].velocity += Vector3(0.3, -0.5, 0.2) * static_cast<double>(i % 3);
  const auto motion =
      mechanism_motion(with_consistent_velocities(m), find_mechanism_method("rattlie"));
  Look<AnyMotion::Point> look{.point = motion->state()};
  ASSERT_TRUE(motion->measure(look));
  EXPECT_LT(look.hidden, 1e-14);
}

/// Upright, four-bars rest on their hinges with all their weight.
TEST(MechanismModel, reactions_of_loops_are_exact) {
  const Mechanism m = four_bars(2, 0);
  const auto motion = mechanism_motion(m, find_mechanism_method("rattlie"));
  Look<AnyMotion::Point> look{.point = motion->state()};
  ASSERT_TRUE(motion->measure(look));
  std::vector<double> reactions;
  motion->multipliers(reactions);
  double lift = 0;
  for (std::size_t k = 0; k < m.joints.size(); ++k)
    if (m.joints[k].bodies[0] == "world") lift += reactions[6 * k + 1];
  EXPECT_NEAR(lift, 9.81 * static_cast<double>(m.bodies.size()), 1e-12);
}

/// A rod has no moment about itself, and velocities about the other axes.
TEST(MechanismModel, momenta_tell_the_velocities_that_they_can) {
  Mechanism m{.name = "rod"};
  m.add(Body{.name = "rod", .mass = 2, .inertia = diagonal(0.1, 0.2, 0), .position = {0, 0, -1}});
  m.add(Joint{.type = JointType::universal,
              .bodies = {"world", "rod"},
              .points = {Vector3(0, 0, 0), Vector3(0, 0, 1)},
              .axis = {1, 0, 0},
              .axis2 = {0, 1, 0}});
  const auto motion = mechanism_motion(m, find_mechanism_method("rattlie"));
  std::vector<double> tangent(12, 0);
  tangent[6] = 0.3, tangent[7] = 0.5, tangent[9] = 4;
  const Body moved = bodies_of(m, motion->retract(motion->state(), tangent))[0];
  EXPECT_LT((moved.angular_velocity - Vector3(3, 2.5, 0)).norm(), 1e-14);
  EXPECT_LT((moved.velocity - Vector3(2, 0, 0)).norm(), 1e-14);
}

}  // namespace
}  // namespace rattleback::testing

// Joints whose motion is known in closed form, or that of other joints.
#include <gtest/gtest.h>

#include "mechanisms.hpp"

namespace rattleback::testing {
namespace {

const Vector3 gravity(0.3, -0.8, -9.81);

/// A body at a joint with the world, turned anywhere.
Mechanism on_rail(JointType type, const Vector3& axis) {
  Mechanism m{.name = "rail", .gravity = gravity};
  Body body{.name = "body", .mass = 1.7, .inertia = diagonal(0.2, 0.3, 0.4)};
  body.orientation = turned(0.4, -0.3, 0.9);
  body.position = {0.2, 0.5, -0.1};
  m.add(body);
  return m.add(Joint{.type = type,
                     .bodies = {"world", "body"},
                     .points = {body.position, Vector3(0, 0, 0)},
                     .axis = 2 * axis});
}

TEST(Joints, sliders_fall_along_their_axis_and_discs_on_their_plane) {
  const Vector3 axis = Vector3(1, 2, -2) / 3, across = gravity - gravity.dot(axis) * axis;
  for (const auto& [type, fall] :
       {std::pair<JointType, Vector3>{JointType::prismatic, gravity.dot(axis) * axis},
        {JointType::cylindrical, gravity.dot(axis) * axis},
        {JointType::planar, across}}) {
    Mechanism m = on_rail(type, axis);
    const bool turns = type != JointType::prismatic;
    const double spin = turns ? 0.7 : 0;
    m.bodies[0].angular_velocity = spin * m.bodies[0].orientation.inverse()(axis);
    const Body end = bodies_of(m, end_of(m, "rattlie", 0.01, 100))[0];
    EXPECT_LT((end.position - m.bodies[0].position - 0.5 * fall).norm(), 1e-13);
    EXPECT_LT((end.velocity - fall).norm(), 1e-13);
    const auto expected = lie::SO3<double>::exp(spin * axis) * m.bodies[0].orientation;
    EXPECT_LT(lie::log(expected.inverse() * end.orientation).norm(), 1e-13);
  }
}

/// Two bodies welded together and hung on a ball joint, against the one body that they are.
TEST(Joints, welded_bodies_move_as_one) {
  const Vector3 arm(0.3, 0, 0), offset(0, 0.2, -0.5);
  const double m1 = 1.2, m2 = 0.7, total = m1 + m2;
  const Matrix3 i1 = diagonal(0.1, 0.2, 0.15), i2 = diagonal(0.05, 0.04, 0.06);
  const Matrix3 r = turned(0.3, 0.2, -0.5).matrix();  // of the second body in the first
  const Vector3 centre = offset * (m2 / total);       // from the first body's
  const auto shifted = [](const Matrix3& inertia, double mass, const Vector3& by) {
    return Matrix3(inertia + mass * (by.squaredNorm() * Matrix3::Identity() - by * by.transpose()));
  };
  const auto start = turned(0.5, 0.1, 0.2);
  const Vector3 w(1, -2, 3);
  const auto place = [&](Body body, const Vector3& from_pivot) {
    body.orientation = start;
    body.position = start(from_pivot);
    body.angular_velocity = w;
    body.velocity = start(lie::cross<double>(w, from_pivot));
    return body;
  };
  Mechanism two{.name = "two", .gravity = gravity}, one{.name = "one", .gravity = gravity};
  two.add(place(Body{.name = "a", .mass = m1, .inertia = i1}, arm));
  Body second = place(Body{.name = "b", .mass = m2, .inertia = i2}, arm + offset);
  second.orientation = start * lie::rotation(r);
  second.angular_velocity = r.transpose() * w;
  two.add(second);
  const Joint pivot{
      .type = JointType::ball, .bodies = {"world", "a"}, .points = {Vector3::Zero(), -arm}};
  two.add(pivot);
  two.add(
      Joint{.type = JointType::fixed, .bodies = {"a", "b"}, .points = {offset, Vector3::Zero()}});
  one.add(place(Body{.name = "a",
                     .mass = total,
                     .inertia = shifted(i1, m1, centre) +
                                shifted(r * i2 * r.transpose(), m2, offset - centre)},
                arm + centre));
  one.add(Joint{.type = JointType::ball,
                .bodies = {"world", "a"},
                .points = {Vector3::Zero(), -arm - centre}});
  // Different discretizations of one motion: they meet as h^4, composed.
  const std::string method = "rattlie:compose=suzuki4";
  const auto error = [&](int steps) {
    const Body a = bodies_of(two, end_of(two, method, 0.5 / steps, steps))[0],
               b = bodies_of(one, end_of(one, method, 0.5 / steps, steps))[0];
    return lie::log(a.orientation.inverse() * b.orientation).norm() +
           (a.angular_velocity - b.angular_velocity).norm();
  };
  const double coarse = error(40), fine = error(80);
  EXPECT_LT(fine, 1e-6);
  EXPECT_GT(coarse / fine, 12) << coarse << ", " << fine;
}

TEST(Joints, a_body_on_a_rod_is_the_spherical_pendulum) {
  Mechanism m{.name = "rod", .gravity = {0, 0, -9.81}};
  m.add(Body{
      .name = "ball", .mass = 0.8, .inertia = diagonal(0.1, 0.1, 0.1), .position = {0.6, 0, -0.8}});
  m.add(Joint{.type = JointType::distance, .bodies = {"world", "ball"}});
  const double c = 0.8, speed = std::sqrt(9.81 * 0.36 / c);  // of the conical pendulum
  m.bodies[0].velocity = {0, speed, 0};
  const double turn = speed / 0.6;
  const auto end = bodies_of(m, end_of(m, "rattlie:compose=suzuki4", 0.01, 100))[0];
  EXPECT_NEAR(end.position[0], 0.6 * std::cos(turn), 1e-7);
  EXPECT_NEAR(end.position[1], 0.6 * std::sin(turn), 1e-7);
  EXPECT_NEAR(end.position[2], -0.8, 1e-7);
}

}  // namespace
}  // namespace rattleback::testing

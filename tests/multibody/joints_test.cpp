// Equations of joints: their derivatives, their number, and what is said where they do not fit.
#include <gtest/gtest.h>

#include "../../src/multibody/mechanism_model.hpp"
#include "mechanisms.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback::testing {
namespace {

Vector3 some(int i) { return {std::sin(1.0 + i), std::cos(2.0 * i), std::sin(3.0 * i + 0.5)}; }

/// Two bodies anywhere, with a joint that fits.
Mechanism pair_with(JointType type) {
  Mechanism m;
  for (int i = 0; i < 2; ++i) {
    Body body{.name = i == 0 ? "a" : "b", .mass = 1.0 + i};
    body.orientation = lie::SO3<double>::exp(some(i));
    body.position = some(i + 2);
    m.add(body);
  }
  Joint joint{.type = type, .bodies = {"a", "b"}, .axis = some(7)};
  const Body &a = m.bodies[0], &b = m.bodies[1];
  joint.points[0] = some(5);
  Vector3 meeting = a.position + a.orientation(joint.points[0]);
  if (type == JointType::distance) meeting += some(8);
  if (type == JointType::prismatic || type == JointType::cylindrical)
    meeting += 0.7 * a.orientation(joint.axis);
  if (type == JointType::planar) meeting += a.orientation(lie::cross<double>(joint.axis, some(9)));
  joint.points[1] = b.orientation.inverse()(Vector3(meeting - b.position));
  const Vector3 axis = b.orientation.inverse()(a.orientation(joint.axis));
  joint.axis2 = lie::cross<double>(axis, some(10));
  return m.add(joint);
}

class JointTypes : public ::testing::TestWithParam<JointTypeInfo> {};

TEST_P(JointTypes, hold_at_the_start_with_so_many_equations) {
  const MechanismModel model(pair_with(GetParam().type));
  EXPECT_EQ(model.joints.count(), GetParam().equations);
  JointRows<double> rows(model);
  rows_at(model, model.start.poses, rows);
  for (const double value : rows.value) EXPECT_LT(std::abs(value), 2e-15);
}

TEST_P(JointTypes, have_exact_derivatives) {
  using D = Dual<double, 1>;
  const MechanismModel model(pair_with(GetParam().type));
  // Anywhere near, where the equations do not hold.
  std::vector<Pose<double>> at = model.start.poses;
  for (std::size_t i = 0; i < 2; ++i) {
    at[i].r = at[i].r * lie::SO3<double>::exp(0.3 * some(static_cast<int>(i) + 20));
    at[i].x += 0.2 * some(static_cast<int>(i) + 30);
  }
  JointRows<double> rows(model);
  rows_at(model, at, rows);
  for (int k = 0; k < 12; ++k) {
    std::vector<Pose<D>> moved(2);
    for (std::size_t i = 0; i < 2; ++i) {
      const bool this_one = k / 6 == static_cast<int>(i);
      Vector<D, 3> turn = Vector<D, 3>::Constant(D(0));
      moved[i].r = {D(at[i].r.w), at[i].r.v.cast<D>()};
      moved[i].x = at[i].x.cast<D>();
      if (this_one && k % 6 < 3) turn[k % 6] = D::variable(0, 0);
      if (this_one && k % 6 >= 3) moved[i].x[k % 6 - 3].partials[0] = 1;
      moved[i].r = moved[i].r * lie::SO3<D>::exp(turn);
    }
    JointRows<D> slopes(model);
    rows_at(model, moved, slopes);
    for (std::size_t i = 0; i < slopes.value.size(); ++i)
      EXPECT_NEAR(slopes.value[i].partials[0], (k < 6 ? rows.first : rows.second)[i][k % 6], 4e-15)
          << GetParam().name << ", equation " << i << ", direction " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Joints, JointTypes, ::testing::ValuesIn(joint_types));

std::string said_of(const Mechanism& m) {
  try {
    (void)report_on(m);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Joints, say_by_how_much_they_do_not_fit) {
  Mechanism m = pair_with(JointType::revolute);
  m.joints[0].points[1][0] += 0.25;
  EXPECT_NE(said_of(m).find("revolute joint between 'a' and 'b': its two points are 0.25 apart"),
            std::string::npos)
      << said_of(m);
  m = pair_with(JointType::universal);
  m.joints[0].axis2 = {1, 2, 3};
  EXPECT_NE(said_of(m).find("must be perpendicular"), std::string::npos) << said_of(m);
  m = pair_with(JointType::prismatic);
  m.bodies[1].position += some(40);
  EXPECT_NE(said_of(m).find("off the line"), std::string::npos) << said_of(m);
  m = pair_with(JointType::planar);
  m.bodies[1].position += m.bodies[0].orientation(m.joints[0].axis);
  EXPECT_NE(said_of(m).find("off the plane"), std::string::npos) << said_of(m);
  m = pair_with(JointType::ball);
  m.joints[0].bodies[1] = "bb";
  EXPECT_NE(said_of(m).find("no body 'bb'"), std::string::npos) << said_of(m);
}

TEST(Joints, velocities_that_tear_them_apart_are_refused_or_projected) {
  Mechanism m = chain({0.3, 0.8, 0.1}, JointType::revolute);
  m.bodies[1].velocity = {1, 2, 3};
  EXPECT_THROW(require_consistent_velocities(m), ModelError);
  m = with_consistent_velocities(m);
  EXPECT_NO_THROW(require_consistent_velocities(m));
  EXPECT_GT(m.bodies[1].velocity.norm(), 0.1);
}

}  // namespace
}  // namespace rattleback::testing

// MJCF: what real files contain, in small: frames, shapes, defaults and joints.
#include <cmath>

#include "mjcf_models.hpp"

namespace rattleback::mjcf_cases {
namespace {

/// One body on a hinge, shaped by geoms.
Body shaped(const std::string& geoms, const std::string& compiler = "") {
  return mechanism_in(model(body("<joint/>" + geoms), compiler)).bodies[0];
}
/// The orientation of a body that hangs on nothing.
Matrix3 turned(const std::string& attributes, const std::string& compiler = "") {
  const Mechanism m = mechanism_in(model(body("<freejoint/>" + solid, attributes), compiler));
  return m.bodies[0].orientation.matrix();
}
double apart(const Matrix3& a, const Matrix3& b) { return (a - b).norm(); }

Matrix3 columns(const Vector3& x, const Vector3& y, const Vector3& z) {
  Matrix3 m;
  m.col(0) = x, m.col(1) = y, m.col(2) = z;
  return m;
}
const Vector3 ex(1, 0, 0), ey(0, 1, 0), ez(0, 0, 1);

TEST(Mjcf, angles_are_degrees_unless_said) {
  const Matrix3 quarter = columns(ey, -ex, ez);
  EXPECT_LT(apart(turned("euler='0 0 90'"), quarter), 1e-15);
  EXPECT_LT(apart(turned("euler='0 0 1.5707963267948966'", "<compiler angle='radian'/>"), quarter),
            1e-15);
  expect_said(model(body(solid), "<compiler angle='grad'/>"), "'angle' must be one of");
}

TEST(Mjcf, orientations_in_every_notation) {
  const Matrix3 quarter = columns(ey, -ex, ez);
  EXPECT_LT(apart(turned("quat='1 0 0 1'"), quarter), 1e-15);  // not of unit length
  EXPECT_LT(apart(turned("axisangle='0 0 3 90'"), quarter), 1e-15);
  EXPECT_LT(apart(turned("xyaxes='0 2 0 -1 1 0'"), quarter), 1e-15);
  EXPECT_LT(apart(turned("zaxis='1 0 0'"), columns(-ez, ey, ex)), 1e-15);
  EXPECT_LT(apart(turned("zaxis='0 0 -1'"), columns(ex, -ey, -ez)), 1e-15);
  // x then y of the turned axes; upper case: of the fixed ones.
  EXPECT_LT(apart(turned("euler='90 90 0'"), columns(ey, ez, ex)), 1e-15);
  EXPECT_LT(apart(turned("euler='90 90 0'", "<compiler eulerseq='XYZ'/>"), columns(-ez, ex, -ey)),
            1e-15);
  EXPECT_LT(apart(turned("euler='90 0 90'", "<compiler eulerseq='zyx'/>"), columns(ey, ez, ex)),
            1e-15);
  expect_said(model(body(solid, "quat='0 0 0 0'")), "'quat' is zero");
  expect_said(model(body(solid, "quat='1 0 0 0' euler='0 0 0'")), "by quat and by euler");
  expect_said(model(body(solid), "<compiler eulerseq='xy'/>"), "three of the letters");
}

TEST(Mjcf, defaults_are_nested_and_follow_childclass) {
  const std::string defaults =
      "<default><joint axis='1 0 0'/><default class='leg'><joint type='slide'/>"
      "<default class='foot'><joint axis='0 1 0' pos='0 0 7'/></default></default></default>";
  const Robot r = robot_in(model(body("<joint name='p'/>" + solid +
                                      body("<joint name='q'/>" + solid +
                                               body("<joint name='s' class='foot'/>" + solid, ""),
                                           "childclass='leg'")),
                                 defaults))
                      .robot;
  ASSERT_EQ(r.joints.size(), 3U);
  EXPECT_EQ(r.joints[0].type, CoordinateType::revolute);
  EXPECT_EQ(r.joints[0].axis, ex);
  EXPECT_EQ(r.joints[1].type, CoordinateType::prismatic);
  EXPECT_EQ(r.joints[1].axis, ex);
  EXPECT_EQ(r.joints[2].axis, ey);
  EXPECT_EQ(r.joints[2].origin.position, Vector3(0, 0, 7));
  expect_said(model(body("<joint class='fot'/>" + solid), defaults),
              "there is no default class 'fot'; did you mean 'foot'?");
}

TEST(Mjcf, inertias_from_shapes) {
  const double pi = M_PI;
  const Body ball = shaped("<geom size='0.1'/>");  // a sphere of density 1000
  EXPECT_NEAR(ball.mass, 1000 * 4 * pi / 3 * 1e-3, 1e-12);
  EXPECT_NEAR(ball.inertia(0, 0), 0.4 * ball.mass * 0.01, 1e-15);
  const Body box = shaped("<geom type='box' size='0.1 0.2 0.3' mass='6'/>");
  EXPECT_NEAR((box.inertia - diagonal(2 * 0.13, 2 * 0.10, 2 * 0.05)).norm(), 0, 1e-15);
  const Body egg = shaped("<geom type='ellipsoid' size='0.1 0.2 0.3' mass='5'/>");
  EXPECT_NEAR((egg.inertia - diagonal(0.13, 0.10, 0.05)).norm(), 0, 1e-15);
  const Body can = shaped("<geom type='cylinder' size='0.1 0.5' mass='12'/>");
  EXPECT_NEAR((can.inertia - diagonal(1.03, 1.03, 0.06)).norm(), 0, 1e-15);
  expect_said(model(body("<joint/><geom type='box' size='1 2'/>")),
              "'size' must have 3 numbers, not 2");
  expect_said(model(body("<joint/><geom type='boks' size='1'/>")), "did you mean 'box'");
  expect_said(model(body("<joint/><geom type='capsule' size='-1 1'/>")), "must be positive");
}

/// A capsule as many thin discs.
TEST(Mjcf, a_capsule_between_two_points_has_exact_caps) {
  const Body capsule = shaped("<geom type='capsule' fromto='0 1 0 0 2 0' size='0.2'/>");
  const double r = 0.2, l = 0.5;
  const int n = 200'000;
  double mass = 0, across = 0, along = 0;
  for (int i = 0; i < n; ++i) {
    const double z = -l - r + (i + 0.5) * 2 * (l + r) / n, over = std::max(0.0, std::abs(z) - l);
    const double square = r * r - over * over, disc = 1000 * M_PI * square * 2 * (l + r) / n;
    mass += disc, along += disc * square / 2, across += disc * (square / 4 + z * z);
  }
  EXPECT_NEAR(capsule.mass, mass, 1e-6 * mass);
  EXPECT_NEAR((capsule.position - Vector3(0, 1.5, 0)).norm(), 0, 1e-15);
  EXPECT_NEAR(capsule.inertia(1, 1), along, 1e-6 * along);
  EXPECT_NEAR(capsule.inertia(0, 0), across, 1e-6 * across);
  EXPECT_NEAR(capsule.inertia(2, 2), across, 1e-6 * across);
}

TEST(Mjcf, an_inertial_overrides_shapes_unless_the_compiler_says_so) {
  const std::string both = "<geom size='0.1' mass='3'/>" + solid;
  EXPECT_EQ(shaped(both).mass, 2);
  EXPECT_EQ(shaped(both, "<compiler inertiafromgeom='true'/>").mass, 3);
  const Body full = shaped("<inertial pos='0 0 0' mass='1' fullinertia='1 2 2.5 0.1 0.2 0.3'/>");
  EXPECT_EQ(full.inertia(0, 1), 0.1);
  EXPECT_EQ(full.inertia(0, 2), 0.2);
  EXPECT_EQ(full.inertia(1, 2), 0.3);
  const Body turned =
      shaped("<inertial pos='1 0 0' quat='1 0 0 1' mass='2' diaginertia='1 2 2.5'/>");
  EXPECT_NEAR((turned.inertia - diagonal(2, 1, 2.5)).norm(), 0, 4e-15);
}

TEST(Mjcf, meshes_are_not_read_where_the_inertia_needs_them) {
  expect_said(model(body("<joint/><geom type='mesh' mesh='shell'/>")),
              "the inertia of body 'a' comes from the mesh 'shell'");
  EXPECT_EQ(said_of(model(body("<joint/><geom type='mesh' mesh='shell'/>" + solid))), "no error");
  EXPECT_EQ(shaped("<geom type='mesh' mesh='shell' mass='0'/><geom size='1' mass='4'/>").mass, 4);
  // What is welded to the world needs no inertia, unless all masses are scaled.
  const std::string on_a_stand =
      body("<geom type='mesh' mesh='stand'/>" + body("<joint/>" + solid, "name='b'"));
  EXPECT_EQ(said_of(model(on_a_stand)), "no error");
  expect_said(model(on_a_stand, "<compiler settotalmass='3'/>"), "comes from the mesh 'stand'");
  expect_said(model(body("<joint/>" + solid + body("<geom type='mesh' mesh='pad'/>", "name='b'"))),
              "the inertia of body 'b' comes from the mesh 'pad'");
}

TEST(Mjcf, masses_are_bounded_and_scaled) {
  EXPECT_EQ(shaped(solid, "<compiler boundmass='5'/>").mass, 5);
  EXPECT_NEAR(
      (shaped(solid, "<compiler boundinertia='0.15'/>").inertia - diagonal(0.15, 0.2, 0.25)).norm(),
      0, 1e-15);
  const Body scaled = shaped(solid, "<compiler settotalmass='8'/>");
  EXPECT_EQ(scaled.mass, 8);
  EXPECT_NEAR((scaled.inertia - diagonal(0.4, 0.8, 1)).norm(), 0, 1e-15);
}

TEST(Mjcf, several_joints_on_one_body_move_one_after_the_other) {
  const std::string text =
      model(body("<joint name='x' type='slide' axis='1 0 0'/>" + solid +
                 body("<joint name='c'/>" + solid, "name='child'") +
                 "<joint name='z' type='slide'/><joint name='t' axis='0 1 0'/>"));
  const Mechanism m = mechanism_in(text, {.joints = {{"x", {1}}, {"z", {2}}, {"t", {M_PI / 2}}}});
  ASSERT_EQ(m.bodies.size(), 4U);  // two of them without mass
  EXPECT_EQ(m.links.size(), 3U);   // world, a, child
  const Body& a = body_of(m, "a");
  EXPECT_NEAR((a.position - Vector3(1, 0, 2)).norm(), 0, 1e-15);
  EXPECT_LT(apart(a.orientation.matrix(), columns(-ez, ey, ex)), 1e-15);
  for (const auto& c : m.coordinates)
    EXPECT_NEAR(value_of(c, m.bodies)[0],
                c.name == "x"   ? 1
                : c.name == "z" ? 2
                : c.name == "t" ? M_PI / 2
                                : 0,
                1e-15);
}

TEST(Mjcf, anchors_and_references) {
  const std::string hinge = "<joint name='j' axis='0 0 1' pos='1 0 0' ref='90'/>";
  const std::string text = model(body(hinge + solid, "name='a' pos='0 0 5'"));
  const Mechanism drawn = mechanism_in(text);
  EXPECT_NEAR((drawn.bodies[0].position - Vector3(0, 0, 5)).norm(), 0, 1e-15);
  EXPECT_NEAR(value_of(drawn.coordinates[0], drawn.bodies)[0], M_PI / 2, 1e-15);
  const Mechanism turned = mechanism_in(text, {.joints = {{"j", {0.0}}}});  // back by a quarter
  EXPECT_NEAR((turned.bodies[0].position - Vector3(1, 1, 5)).norm(), 0, 1e-15);
  const Mechanism slid =
      mechanism_in(model(body("<joint name='s' type='slide' axis='0 0 2' ref='3'/>" + solid)),
                   {.joints = {{"s", {4}}}});
  EXPECT_NEAR((slid.bodies[0].position - Vector3(0, 0, 1)).norm(), 0, 1e-15);
}

TEST(Mjcf, ball_free_and_joints_without_names) {
  const Mechanism m = mechanism_in(model("<body pos='1 2 3'><freejoint/>" + solid +
                                         body("<joint type='ball'/>" + solid) + "</body>"),
                                   {.joints = {{"a_joint", {0.5, 0.5, 0.5, 0.5}}}});
  ASSERT_EQ(m.coordinates.size(), 2U);
  EXPECT_EQ(m.coordinates[0].name, "body1_joint");
  const auto free = value_of(m.coordinates[0], m.bodies);
  EXPECT_EQ(free, (std::vector<double>{1, 2, 3, 1, 0, 0, 0}));
  EXPECT_NEAR(value_of(m.coordinates[1], m.bodies)[0], 0.5, 1e-15);
  expect_said(model(body(solid + body("<freejoint/>" + solid, ""))),
              "a free joint must be alone, in a body directly in the world");
}

}  // namespace
}  // namespace rattleback::mjcf_cases

// MJCF: what real files contain, in small.
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "robots.hpp"

namespace rattleback::mjcf_cases {
namespace {

const std::string solid = "<inertial pos='0 0 0' mass='2' diaginertia='0.1 0.2 0.25'/>";

std::string model(const std::string& world, const std::string& before = "",
                  const std::string& after = "") {
  return "<mujoco model='m'>" + before + "<worldbody>" + world + "</worldbody>" + after +
         "</mujoco>";
}
std::string body(const std::string& inside, const std::string& attributes = "name='a'") {
  return "<body " + attributes + ">" + inside + "</body>";
}
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

TEST(Mjcf, what_is_not_conservative_is_refused_unless_dropped) {
  const std::vector<std::pair<std::string, std::string>> all{{"damping", "damping"},
                                                             {"frictionloss", "friction"}};
  for (const auto& [attribute, word] : all) {
    const std::string text = model(body("<joint name='j' " + attribute + "='0.5'/>" + solid));
    expect_said(text, "joint 'j' has " + attribute + " 0.5");
    EXPECT_EQ(said_of(text, {.drop = {word}}), "no error");
  }
  const std::string in_class =
      model(body("<joint name='j'/>" + solid), "<default><joint damping='1'/></default>");
  expect_said(in_class, "joint 'j' has damping 1");
  EXPECT_EQ(said_of("<mujoco><option><flag passive='disable'/></option>" + in_class.substr(18)),
            "no error");
  const std::string limited = model(body("<joint name='j' range='-1 1'/>" + solid));
  expect_said(limited, "joint 'j' has limits -1 and 1");
  EXPECT_EQ(said_of(model(body("<joint limited='false' range='-1 1'/>" + solid))), "no error");
  const std::string by_constraints =
      "<joint range='-1 1' frictionloss='2'/><geom size='0.1'/>" + solid;
  const std::string no_constraints = "<option><flag constraint='disable'/></option>";
  EXPECT_EQ(
      said_of(model("<geom type='plane' size='1 1 1'/>" + body(by_constraints), no_constraints)),
      "no error");
  expect_said(model(body("<joint name='j' damping='1'/>" + solid), no_constraints), "has damping");
  const std::string motor = model(body("<joint name='j'/>" + solid), "",
                                  "<actuator><motor name='m' joint='j'/></actuator>");
  expect_said(motor, "there is an actuator 'm'");
  EXPECT_EQ(said_of(motor, {.drop = {"actuators"}}), "no error");
  expect_said(model(body("<joint/>" + solid, "name='a' gravcomp='1'")), "its weight carried");
}

TEST(Mjcf, springs_and_rotors_of_joints_are_kept_unless_dropped) {
  const std::string text = model(body(
      "<joint name='j' type='slide' stiffness='0.5' springref='0.2' armature='0.3'/>" + solid));
  const Mechanism m = mechanism_of(robot_in(text).robot, {.joints = {{"j", {0.1}}}});
  ASSERT_EQ(m.springs.size(), 1U);
  EXPECT_EQ(m.springs[0].stiffness, 0.5);
  EXPECT_NEAR(m.springs[0].rest, 0.2, 1e-15);
  EXPECT_EQ(m.joints[0].armature, 0.3);
  const Mechanism dropped = mechanism_of(robot_in(text, {.drop = {"stiffness", "armature"}}).robot);
  EXPECT_TRUE(dropped.springs.empty());
  EXPECT_EQ(dropped.joints[0].armature, 0);
  // Of a hinge the spring knows the angle since the start, and files have degrees.
  const std::string hinge = model(body("<joint name='j' stiffness='0.5' springref='90'/>" + solid));
  const Mechanism on_hinge = mechanism_of(robot_in(hinge).robot, {.joints = {{"j", {0.4}}}});
  EXPECT_NEAR(on_hinge.springs[0].rest, std::acos(-1.0) / 2 - 0.4, 1e-14);
  expect_said(model(body("<joint name='j' type='ball' stiffness='0.5'/>" + solid)),
              "joint 'j' has stiffness 0.5");
}

TEST(Mjcf, contacts_are_refused_where_shapes_may_touch) {
  const std::string ball = "<geom size='0.1'/>";
  const std::string arm = body("<joint/>" + ball + body("<joint/>" + ball, "name='b'"));
  EXPECT_EQ(said_of(model(arm)), "no error");  // neighbours do not touch
  expect_said(model("<geom type='plane' size='1 1 1'/>" + arm), "may touch");
  expect_said(model(arm + body("<joint/>" + ball, "name='c'")), "may touch");
  EXPECT_EQ(
      said_of(model(arm + body("<joint/><geom size='0.1' contype='0' conaffinity='0'/>", "")), {}),
      "no error");
  EXPECT_EQ(said_of(model("<geom type='plane' size='1 1 1'/>" + arm,
                          "<option><flag contact='disable'/></option>")),
            "no error");
  EXPECT_EQ(said_of(model("<geom type='plane' size='1 1 1'/>" + arm), {.drop = {"contacts"}}),
            "no error");
}

const std::string two =
    body("<joint name='p' axis='0 1 0'/>" + solid, "name='a' pos='0 0 1'") +
    body("<joint name='q' axis='0 1 0'/><site name='t' pos='0 0 1'/>" + solid, "name='b'") +
    "<site name='s' pos='0 0 1'/>";

TEST(Mjcf, loops_by_bodies_and_by_sites) {
  const auto with = [](const std::string& equality) {
    return mechanism_in(model(two, "", "<equality>" + equality + "</equality>"));
  };
  const Mechanism connected = with("<connect body1='a' body2='b' anchor='0 0 0.5'/>");
  ASSERT_EQ(connected.joints.size(), 3U);
  EXPECT_EQ(connected.joints[2].type, JointType::ball);
  EXPECT_NEAR((connected.joints[2].points[0] - Vector3(0, 0, 0.5)).norm(), 0, 1e-15);
  EXPECT_NEAR((connected.joints[2].points[1] - Vector3(0, 0, 1.5)).norm(), 0, 1e-15);
  EXPECT_EQ(with("<connect site1='s' site2='t'/>").joints[2].bodies[0], "world");
  EXPECT_EQ(with("<weld body1='a' body2='b'/>").joints[2].type, JointType::fixed);
  EXPECT_EQ(with("<weld body1='a' body2='b' active='false'/>").joints.size(), 2U);
  expect_said(model(two, "", "<equality><weld body1='a' body2='c'/></equality>"),
              "there is no body 'c'");
  expect_said(model(two, "", "<equality><connect site1='s' site2='u'/></equality>"),
              "there is no site 'u'");
  expect_said(model(two, "", "<equality><tendon tendon1='x'/></equality>"), "is not read");
}

TEST(Mjcf, a_gap_of_a_few_digits_is_closed_and_a_larger_one_where_wished) {
  const auto text = [](const std::string& place) {
    return model("<site name='s' pos='" + place + "'/>" +
                     body("<joint name='p' axis='0 1 0'/>" + solid +
                          body("<joint name='q' axis='0 1 0'/><site name='t' pos='1 0 0'/>" + solid,
                               "name='b' pos='0 0 1'")),
                 "", "<equality><connect site1='s' site2='t'/></equality>");
  };
  std::vector<std::string> notes;
  const Mechanism near = mechanism_of(robot_in(text("1.0001 0 1.0002")).robot, {}, &notes);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("loops closed"), std::string::npos);
  const auto gap = [](const Mechanism& m) {
    const Body& b = body_of(m, "b");
    return (b.position + b.orientation(m.joints[2].points[1]) - m.joints[2].points[0]).norm();
  };
  EXPECT_LT(gap(near), 1e-14);
  const Robot far = robot_in(text("1.2 0 0.9")).robot;
  EXPECT_GT(gap(mechanism_of(far)), 0.1);  // as it is: the run says how large it is
  EXPECT_LT(gap(mechanism_of(far, {.close_loops = true})), 1e-14);
  // Joints that are given stay; the other one alone cannot close it.
  EXPECT_THROW((void)mechanism_of(far, {.joints = {{"p", {0.05}}}, .close_loops = true}),
               ModelError);
  EXPECT_THROW((void)mechanism_of(robot_in(text("9 0 0")).robot, {.close_loops = true}),
               ModelError);
}

TEST(Mjcf, a_floating_base_stays_where_loops_on_it_close) {
  const Robot hand =
      robot_in(model("<body name='base' pos='0.3 0.2 1' euler='10 20 30'><freejoint name='free'/>" +
                         solid + "<site name='s' pos='1.2 0 0.9'/>" +
                         body("<joint name='p' axis='0 1 0'/>" + solid +
                              body("<joint name='q' axis='0 1 0'/>"
                                   "<site name='t' pos='1 0 0'/>" +
                                       solid,
                                   "name='b' pos='0 0 1'")) +
                         "</body>",
                     "", "<equality><connect site1='s' site2='t'/></equality>"))
          .robot;
  const Mechanism drawn = mechanism_of(hand), closed = mechanism_of(hand, {.close_loops = true});
  const Body &before = body_of(drawn, "base"), &after = body_of(closed, "base");
  EXPECT_LT((after.position - before.position).norm(), 4e-16);  // by noise of differences: 1e-11
  EXPECT_LT((after.orientation.v - before.orientation.v).norm(), 4e-16);
  EXPECT_GT((body_of(closed, "b").position - body_of(drawn, "b").position).norm(), 0.05);
}

TEST(Mjcf, joints_that_follow_others) {
  const std::string text =
      model(two, "", "<equality><joint joint1='p' joint2='q' polycoef='0 -1 0.5 0 0'/></equality>");
  const Robot r = robot_in(text).robot;
  ASSERT_EQ(r.relations.size(), 1U);
  EXPECT_EQ(r.relations[0].coefficients[1], -1);
  EXPECT_EQ(r.relations[0].coefficients[2], 0.5);
  EXPECT_TRUE(robot_in(text, {.enforce_mimic = false}).robot.relations.empty());
}

TEST(Mjcf, frames_move_what_they_hold) {
  const Mechanism m = mechanism_in(
      model("<frame pos='1 0 0' euler='0 0 90'><frame pos='1 0 0'>" +
            body("<joint axis='1 0 0'/>" + solid, "name='a' pos='1 0 0'") + "</frame></frame>"));
  EXPECT_NEAR((m.bodies[0].position - Vector3(1, 2, 0)).norm(), 0, 1e-15);
  EXPECT_NEAR((m.joints[0].axis - ey).norm(), 0, 1e-15);
}

TEST(Mjcf, what_is_ignored_with_a_note_and_what_is_refused) {
  const RobotFile file = robot_in(
      model(body("<joint/>" + solid) + body("", "name='hand' mocap='true'") + "<!-- \xc3\xa9 -->",
            "", "<tendon/><keyframe><key qpos='1'/></keyframe>"));
  expect_note(file, "<tendon> is ignored");
  expect_note(file, "<keyframe> is ignored");
  expect_note(file, "body 'hand' is moved by motion capture");
  for (const char* element : {"attach", "replicate", "composite", "flexcomp"})
    expect_said(model(std::string("<") + element + "/>"), "is not read");
  expect_said(model(""), "there is no <body>");
  expect_said(model(body("") + body("")), "there is more than one body 'a'");
  expect_said(model("<joint/>" + body(solid)), "the world has no joints");
}

class MjcfFiles : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_ / "parts"); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  std::string said(const std::string& name) {
    try {
      (void)read_robot(folder_ / name);
    } catch (const TextError& error) {
      const std::string what = error.what();
      return what.substr(0, what.find('\n'));
    }
    return "no error";
  }
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("rattleback_mjcf_" + std::to_string(getpid()));
};

TEST_F(MjcfFiles, includes_are_relative_and_point_into_their_file) {
  write("main.xml",
        "<mujoco><include file='parts/body.xml'/><worldbody><body name='b'>"
        "<include file='parts/joint.xml'/>" +
            solid + "</body></worldbody></mujoco>");
  write("parts/body.xml",
        "<mujoco><worldbody>" + body("<joint/>" + solid) + "</worldbody></mujoco>");
  write("parts/joint.xml", "<mujocoinclude>\n <joint name='j'/>\n</mujocoinclude>");
  const RobotFile file = read_robot(folder_ / "main.xml");
  EXPECT_EQ(file.robot.links.size(), 3U);
  EXPECT_EQ(file.files.size(), 2U);
  // What a run keeps is enough, wherever the files have gone.
  const std::string main = (folder_ / "main.xml").string();
  std::ifstream stream(main);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  std::filesystem::remove_all(folder_ / "parts");
  EXPECT_EQ(parse_robot(text, main, {}, file.files).robot.links.size(), 3U);
  EXPECT_NE(said("main.xml").find("main.xml:1:"), std::string::npos);
  EXPECT_NE(said("main.xml").find("there is no such file"), std::string::npos);
  write("parts.xml", "");
  std::filesystem::create_directories(folder_ / "parts");
  write("parts/body.xml", "<mujoco/>");
  write("parts/joint.xml", "<mujocoinclude>\n <joint axis='1 0'/>\n</mujocoinclude>");
  EXPECT_NE(said("main.xml").find("joint.xml:2:9: 'axis' must have 3 numbers"), std::string::npos);
}

TEST_F(MjcfFiles, includes_in_a_circle_are_refused) {
  write("a.xml", "<mujoco><include file='b.xml'/></mujoco>");
  write("b.xml", "<mujoco>\n<include file='a.xml'/></mujoco>");
  EXPECT_NE(said("a.xml").find("b.xml:2:10: "), std::string::npos) << said("a.xml");
  EXPECT_NE(said("a.xml").find("is included twice"), std::string::npos);
  write("c.xml", "<mujoco><include file='c.xml'/></mujoco>");
  EXPECT_NE(said("c.xml").find("is included twice"), std::string::npos);
  write("d.xml", "<mujoco><include file='$(touch x); y.xml'/></mujoco>");
  EXPECT_NE(said("d.xml").find("there is no such file"), std::string::npos);
}

}  // namespace
}  // namespace rattleback::mjcf_cases

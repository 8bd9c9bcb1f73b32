// URDF: what real files contain (each case is a line of a count over 268 of them), in small.
#include "robots.hpp"

namespace rattleback::urdf_cases {
namespace {

const std::string solid =
    "<inertial><mass value='2'/>"
    "<inertia ixx='0.1' iyy='0.2' izz='0.25' ixy='0' ixz='0' iyz='0'/></inertial>";

std::string link(const std::string& name, const std::string& inside = solid) {
  return "<link name='" + name + "'>" + inside + "</link>\n";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& inside = "") {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent +
         "'/><child link='" + child + "'/>" + inside + "</joint>\n";
}
std::string robot(const std::string& inside) { return "<robot name='r'>\n" + inside + "</robot>"; }
/// A base and one link, with something in the joint.
std::string one(const std::string& in_joint, const std::string& type = "continuous",
                const std::string& in_link = solid) {
  return robot(link("base", "") + link("a", in_link) + joint("j", type, "base", "a", in_joint));
}
std::string inertial(const std::string& mass, const std::string& inertia) {
  return "<inertial><mass value='" + mass + "'/><inertia " + inertia + "/></inertial>";
}
const std::string no_inertia = "ixx='0' iyy='0' izz='0' ixy='0' ixz='0' iyz='0'";

TEST(Urdf, a_link_without_inertial_is_a_frame_and_is_listed) {
  const Mechanism m = mechanism_in(robot(
      link("world", "") + link("a") + link("tool", "") + joint("j", "continuous", "world", "a") +
      joint("t", "fixed", "a", "tool", "<origin xyz='1 0 0'/>")));
  ASSERT_EQ(m.bodies.size(), 1U);
  EXPECT_EQ(m.bodies[0].mass, 2);
  ASSERT_EQ(m.links.size(), 3U);
  EXPECT_EQ(m.links[0].body, Mechanism::world);
  EXPECT_NEAR((frame_of(link_of(m, "tool"), m.bodies).position - Vector3(1, 0, 0)).norm(), 0,
              1e-15);
}

TEST(Urdf, explicit_zero_mass_and_placeholder_masses_are_welded) {
  const std::string tiny = inertial("1e-6", "ixx='1' iyy='1' izz='1' ixy='1' ixz='1' iyz='1'");
  const RobotFile file = robot_in(robot(
      link("base", inertial("0", no_inertia)) + link("a") + link("z", inertial("0", no_inertia)) +
      link("p", tiny) + joint("j", "continuous", "base", "a") + joint("k", "fixed", "a", "z") +
      joint("l", "fixed", "a", "p")));
  expect_note(file, "link 'p' has an inertia that no body has");
  const Mechanism m = mechanism_of(file.robot);
  ASSERT_EQ(m.bodies.size(), 1U);
  EXPECT_DOUBLE_EQ(m.bodies[0].mass, 2 + 1e-6);
}

TEST(Urdf, massless_inner_links_stay_bodies_without_mass) {
  const Mechanism m =
      mechanism_in(robot(link("base", "") + link("cross", "") +
                         link("a", "<inertial><origin xyz='0 0 -1'/>" + solid.substr(10)) +
                         joint("x", "continuous", "base", "cross", "<axis xyz='1 0 0'/>") +
                         joint("y", "continuous", "cross", "a", "<axis xyz='0 1 0'/>")));
  ASSERT_EQ(m.bodies.size(), 2U);
  EXPECT_EQ(body_of(m, "cross").mass, 0);
  EXPECT_EQ(body_of(m, "cross").inertia, Matrix3::Zero());
}

TEST(Urdf, a_massless_leaf_that_a_joint_moves_is_refused_by_the_name_of_the_joint) {
  const std::string text =
      robot(link("base", "") + link("a") + link("finger", "") +
            joint("j", "continuous", "base", "a") + joint("knuckle", "continuous", "a", "finger"));
  expect_said(text, "robot.xml:6: joint 'knuckle' moves nothing that has inertia");
}

TEST(Urdf, a_point_mass_is_taken_where_the_mass_stays_regular) {
  const std::string point = inertial("2", no_inertia);
  const std::string off = "<inertial><origin xyz='0 1 0'/>" + point.substr(10);
  EXPECT_EQ(said_of(one("", "continuous", off)), "no error");
  expect_said(one("", "continuous", point), "joint 'j' moves nothing that has inertia");
  EXPECT_EQ(said_of(one("", "prismatic", point)), "no error");
}

TEST(Urdf, mass_zero_with_an_inertia_has_no_effect_when_fixed) {
  const RobotFile file = robot_in(
      robot(link("base", inertial("0", "ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'")) +
            link("a") + joint("j", "continuous", "base", "a")));
  expect_note(file, "link 'base' has an inertia, but no mass");
  EXPECT_EQ(mechanism_of(file.robot).bodies.size(), 1U);
}

TEST(Urdf, odd_inertias_are_named) {
  const auto with = [](const std::string& entries) {
    return robot_in(one("", "continuous", inertial("1", entries)));
  };
  expect_note(with("ixx='1' iyy='1' izz='-1' ixy='0' ixz='0' iyz='0'"),
              "link 'a' has an inertia that is not positive");
  expect_note(with("ixx='1' iyy='1' izz='3' ixy='0' ixz='0' iyz='0'"),
              "link 'a' has an inertia that no body has");
  expect_note(with("ixx='1' iyy='1' izz='1'"), "link 'a' lacks entries of its inertia");
  EXPECT_EQ(with("ixx='1' iyy='1' izz='2' ixy='0' ixz='0' iyz='0'").notes.size(), 1U);  // gravity
}

TEST(Urdf, the_origin_of_an_inertial_turns_its_tensor) {
  const Mechanism m = mechanism_in(
      one("", "continuous",
          "<inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/>" + solid.substr(10)));
  EXPECT_NEAR((m.bodies[0].inertia - diagonal(0.2, 0.1, 0.25)).norm(), 0, 1e-15);
  EXPECT_NEAR((m.bodies[0].position - Vector3(1, 2, 3)).norm(), 0, 1e-15);
}

TEST(Urdf, what_joints_leave_out) {
  const Mechanism m = mechanism_in(one("<origin xyz='0 0 1'/>"));  // no rpy, no axis
  EXPECT_EQ(m.joints[0].axis, Vector3(1, 0, 0));
  EXPECT_EQ(m.joints[0].points[0], Vector3(0, 0, 1));
  EXPECT_EQ(mechanism_in(one("")).joints[0].points[0], Vector3(0, 0, 0));
}

TEST(Urdf, axes_are_of_any_length_but_zero) {
  const Mechanism m = mechanism_in(one("<axis xyz='1 0 0.5'/>"));
  EXPECT_NEAR((m.joints[0].axis - Vector3(1, 0, 0.5) / std::sqrt(1.25)).norm(), 0, 1e-15);
  expect_said(one("<axis xyz='0 0 0'/>"), "joint 'j' moves, and its axis has no direction");
  const std::string fixed = one("<axis xyz='0 0 0'/><limit lower='1' upper='2'/>", "fixed");
  EXPECT_EQ(robot_in(fixed).robot.joints.size(), 1U);
  expect_said(fixed, "nothing of 'r' moves");
}

TEST(Urdf, limits_are_refused_unless_dropped_and_never_of_continuous_joints) {
  const std::string limited = "<limit lower='-1' upper='1' effort='1' velocity='1'/>";
  expect_said(one(limited, "revolute"), "robot.xml:4:");
  expect_said(one(limited, "revolute"), "joint 'j' has limits -1 and 1");
  expect_said(one(limited, "revolute"), "drop = [\"limits\"]");
  EXPECT_EQ(said_of(one(limited, "revolute"), {.drop = {"limits"}}), "no error");
  EXPECT_EQ(said_of(one(limited, "continuous")), "no error");
  EXPECT_EQ(said_of(one("<limit lower='0' upper='0'/>", "continuous")), "no error");
  const RobotOptions all{.drop = {"all"}};
  expect_note(robot_in(one("<limit effort='1'/>", "revolute"), all), "locked by its limits");
  expect_note(robot_in(one("<limit lower='2' upper='1'/>", "revolute"), all),
              "lower limit 2 above");
  EXPECT_EQ(said_of(one("<limit lower='1' upper='2'/>", "revolute"), all),
            "no error");  // 0 outside
  expect_note(robot_in(one("", "revolute")), "has no <limit>");
}

TEST(Urdf, mimic_is_a_relation_or_ignored_as_wished) {
  const std::string text = robot(
      link("base", "") + link("a") + link("b") +
      joint("b", "continuous", "base", "b", "<mimic joint='a' multiplier='-2' offset='0.1'/>") +
      joint("a", "continuous", "base", "a"));
  const Robot r = robot_in(text).robot;
  ASSERT_EQ(r.relations.size(), 1U);
  EXPECT_EQ(r.relations[0].joint, 0);
  EXPECT_EQ(r.relations[0].other, 1);
  EXPECT_EQ(r.relations[0].coefficients[0], 0.1);
  EXPECT_EQ(r.relations[0].coefficients[1], -2);
  const RobotFile ignored = robot_in(text, {.enforce_mimic = false});
  EXPECT_TRUE(ignored.robot.relations.empty());
  expect_note(ignored, "joint 'b' does not mimic 'a', as wished");
  expect_said(one("<mimic joint='none'/>"), "there is no such joint");
  expect_said(one("<mimic joint='j'/>"), "cannot mimic");
}

TEST(Urdf, damping_and_friction_are_refused_unless_dropped_by_name) {
  const std::string both = one("<dynamics damping='0.5' friction='0.1'/>");
  expect_said(both, "joint 'j' has damping 0.5");
  expect_said(both, "(the file also has: friction)");
  expect_said(both, "to run without: --set drop=damping,friction, or drop = ");
  expect_said(both, "has friction 0.1", {.drop = {"damping"}});
  EXPECT_EQ(said_of(both, {.drop = {"damping", "friction"}}), "no error");
  expect_note(robot_in(both, {.drop = {"all"}}), "dropped: damping (1), friction (1)");
  EXPECT_EQ(said_of(one("<dynamics damping='0' friction='0.0'/>")), "no error");
  EXPECT_EQ(said_of(one("<safety_controller k_velocity='1'/><joint_properties damping='1'/>")),
            "no error");
  expect_said(both, "did you mean 'damping'", {.drop = {"dampng"}});
}

TEST(Urdf, spherical_joints_are_ball_joints_with_a_note) {
  const RobotFile file = robot_in(one("", "spherical"));
  expect_note(file, "spherical");
  EXPECT_EQ(mechanism_of(file.robot).joints[0].type, JointType::ball);
}

TEST(Urdf, what_some_programs_write_beyond_the_specification) {
  const RobotFile ball = robot_in(one("<dynamics damping='0 0.1 0'/>", "ball"), {.drop = {"all"}});
  expect_note(ball, "is of the type 'ball', which is not URDF");
  expect_note(ball, "dropped: damping (1)");
  EXPECT_EQ(mechanism_of(ball.robot).joints[0].type, JointType::ball);
  expect_said(one("", "screw"), "not 'screw'");
}

TEST(Urdf, a_robot_without_a_name_is_called_by_its_file) {
  EXPECT_EQ(parse_robot("<robot name=''>" + link("a") + "</robot>", "in/arm.urdf").robot.name,
            "arm");
  EXPECT_EQ(robot_in("<robot>" + link("a") + "</robot>").robot.name, "robot");
}

TEST(Urdf, floating_and_planar_joints) {
  const Mechanism free = mechanism_in(
      one("<origin xyz='0 0 1'/>", "floating"),
      {.joints = {{"j", {1, 2, 3, 1, 0, 0, 0}}}, .velocities = {{"j", {4, 5, 6, 0.1, 0.2, 0.3}}}});
  EXPECT_TRUE(free.joints.empty());
  EXPECT_NEAR((free.bodies[0].position - Vector3(1, 2, 4)).norm(), 0, 1e-15);
  EXPECT_EQ(free.bodies[0].velocity, Vector3(4, 5, 6));
  const Mechanism flat =
      mechanism_in(one("<axis xyz='0 0 1'/>", "planar"), {.joints = {{"j", {1, 2, 0.5}}}});
  EXPECT_EQ(flat.joints[0].type, JointType::planar);
  EXPECT_NEAR((flat.bodies[0].position - Vector3(1, 2, 0)).norm(), 0, 1e-15);
}

TEST(Urdf, joints_may_come_before_their_links_in_any_order) {
  const Mechanism m = mechanism_in(robot(joint("second", "continuous", "a", "b") +
                                         joint("first", "continuous", "base", "a") + link("b") +
                                         link("a") + link("base", "")));
  ASSERT_EQ(m.coordinates.size(), 2U);
  EXPECT_EQ(m.coordinates[0].name, "second");  // the order of the file
  EXPECT_EQ(m.links[0].name, "b");
}

TEST(Urdf, a_joint_and_a_link_may_share_their_name) {
  EXPECT_EQ(said_of(robot(link("base", "") + link("j") + joint("j", "continuous", "base", "j"))),
            "no error");
  expect_said(robot(link("a") + link("a")), "robot.xml:3:7: there is more than one link 'a'");
}

TEST(Urdf, only_direct_children_of_robot_are_read) {
  const RobotFile file =
      robot_in(robot("<transmission name='t'><joint name='ghost'/></transmission>\n"
                     "<gazebo><joint name='g'/></gazebo>\n<ros2_control><joint name='c'/>"
                     "</ros2_control><velocity/><sensor name='s'/>" +
                     link("base", "") + link("a") + joint("j", "continuous", "base", "a")));
  EXPECT_EQ(file.robot.joints.size(), 1U);
  expect_note(file, "ignored: <ros2_control>, <velocity>, <sensor>");
}

TEST(Urdf, links_that_are_not_there_and_two_roots) {
  expect_said(robot(link("base", "") + joint("j", "continuous", "base", "arm")),
              "joint 'j' has the child 'arm', and there is no such link");
  expect_said(robot(link("base") + joint("j", "fixed", "world", "base")),
              "there is no such link; <link name=\"world\"/> is one");
  expect_said(robot(link("base", "") + link("other")), "more than one root");
  expect_said(
      robot(link("a") + link("b") + joint("j", "fixed", "a", "b") + joint("k", "fixed", "b", "a")),
      "there is no root");
  expect_said(robot(""), "<robot> has no <link>");
}

TEST(Urdf, a_second_parent_closes_a_loop) {
  const std::string square = link("base", "") + link("a") + link("b") +
                             joint("j", "continuous", "base", "a", "<origin xyz='0 1 0'/>") +
                             joint("k", "continuous", "base", "b") +
                             joint("loop", "spherical", "a", "b", "<origin xyz='0 -1 0'/>");
  const RobotFile file = robot_in(robot(square));
  expect_note(file, "joint 'loop' closes a loop");
  ASSERT_EQ(mechanism_of(file.robot).joints.size(), 3U);
  EXPECT_EQ(mechanism_of(file.robot).joints[2].type, JointType::ball);
}

TEST(Urdf, namespaces_and_leftovers_of_xacro) {
  const std::string body = link("base", "") + link("a") + joint("j", "continuous", "base", "a");
  EXPECT_EQ(said_of("<robot name='r' xmlns='http://example.org' xmlns:xacro='x'>" + body +
                    "<!-- <xacro:arm/> ${pi} --></robot>"),
            "no error");
  expect_said(robot(body + "<xacro:arm/>"), "expand xacro first");
  expect_said(robot(body + link("c", "<xacro:heavy mass='2'/>")),
              "robot.xml:5:16: <xacro:heavy>: this is a xacro file; expand xacro first");
  expect_said(one("<origin xyz='0 0 ${height}'/>"), "'${height}', which is not a finite number");
  expect_said(one("<origin xyz='0 0 ${height}'/>"), "expand xacro first");
}

TEST(Urdf, meshes_are_not_needed) {
  EXPECT_EQ(said_of(one("", "continuous",
                        solid + "<visual><geometry><mesh filename='package://none/a.dae'/>"
                                "</geometry></visual>")),
            "no error");
}

TEST(Urdf, oddities_of_xml) {
  const std::string text = one("");
  expect_note(robot_in("\n\n<?xml version=\"1.0\"?>\n" + text),
              "blanks before the XML declaration");
  expect_note(robot_in(text + std::string("\n\0", 2)), "a NUL byte after the end");
  std::string windows;
  for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(said_of(windows), "no error");
  EXPECT_EQ(said_of("<robot\n\tname = \"r\">" + link("base", "") + link("a") +
                    "<joint\n name = 'j'\n type\t= 'continuous' ><parent link = 'base'/>"
                    "<child\n\nlink='a'/></joint></robot>"),
            "no error");
  expect_said("<robot name='r'><link name='a'></robot>", "robot.xml:1:");
  expect_said("<sdf/>", "robots begin with <robot> (URDF) or <mujoco> (MJCF)");
  expect_said("", "not XML: No document element found");
}

TEST(Urdf, numbers_are_strict_and_point_to_their_place) {
  expect_said(one("<origin xyz='0.07, 0, -0.69'/>"),
              "robot.xml:4:81: 'xyz' has '0.07,', which is not a finite number: numbers are "
              "separated by blanks, not by commas");
  for (const char* bad :
       {"-1.57.", "nan", "inf", "-inf", "1e999", "0x10", "1_0", "--1", "+-1", "1e"})
    expect_said(one(std::string("<origin xyz='0 0 ") + bad + "'/>"), "is not a finite number");
  expect_said(one("<origin xyz='0 0'/>"), "'xyz' must have 3 numbers, not 2");
  expect_said(one("<origin xyz='0 0 0 0'/>"), "'xyz' must have 3 numbers, not more");
  const Mechanism m =
      mechanism_in(one("<origin xyz='  .5  +5  -0.00000 ' rpy='1E-05 1e-400 5.'/>"));
  EXPECT_EQ(m.joints[0].points[0], Vector3(0.5, 5, 0));
}

TEST(Urdf, chains_of_fixed_joints_are_one_body) {
  const Mechanism m =
      mechanism_in(robot(link("world", "") + link("base") + link("a") + link("b") + link("c", "") +
                         joint("f", "fixed", "world", "base") +
                         joint("j", "continuous", "base", "a", "<axis xyz='0 0 1'/>") +
                         joint("g", "fixed", "a", "b", "<origin xyz='1 0 0'/>") +
                         joint("h", "fixed", "b", "c", "<origin xyz='1 0 0'/>")),
                   {.joints = {{"j", {M_PI / 2}}}});
  ASSERT_EQ(m.bodies.size(), 1U);
  EXPECT_EQ(m.bodies[0].mass, 4);
  EXPECT_NEAR((m.bodies[0].position - Vector3(0, 0.5, 0)).norm(), 0, 1e-15);
  // 2 (0.2, ...) + 4 (1/4) about y and z
  EXPECT_NEAR((m.bodies[0].inertia - diagonal(0.2, 1.4, 1.5)).norm(), 0, 1e-14);
  EXPECT_EQ(m.links.size(), 5U);
  EXPECT_NEAR((frame_of(link_of(m, "c"), m.bodies).position - Vector3(0, 2, 0)).norm(), 0, 4e-15);
}

TEST(Urdf, what_is_welded_turned_counts_turned) {
  const std::string turned = "<origin rpy='0 0 1.5707963267948966'/>";
  const Mechanism m = mechanism_in(robot(link("base", "") + link("a") + link("b") +
                                         joint("j", "continuous", "base", "a") +
                                         joint("g", "fixed", "a", "b", turned)));
  EXPECT_NEAR((m.bodies[0].inertia - diagonal(0.3, 0.3, 0.5)).norm(), 0, 4e-15);
}

TEST(Urdf, names_are_data) {
  const std::string odd = "&lt;a b='c'&gt; %s \xc3\xa9/../world";
  const std::string text = "<robot name=\"r\">" + link("base", "") + "<link name=\"" + odd + "\">" +
                           solid +
                           "</link><joint name=\"world\" type=\"floating\"><parent "
                           "link=\"base\"/><child link=\"" +
                           odd + "\"/></joint></robot>";
  const Mechanism m = mechanism_in(text);
  EXPECT_EQ(m.bodies[0].name, "<a b='c'> %s \xc3\xa9/../world");
  EXPECT_EQ(mechanism_in(
                robot(link("base", "") + link("world") + joint("j", "continuous", "base", "world")))
                .bodies[0]
                .name,
            "world'");
}

TEST(Urdf, files_that_are_something_else) {
  expect_said("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 18423\n",
              "robot.xml:1:1: this is not the file, but a pointer to it that Git LFS left");
  expect_said("no robot at all", "not XML");
  expect_said("<sdf version='1.6'/>", "robot.xml:1:1: the file begins with <sdf>");
  expect_said(robot(link("a") + link("b") + joint("j", "fixed", "a", "b")),
              "nothing of 'r' moves: all its joints are fixed");
  expect_said(robot(link("a")), "nothing of 'r' moves: it has no joints");
}

TEST(Urdf, deep_nesting_is_refused) {
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += "<a>";
  expect_said("<robot>" + deep, "robot.xml:1:");
  for (int i = 0; i < 200'000; ++i) deep += "</a>";
  expect_said("<robot>" + deep + "</robot>", "nested more than 500 deep");
}

}  // namespace
}  // namespace rattleback::urdf_cases

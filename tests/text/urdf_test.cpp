// URDF: what real files contain (each case is a line of a count over 268 of them), in small.
#include "urdf_parts.hpp"

namespace rattleback::urdf_cases {
namespace {

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

TEST(Urdf, a_robot_without_a_name_is_called_by_its_file) {
  EXPECT_EQ(parse_robot("<robot name=''>" + link("a") + "</robot>", "in/arm.urdf").robot.name,
            "arm");
  EXPECT_EQ(robot_in("<robot>" + link("a") + "</robot>").robot.name, "robot");
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

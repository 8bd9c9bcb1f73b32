// Joints of URDF files: what they leave out, what is refused, and what closes loops.
#include "urdf_parts.hpp"

namespace rattleback::urdf_cases {
namespace {

TEST(UrdfJoints, what_joints_leave_out) {
  const Mechanism m = mechanism_in(one("<origin xyz='0 0 1'/>"));  // no rpy, no axis
  EXPECT_EQ(m.joints[0].axis, Vector3(1, 0, 0));
  EXPECT_EQ(m.joints[0].points[0], Vector3(0, 0, 1));
  EXPECT_EQ(mechanism_in(one("")).joints[0].points[0], Vector3(0, 0, 0));
}

TEST(UrdfJoints, axes_are_of_any_length_but_zero) {
  const Mechanism m = mechanism_in(one("<axis xyz='1 0 0.5'/>"));
  EXPECT_NEAR((m.joints[0].axis - Vector3(1, 0, 0.5) / std::sqrt(1.25)).norm(), 0, 1e-15);
  expect_said(one("<axis xyz='0 0 0'/>"), "joint 'j' moves, and its axis has no direction");
  const std::string fixed = one("<axis xyz='0 0 0'/><limit lower='1' upper='2'/>", "fixed");
  EXPECT_EQ(robot_in(fixed).robot.joints.size(), 1U);
  expect_said(fixed, "nothing of 'r' moves");
}

TEST(UrdfJoints, limits_are_refused_unless_dropped_and_never_of_continuous_joints) {
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

TEST(UrdfJoints, mimic_is_a_relation_or_ignored_as_wished) {
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

TEST(UrdfJoints, damping_and_friction_are_refused_unless_dropped_by_name) {
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

TEST(UrdfJoints, spherical_joints_are_ball_joints_with_a_note) {
  const RobotFile file = robot_in(one("", "spherical"));
  expect_note(file, "spherical");
  EXPECT_EQ(mechanism_of(file.robot).joints[0].type, JointType::ball);
}

TEST(UrdfJoints, what_some_programs_write_beyond_the_specification) {
  const RobotFile ball = robot_in(one("<dynamics damping='0 0.1 0'/>", "ball"), {.drop = {"all"}});
  expect_note(ball, "is of the type 'ball', which is not URDF");
  expect_note(ball, "dropped: damping (1)");
  EXPECT_EQ(mechanism_of(ball.robot).joints[0].type, JointType::ball);
  expect_said(one("", "screw"), "not 'screw'");
}

TEST(UrdfJoints, floating_and_planar_joints) {
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

TEST(UrdfJoints, joints_may_come_before_their_links_in_any_order) {
  const Mechanism m = mechanism_in(robot(joint("second", "continuous", "a", "b") +
                                         joint("first", "continuous", "base", "a") + link("b") +
                                         link("a") + link("base", "")));
  ASSERT_EQ(m.coordinates.size(), 2U);
  EXPECT_EQ(m.coordinates[0].name, "second");  // the order of the file
  EXPECT_EQ(m.links[0].name, "b");
}

TEST(UrdfJoints, a_joint_and_a_link_may_share_their_name) {
  EXPECT_EQ(said_of(robot(link("base", "") + link("j") + joint("j", "continuous", "base", "j"))),
            "no error");
  expect_said(robot(link("a") + link("a")), "robot.xml:3:7: there is more than one link 'a'");
}

TEST(UrdfJoints, a_second_parent_closes_a_loop) {
  const std::string square = link("base", "") + link("a") + link("b") +
                             joint("j", "continuous", "base", "a", "<origin xyz='0 1 0'/>") +
                             joint("k", "continuous", "base", "b") +
                             joint("loop", "spherical", "a", "b", "<origin xyz='0 -1 0'/>");
  const RobotFile file = robot_in(robot(square));
  expect_note(file, "joint 'loop' closes a loop");
  ASSERT_EQ(mechanism_of(file.robot).joints.size(), 3U);
  EXPECT_EQ(mechanism_of(file.robot).joints[2].type, JointType::ball);
}

}  // namespace
}  // namespace rattleback::urdf_cases

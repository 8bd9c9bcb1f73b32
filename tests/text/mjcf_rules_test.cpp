// MJCF: what is refused or dropped, loops, couplings, and files that include others.
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "mjcf_models.hpp"

namespace rattleback::mjcf_cases {
namespace {

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
  EXPECT_NEAR((m.joints[0].axis - Vector3(0, 1, 0)).norm(), 0, 1e-15);
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

// Robots of URDF and MJCF files against robots.json: read by another reader, moved in joint
// coordinates. Here the files are read, loops closed, bodies made and moved, links placed.
#include <gtest/gtest.h>

#include "rattleback/multibody/robot.hpp"
#include "rattleback/study/load.hpp"
#include "reference/mechanism_records.hpp"

namespace rattleback::testing {
namespace {

using nlohmann::json;
using namespace reference;

const json& robots() {
  static const json data = read("robots.json");
  return data;
}

Matrix3 turn_of(const json& texts) {
  const auto q = vector<double>(texts);
  return lie::SO3<double>{q[0], {q[1], q[2], q[3]}}.matrix();
}

double far_apart(const RobotLink& link, const std::vector<Body>& bodies, const json& truth) {
  const Placement frame = frame_of(link, bodies);
  return std::max({(frame.position - three(truth["position"])).norm(),
                   (center_of(link, bodies) - three(truth["center_of_mass"])).norm(),
                   (frame.orientation.matrix() - turn_of(truth["orientation"])).norm()});
}

class Robots : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Robots, move_as_in_joint_coordinates) {
  constexpr long steps = 400;
  const json& record = robots()["records"][GetParam()];
  const ModelFile file =
      study::load(RATTLEBACK_SOURCE_DIR "/" + record["model"].get<std::string>());
  const Mechanism m = with_consistent_velocities(*file.mechanism);
  const double time = std::stod(robots()["about"]["time"].get<std::string>());
  const auto bodies = bodies_after(m, "rattlie:compose=yoshida8", time / steps, steps);
  ASSERT_EQ(m.links.size(), record["links"].size());
  for (std::size_t i = 0; i < m.links.size(); ++i) {
    EXPECT_EQ(m.links[i].name, record["links"][i]["name"]);
    // measured: 2e-13 to 8e-12
    EXPECT_LT(far_apart(m.links[i], bodies, record["links"][i]), 2e-11) << m.links[i].name;
  }
}

INSTANTIATE_TEST_SUITE_P(Read, Robots, ::testing::Range(std::size_t{0}, robots()["records"].size()),
                         [](const auto& i) {
                           return robots()["records"][i.param]["robot"].template get<std::string>();
                         });

}  // namespace
}  // namespace rattleback::testing

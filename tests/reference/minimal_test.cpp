// Mechanisms with every type of joint, closed loops among them, against minimal.json: their motion
// in joint coordinates, by equations and an integrator that share nothing with the library.
#include <gtest/gtest.h>

#include <cmath>

#include "reference/mechanism_records.hpp"

namespace rattleback::testing {
namespace {

using nlohmann::json;
using namespace reference;

const json& minimal() {
  static const json data = read("minimal.json");
  return data;
}

class Linkages : public ::testing::TestWithParam<std::size_t> {
 protected:
  double error(const std::string& method, long steps) const {
    const json& record = minimal()["records"][GetParam()];
    const std::string name = record["mechanism"];
    const Mechanism m = mechanism_of(name, minimal()["mechanisms"][name]);
    const double time = std::stod(minimal()["about"]["time"].get<std::string>());
    return far_apart(bodies_after(m, method, time / static_cast<double>(steps), steps),
                     record["bodies"]);
  }
};

TEST_P(Linkages, move_as_in_joint_coordinates) {
  for (const char* method : {"rattlie", "rigid-rattle"}) {
    const double coarse = error(method, 800), fine = error(method, 1600);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.01) << method << ": " << coarse << ", " << fine;
    EXPECT_LT(fine, 1.5e-4) << method;  // measured: 2.3e-8 to 7.2e-5
  }
  EXPECT_LT(error("rattlie:compose=yoshida8", 400), 2e-11);  // measured: 3.6e-14 to 8.1e-12
}

INSTANTIATE_TEST_SUITE_P(
    Minimal, Linkages, ::testing::Range(std::size_t{0}, minimal()["records"].size()),
    [](const auto& i) {
      return minimal()["records"][i.param]["mechanism"].template get<std::string>();
    });

TEST(Minimal, every_type_of_joint_is_there) {
  EXPECT_GE(minimal()["records"].size(), 20U);
  for (const JointTypeInfo& type : joint_types) {
    int count = 0;
    for (const json& m : minimal()["mechanisms"])
      for (const json& joint : m["joints"]) count += joint["type"] == type.name ? 1 : 0;
    EXPECT_GE(count, 1) << type.name;
  }
}

}  // namespace
}  // namespace rattleback::testing

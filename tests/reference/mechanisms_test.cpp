// Steps of bodies and joints against mechanisms.json: every method with both groups and
// retractions, from discrete Lagrangians by difference quotients at 60 digits.
#include <gtest/gtest.h>

#include "reference/mechanism_records.hpp"

namespace rattleback::testing {
namespace {

using nlohmann::json;
using namespace reference;

std::string method_of(const json& record) {
  const std::string family = record["method"];
  if (family == "rigid-rattle") return family;
  return family + ":group=" + record["group"].get<std::string>() +
         ",retraction=" + record["retraction"].get<std::string>();
}

TEST(MechanismReference, EveryMethodGroupAndRetraction) {
  const json data = read("mechanisms.json");
  double worst = 0;
  for (const json& record : data["records"]) {
    const std::string name = record["mechanism"], method = method_of(record);
    const Mechanism m = mechanism_of(name, data["mechanisms"][name]);
    const double error =
        far_apart(bodies_after(m, method, number<double>(data["about"]["step"]), record["steps"]),
                  record["bodies"]);
    EXPECT_LT(error, 2e-14) << name << " " << method;  // measured: 8.0e-15
    worst = std::max(worst, error);
  }
  RecordProperty("worst", std::to_string(worst * 1e15) + "e-15");
}

}  // namespace
}  // namespace rattleback::testing

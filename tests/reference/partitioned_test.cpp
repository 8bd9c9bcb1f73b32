// Every record of partitioned.json, in double, in quad precision, and in double from model files.
#include <gtest/gtest.h>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/testing/trial.hpp"
#include "rattleback/testing/witness_systems.hpp"
#include "rattleback/text/model.hpp"
#include "reference/records.hpp"

namespace rattleback::testing {
namespace {

using nlohmann::json;
using reference::state;

std::string partitioned_method(const json& record) {
  return reference::specification(record["method"], record["options"]);
}

/// The largest difference over all records of the four problems.
template <class S, class SystemOf>
double worst(double tolerance, SystemOf&& system_of) {
  double worst = 0;
  int count = 0;
  const json data = reference::read("partitioned.json");
  for (const json& record : data["records"]) {
    SCOPED_TRACE(record["problem"].get<std::string>() + ' ' + partitioned_method(record));
    const AnySystem system = system_of(record["problem"].get<std::string>());
    Trial<S, AnySystem, Method> trial(system, find_method(partitioned_method(record)),
                                      state<S>(record, "q0", "p0"));
    trial.run(reference::number<S>(record["step"]), record["steps"]);
    EXPECT_EQ(trial.failure(), "");
    const double error = distance(trial.shown(), state<Quad>(record, "q", "p"));
    EXPECT_LE(error, tolerance);
    worst = larger(worst, error), ++count;
  }
  EXPECT_EQ(count, 48);
  char text[64];
  std::snprintf(text, sizeof text, "%.2g", worst);
  ::testing::Test::RecordProperty("worst", text);
  return worst;
}

const AnySystem& witness(const std::string& name) { return witness_system(name).system; }
AnySystem from_text(const std::string& name) {
  return expression_system(
      read_model(RATTLEBACK_SOURCE_DIR "/examples/witness/" + name + ".toml").system);
}

// Measured: 1.1e-15, 1.3e-33 and 1.1e-15.
TEST(Partitioned, AgreesInDouble) { worst<double>(2.2e-15, witness); }
TEST(Partitioned, AgreesInQuad) { worst<Quad>(3e-33, witness); }
TEST(Partitioned, AgreesFromText) { worst<double>(2.2e-15, from_text); }

}  // namespace
}  // namespace rattleback::testing

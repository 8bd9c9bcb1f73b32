// Every record of trajectories.json that a registered method can run, in double and in quad
// precision, and in double with the same problem read from its model file.
#include <gtest/gtest.h>

#include <map>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/testing/solution.hpp"
#include "rattleback/testing/witness_systems.hpp"
#include "rattleback/text/model.hpp"
#include "reference/records.hpp"

namespace rattleback::testing {
namespace {

using nlohmann::json;
using reference::state;

const json& trajectories() {
  static const json data = reference::read("trajectories.json");
  return data;
}

/// The registry's name of a record's method.
std::string registered_method(const json& record) {
  static const std::map<std::string, std::string> renamed{
      {"index1-direct", "index1"},
      {"velocity-verlet", "baseline:kind=velocity-verlet"},
      {"naive-projection", "baseline:kind=projection"},
      {"rk4", "baseline:kind=rk4"}};
  std::string name = record["method"];
  if (const auto found = renamed.find(name); found != renamed.end()) name = found->second;
  if (name.starts_with("baseline")) return name;
  return reference::specification(name, record["options"]);
}

/// Largest difference from the record, relative to its largest coordinate or 1.
template <class S>
double difference(const State<S>& z, const json& record) {
  const auto truth = state<Quad>(record, "q", "p");
  const double size = std::max({1.0, largest_magnitude(truth.q), largest_magnitude(truth.p)});
  return distance(z, truth) / size;
}

/// The problem as examples/witness/NAME.toml has it.
const AnySystem& system_from_text(const std::string& name) {
  static std::map<std::string, AnySystem> known;
  auto found = known.find(name);
  if (found == known.end()) {
    const std::string path = std::string(RATTLEBACK_SOURCE_DIR) + "/examples/witness/" + name;
    found = known.emplace(name, expression_system(read_model(path + ".toml").system)).first;
  }
  return found->second;
}

/// Largest difference of the last step's multipliers from the record's: where these are told, so
/// must those be.
template <class S>
double difference(const Vector<S, dynamic>& lambda, const json& record) {
  const auto truth = reference::vector<Quad>(record["lambda"]);
  if (lambda.size() != truth.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (Eigen::Index i = 0; i < truth.size(); ++i)
    worst = larger(worst, magnitude(Quad(convert<Quad>(lambda[i]) - truth[i])));
  return worst;
}

struct Difference {
  double state = 0, lambda = 0;
};

template <class S>
Difference run(const json& record, const AnySystem& system) {
  auto z = state<S>(record, "q0", "p0");
  const auto h = reference::number<S>(record["step"]);
  if (record["method"] == "solution") {
    const auto status = solve_exactly<S>(system, z, S(h * record["steps"].get<int>()));
    EXPECT_TRUE(static_cast<bool>(status));
    return {difference(z, record)};
  }
  Trial<S, AnySystem, Method> trial(system, find_method(registered_method(record)), z);
  trial.run(h, record["steps"]);
  z = trial.shown();
  EXPECT_EQ(trial.failure(), "");
  return {difference(z, record),
          record.contains("lambda") ? difference(trial.multipliers(), record) : 0};
}

/// One test per problem and scalar.
class Trajectories : public ::testing::TestWithParam<std::string> {
 protected:
  template <class S>
  void compare(double tolerance, double lambda_tolerance, const AnySystem& system) {
    Difference worst;
    std::string where, lambda_where;
    for (const json& record : trajectories()["records"]) {
      if (record["problem"] != GetParam()) continue;
      SCOPED_TRACE(registered_method(record));
      // From a model file the Lagrangian is known where H is quadratic in the momenta.
      if (record["method"] == "variational" && !system.traits().lagrangian) continue;
      const Difference error = run<S>(record, system);
      EXPECT_LE(error.state, tolerance);
      EXPECT_LE(error.lambda, lambda_tolerance);
      if (!(error.state <= worst.state))
        worst.state = error.state, where = registered_method(record);
      if (!(error.lambda <= worst.lambda))
        worst.lambda = error.lambda, lambda_where = registered_method(record);
    }
    char text[64];
    std::snprintf(text, sizeof text, "%.2g ", worst.state);
    RecordProperty("worst", text + where);
    std::snprintf(text, sizeof text, "%.2g ", worst.lambda);
    RecordProperty("worst_lambda", text + lambda_where);
  }
};

// Measured: 6.8e-14 (SHAKE, midpoint, mixed_quartic), and 6.1e-30 (two_harmonic).
// Multipliers: 1.4e-13 (the same), and 4.0e-30 (mixed_quartic).
TEST_P(Trajectories, AgreeInDouble) {
  compare<double>(1.4e-13, 3e-13, witness_system(GetParam()).system);
}
TEST_P(Trajectories, AgreeInQuad) {
  compare<Quad>(1.3e-29, 8e-30, witness_system(GetParam()).system);
}
TEST_P(Trajectories, AgreeFromText) {
  compare<double>(1.4e-13, 3e-13, system_from_text(GetParam()));
}

std::vector<std::string> problem_names() {
  std::vector<std::string> names;
  for (const auto& [name, definition] : trajectories()["problems"].items()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Reference, Trajectories, ::testing::ValuesIn(problem_names()),
                         [](const auto& info) { return info.param; });

TEST(TrajectoriesFile, EveryConstrainedStepHasItsMultipliers) {
  for (const json& record : trajectories()["records"]) {
    const std::string method = record["method"];
    EXPECT_EQ(record.contains("lambda"),
              method == "shake" || method == "rattle" || method == "variational");
  }
}

TEST(TrajectoriesFile, EveryWitnessProblemHasItsRecords) {
  for (const WitnessSystem& w : witness_systems())
    EXPECT_TRUE(trajectories()["problems"].contains(w.name())) << w.name();
}

/// The starts of the library are those of the file, to the last digit.
TEST(TrajectoriesFile, StartsAreThoseOfTheWitnesses) {
  for (const json& record : trajectories()["records"]) {
    const WitnessSystem& w = witness_system(record["problem"]);
    EXPECT_EQ(distance(state<Quad>(record, "q0", "p0"), w.start), 0) << w.name();
  }
}

}  // namespace
}  // namespace rattleback::testing

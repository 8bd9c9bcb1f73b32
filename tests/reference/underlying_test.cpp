// Every record of underlying.json: the four underlying equations, on and off the manifold, under
// the classical Runge-Kutta method and Gauss collocation to round-off, and their exact flows by
// adaptive steps.
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

const json& underlying_records() {
  static const json data = reference::read("underlying.json");
  return data["records"];
}

AnySystem underlying_from_text(const std::string& name) {
  return expression_system(
      read_model(RATTLEBACK_SOURCE_DIR "/examples/witness/" + name + ".toml").system);
}

/// The largest difference of the states as they are carried, relative to the largest entry or 1.
template <class S>
double difference(const json& record, const std::string& options, const AnySystem& system) {
  const Method method = find_method(
      "underlying:formulation=" + record["formulation"].get<std::string>() + "," + options);
  Trial<S, AnySystem, Method> trial(system, method, state<S>(record, "q0", "p0"));
  trial.run(reference::number<S>(record["step"]), record["steps"]);
  EXPECT_EQ(trial.failure(), "");
  const auto truth = state<Quad>(record, "q", "p");
  const double size = std::max({1.0, largest_magnitude(truth.q), largest_magnitude(truth.p)});
  return distance(trial.state(), truth) / size;
}

class UnderlyingRecords : public ::testing::TestWithParam<std::string> {
 protected:
  template <class S>
  void compare(const std::string& method, const std::string& options, double tolerance) {
    double worst = 0;
    int count = 0;
    const AnySystem text = underlying_from_text(GetParam());
    const AnySystem& typed = witness_system(GetParam()).system;
    for (const json& record : underlying_records()) {
      if (record["problem"] != GetParam() || record["method"] != method) continue;
      SCOPED_TRACE(record["formulation"].get<std::string>() + ", " +
                   record["start"].get<std::string>());
      // In quad precision the decimals of model files are not those of the records.
      const bool total = record["formulation"] == "total", quad = !std::is_same_v<S, double>;
      if (quad && total && GetParam() != "planar_pendulum") continue;
      const double error = difference<S>(record, options, quad && !total ? typed : text);
      EXPECT_LE(error, tolerance);
      worst = larger(worst, error);
      ++count;
    }
    EXPECT_GE(count, 6) << "the formulations, on and off the manifold";
    char most[32];
    std::snprintf(most, sizeof most, "%.2g", worst);
    RecordProperty(method, most);
  }
};

TEST_P(UnderlyingRecords, AgreeInDouble) {
  compare<double>("rk4", "ode=rk4", 2e-14);
  compare<double>("gauss2", "ode=gauss2", 2e-14);
}
TEST_P(UnderlyingRecords, AgreeInQuad) { compare<Quad>("rk4", "ode=rk4", 1e-31); }
TEST_P(UnderlyingRecords, FlowsAgree) {
  compare<double>("flow", "ode=dop853,tolerance=1e-14", 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Reference, UnderlyingRecords,
                         ::testing::Values("planar_pendulum", "double_pendulum", "quartic",
                                           "magnetic"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace rattleback::testing

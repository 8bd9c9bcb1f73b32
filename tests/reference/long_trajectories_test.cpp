// A thousand steps of long.json: what is wrong by a little in every step has grown by then.
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

const json& records() {
  static const json data = reference::read("long.json");
  return data["records"];
}

/// Errors at the steps of the record.
struct Errors {
  std::vector<double> state, lambda;
};

template <class S>
Errors long_run(const json& record, const AnySystem& system) {
  const std::string method =
      std::string(record["method"]) + ":base=" + std::string(record["options"]["base"]);
  const State<S> start{reference::vector<S>(record["q0"]), reference::vector<S>(record["p0"])};
  Trial<S, AnySystem, Method> trial(system, find_method(method), start);
  Errors errors;
  int done = 0;
  for (const json& at : record["states"]) {
    trial.run(reference::number<S>(record["step"]), at["steps"].get<int>() - done);
    done = at["steps"];
    const State<Quad> truth{reference::vector<Quad>(at["q"]), reference::vector<Quad>(at["p"])};
    errors.state.push_back(distance(trial.shown(), truth));
    const auto lambda = trial.multipliers();
    const auto exact = reference::vector<Quad>(at["lambda"]);
    double worst = lambda.size() == exact.size() ? 0 : 1e300;
    for (Eigen::Index i = 0; i < lambda.size() && worst < 1e300; ++i)
      worst = larger(worst, magnitude(Quad(convert<Quad>(lambda[i]) - exact[i])));
    errors.lambda.push_back(worst);
  }
  EXPECT_EQ(trial.failure(), "");
  return errors;
}

std::string text(const std::vector<double>& values) {
  std::string out;
  char number[32];
  for (const double v : values) std::snprintf(number, sizeof number, "%.2g ", v), out += number;
  return out;
}

class LongTrajectories : public ::testing::TestWithParam<int> {
 protected:
  const json& record() const { return records()[GetParam()]; }
  std::string problem() const { return record()["problem"]; }

  /// States: round-off adds up along the motion, no faster than the steps. Multipliers: eps/h.
  void expect_growth(const Errors& errors, double state, double lambda) {
    for (std::size_t k = 0; k < errors.state.size(); ++k) {
      const double steps = record()["states"][k]["steps"];
      EXPECT_LE(errors.state[k], state * steps) << "step " << steps;
      EXPECT_LE(errors.lambda[k], lambda) << "step " << steps;
    }
    RecordProperty("state", text(errors.state));
    RecordProperty("lambda", text(errors.lambda));
  }
};

// Measured after 10, 100 and 1000 steps: states 1.0e-15, 2.4e-15, 7.0e-14, in
// quad 5.8e-34, 2.0e-33, 7.3e-32; multipliers 7.3e-14, in quad 3.8e-31 (double pendulum).
TEST_P(LongTrajectories, InDouble) {
  expect_growth(long_run<double>(record(), witness_system(problem()).system), 2e-16, 1.5e-13);
}

TEST_P(LongTrajectories, FromText) {
  const std::string path = RATTLEBACK_SOURCE_DIR "/examples/witness/" + problem() + ".toml";
  expect_growth(long_run<double>(record(), expression_system(read_model(path).system)), 2e-16,
                1.5e-13);
}

TEST_P(LongTrajectories, InQuad) {
  expect_growth(long_run<Quad>(record(), witness_system(problem()).system), 2e-34, 8e-31);
}

INSTANTIATE_TEST_SUITE_P(Reference, LongTrajectories,
                         ::testing::Range(0, static_cast<int>(records().size())),
                         [](const auto& info) {
                           const json& r = records()[info.param];
                           return std::string(r["problem"]) + "_" +
                                  std::string(r["options"]["base"]);
                         });

}  // namespace
}  // namespace rattleback::testing

// Gauss-Legendre methods against gauss.json: every formulation with 1, 2, 3 stages and the
// variants, on five problems, computed at 60 digits by other means.
#include <gtest/gtest.h>

#include "rattleback/testing/trial.hpp"
#include "rattleback/testing/witness_systems.hpp"
#include "reference/records.hpp"

namespace rattleback::testing {
namespace {

using nlohmann::json;
using reference::state;

std::string gauss_method(const json& record) {
  return reference::specification("gauss", record["options"]);
}

/// The largest difference from a record, of the index-3 form and of the others.
struct Differences {
  double index3 = 0, others = 0;
};

template <class S>
Differences differences() {
  static const json data = reference::read("gauss.json");
  Differences worst;
  for (const json& record : data["records"]) {
    SCOPED_TRACE(record["problem"].get<std::string>() + " " + gauss_method(record));
    const AnySystem& system = witness_system(record["problem"]).system;
    // The records have (6) on constraints with momenta, too, where it is not offered.
    const Method method = find_method(gauss_method(record));
    if (!method.info().applies(system.traits())) continue;
    Trial<S, AnySystem, Method> trial(system, method, state<S>(record, "q0", "p0"));
    trial.run(reference::number<S>(record["step"]), record["steps"]);
    EXPECT_EQ(trial.failure(), "");
    const double d = distance(trial.state(), state<Quad>(record, "q", "p"));
    double& own = record["options"]["formulation"] == "index3" ? worst.index3 : worst.others;
    own = larger(own, d);
  }
  return worst;
}

TEST(GaussReference, AgreesInDouble) {
  const Differences found = differences<double>();
  EXPECT_LE(found.others, 2e-15);  // measured: 9.4e-16
  EXPECT_LE(found.index3, 6e-13);  // momenta are known to eps |q|/h^2 only; measured: 2.7e-13
  RecordProperty("others", std::to_string(found.others * 1e15) + "e-15");
  RecordProperty("index3", std::to_string(found.index3 * 1e12) + "e-12");
}

TEST(GaussReference, AgreesInQuad) {
  const Differences found = differences<Quad>();
  EXPECT_LE(found.others, 3e-33);    // measured: 1.2e-33
  EXPECT_LE(found.index3, 1.3e-30);  // measured: 6.3e-31
  RecordProperty("others", std::to_string(found.others * 1e32) + "e-32");
  RecordProperty("index3", std::to_string(found.index3 * 1e30) + "e-30");
}

}  // namespace
}  // namespace rattleback::testing

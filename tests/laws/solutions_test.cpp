// The exact solutions that orders are measured against are those of the problems as they are now.
// RATTLEBACK_UPDATE_DOCS=1 writes the file anew.
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "laws/cases.hpp"
#include "rattleback/testing/trial.hpp"

namespace rattleback::testing::solutions_law {
namespace {

nlohmann::json digits(const Vector<Quad, dynamic>& x) {
  nlohmann::json list = nlohmann::json::array();
  for (const Quad& value : x) list.push_back(value.str(36));
  return list;
}

TEST(Solutions, AreThoseOfTheProblems) {
  if (std::getenv("RATTLEBACK_UPDATE_DOCS")) {
    nlohmann::json all;
    for (const Problem& problem : problems()) {
      const State<Quad> z = computed_solution(problem, kept_time);
      all[problem.name()] = {{"q", digits(z.q)}, {"p", digits(z.p)}};
    }
    std::ofstream(std::string(RATTLEBACK_SOURCE_DIR "/tests/reference/") + solutions_file)
        << all.dump(1) << '\n';
  }
  for (const Problem& problem : problems())
    EXPECT_LE(distance(exact_solution(problem, kept_time), computed_solution(problem, kept_time)),
              1e-32)
        << problem.name();
}

}  // namespace
}  // namespace rattleback::testing::solutions_law

// A run that fails at a singular point says so, with the constraint, in place of the step's guess.
#include "rattleback/study/diagnosis.hpp"

#include "models.hpp"
#include "rattleback/study/job.hpp"
#include "rattleback/study/verdict.hpp"

namespace rattleback::study {
namespace {

/// A particle that slides down into the cusp of x^2 = y^3, where dg = 0.
const std::string cusp =
    "[model]\ncoordinates = [\"x\", \"y\"]\nmass = [1, 1]\npotential = \"y\"\n"
    "constraints = [\"x^2 - y^3\"]\n[initial]\nq = [1, 1]\nv = [0, 0]\n";

TEST(Diagnosis, a_singular_point_is_the_cause_and_its_constraint_is_named) {
  const Problem problem = problem_of(cusp);
  const FinishedRun run =
      study::run(problem, make_plan(problem, {.method = "rattle", .step = 0.01, .steps = 1000}));
  ASSERT_FALSE(run.ok());
  EXPECT_GT(run.steps, 0);
  expect_words(run.failure.cause, "the smallest singular value of dg fell from ");
  expect_words(run.failure.cause, "Weakest there: constraint 'x^2 - y^3'");
  EXPECT_NE(run.failure.outcome, Outcome::ok);
  EXPECT_EQ(run.failure.step, 0.01);
  EXPECT_FALSE(run.failure.place.empty());
  const std::string text = run.failure.text();
  expect_words(text, "Likely cause: " + run.failure.cause + ". ");
  expect_words(text, run.failure.what);
  expect_words(text, run.failure.place);
}

TEST(Diagnosis, what_overflows_is_no_singular_point) {
  const auto model = [](const char* potential, const char* constraint, const char* q) {
    return std::string("[model]\ncoordinates = [\"x\", \"y\"]\nmass = [1, 1]\npotential = \"") +
           potential + "\"\nconstraints = [\"" + constraint + "\"]\n[initial]\nq = " + q + "\n";
  };
  // At once, and on the way to infinity in finite time.
  for (const std::string& text :
       {model("1e292*y", "x^2 + y^2 - 1", "[1, 0]"), model("-x^4", "y", "[1, 0]")}) {
    const Problem problem = problem_of(text);
    const FinishedRun run =
        study::run(problem, make_plan(problem, {.method = "rattle", .step = 0.01, .steps = 1000}));
    ASSERT_FALSE(run.ok());
    expect_words(run.failure.text(), "Likely cause: values overflow: |H_q| is ");
    EXPECT_EQ(run.failure.text().find("singular point"), std::string::npos);
  }
  Problem large = problem_of(model("y", "x^2 + y^2 - 1e292", "[1e146, 0]"));
  const Analysis a = analysis_of(large);
  EXPECT_TRUE(a.well_posed || a.verdict == "not decided: values overflow at the start")
      << a.verdict;
}

TEST(Diagnosis, where_nothing_was_lost_the_step_has_the_word) {
  const Problem problem = problem_of(pendulum());
  FinishedRun run = study::run(problem, make_plan(problem, {.step = 0.01, .steps = 10}));
  run.failure = {.what = "stopped here", .cause = "the step", .outcome = Outcome::no_convergence};
  EXPECT_EQ(lost_on_the_way(problem, run), "");
  explain_better(problem, run);
  EXPECT_EQ(run.failure.cause, "the step");
}

TEST(Diagnosis, a_model_without_a_motion_is_its_own_fault) {
  // Of the index 5 that no method takes; nobody asks before the first step.
  const Problem problem =
      prepare(load(RATTLEBACK_SOURCE_DIR "/tests/geometry/models/energy_constraint.toml"));
  FinishedRun failed;
  failed.failure = {.what = "the matrix is singular", .outcome = Outcome::rank_loss};
  const std::string fault = fault_of_model(problem, failed);
  expect_words(fault, "energy_constraint.toml: ");
  failed.steps = 1;  // it has moved: not the model's fault
  EXPECT_EQ(fault_of_model(problem, failed), "");
}

}  // namespace
}  // namespace rattleback::study

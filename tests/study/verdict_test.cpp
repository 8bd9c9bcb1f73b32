// What is asked before a run: well posed, consistent, and redundant constraints left out.
#include "rattleback/study/verdict.hpp"

#include "models.hpp"
#include "rattleback/integrators/registry.hpp"

namespace rattleback::study {
namespace {

TEST(Verdict, a_well_posed_model_is_taken_as_it_is) {
  Problem problem = problem_of(pendulum());
  require_well_posed(problem);
  EXPECT_EQ(problem.system.constraint_count(), 1);
  EXPECT_TRUE(problem.notes.empty());
  EXPECT_EQ(refusal(analysis_of(problem)), "");
}

TEST(Verdict, redundant_constraints_are_left_out_and_named) {
  std::string text = pendulum();
  text.replace(text.find("(x^2 + y^2 - 1)/2\""), 18, "(x^2 + y^2 - 1)/2\", \"x^2 + y^2 - 1\"");
  Problem problem = problem_of(text);
  require_well_posed(problem);
  EXPECT_EQ(problem.system.constraint_count(), 1);
  ASSERT_TRUE(problem.complete);
  EXPECT_EQ(problem.complete->constraint_count(), 2);
  ASSERT_EQ(problem.notes.size(), 1U);
  expect_words(problem.notes[0], "redundant");
  expect_words(problem.notes[0], "x^2 + y^2 - 1");
}

TEST(Verdict, an_inconsistent_start_is_refused_with_the_constraint_and_its_value) {
  Problem off = problem_of(pendulum({}, "q = [1.1, 0]\np = [0, -2]\n"));
  const std::string said = thrown<ModelError>([&] { require_well_posed(off); });
  expect_words(said, "test.toml: constraint '(x^2 + y^2 - 1)/2' is 0.105");
  expect_words(said, "project = true");
  Problem moving = problem_of(pendulum({}, "q = [1, 0]\np = [0.5, -2]\n"));
  expect_words(thrown<ModelError>([&] { require_well_posed(moving); }),
               "the hidden constraint {g, H} of '(x^2 + y^2 - 1)/2' is 0.5");
  Problem allowed =
      problem_of(pendulum({}, "q = [1.1, 0]\np = [0, -2]\nallow_inconsistent = true\n"));
  EXPECT_EQ(require_start(allowed).q[0], 1.1);
}

TEST(Verdict, a_projected_start_is_consistent) {
  Problem problem = problem_of(pendulum({}, "q = [1.1, 0]\np = [0.5, -2]\nproject = true\n"));
  require_well_posed(problem);
  EXPECT_NEAR(problem.start->q[0], 1, 1e-15);
  EXPECT_NEAR(problem.start->p[0], 0, 1e-15);
}

TEST(Verdict, an_ill_posed_model_is_refused_in_the_words_of_the_analysis) {
  const std::string text =
      "[model]\ncoordinates = [\"x\", \"y\"]\nmass = [1, 1]\npotential = \"y\"\n"
      "constraints = [\"x\", \"x - 1\"]\n[initial]\nq = [0, 0]\np = [0, 0]\n";
  Problem problem = problem_of(text);
  const Analysis a = analysis_of(problem);
  EXPECT_FALSE(a.well_posed);
  const std::string said = thrown<ModelError>([&] { require_well_posed(problem); });
  expect_words(said, a.verdict);
}

TEST(Verdict, where_H_has_no_closed_form_the_start_has_to_do) {
  const auto moving_at = [](const std::string& v) {
    return problem_of(
        "[model]\ncoordinates = [\"x\", \"y\"]\nlagrangian = \"(x_dot^2 + y_dot^2)/2 + (x_dot^4 + "
        "y_dot^4)/4 - y\"\nconstraints = [\"(x^2 + y^2 - 1)/2\"]\n[initial]\nq = [1, 0]\nv = " +
        v);
  };
  const Analysis along = analysis_of(moving_at("[0, -1]"));
  EXPECT_TRUE(along.well_posed && along.consistent_start);
  EXPECT_EQ(along.verdict, "well posed at the start");
  const Analysis off = analysis_of(moving_at("[0.5, -1]"));
  EXPECT_TRUE(off.well_posed);
  EXPECT_FALSE(off.consistent_start);
  EXPECT_DOUBLE_EQ(off.start_residual, 0.5);  // {g, H}
}

TEST(Verdict, constraints_that_are_not_coisotropic_are_refused) {
  Problem problem = problem_of(
      "[model]\ncoordinates = [\"x\", \"y\", \"z\"]\nhamiltonian = \"(p_x^2 + p_y^2 + p_z^2)/2 + "
      "(x^2 "
      "+ y^2 + z^2)/2\"\nconstraints = [\"x - p_y\", \"y\"]\n[initial]\nq = [0, 0, 1]\np = [0, 0, "
      "0.5]\n");
  expect_words(thrown<ModelError>([&] { require_well_posed(problem); }),
               "not coisotropic: {g_i, g_j} is 1");
}

TEST(Verdict, an_obstacle_says_what_a_method_needs) {
  const Problem problem = prepare(load(example("magnetic_torus")));
  EXPECT_EQ(obstacle_of_form(find_method("rattle:base=midpoint"), problem), "");
  expect_words(obstacle_of_form(find_method("baseline:kind=projection"), problem),
               "it needs a natural H");
}

}  // namespace
}  // namespace rattleback::study

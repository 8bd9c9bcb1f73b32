#include "rattleback/geometry/analysis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models.hpp"
#include "rattleback/expression/recorder.hpp"
#include "rattleback/geometry/brackets.hpp"
#include "rattleback/geometry/tidy.hpp"
#include "rattleback/problem/witness.hpp"

using namespace rattleback;

namespace {

struct Expected {
  std::string model, verdict;
  bool well_posed;
  int rank, index, hidden, first, second;
  bool coisotropic, nondegenerate;
};

// index -1: not determined, or there is no motion.
const Expected table[] = {
    {"pendulum", "well posed", true, 1, 3, 1, 0, 2, true, true},
    {"singular_lagrangian", "degenerate: index 5", false, 1, 5, 3, 0, 4, true, false},
    {"singular_lagrangian_curved", "well posed", true, 1, 3, 1, 0, 2, true, true},
    {"first_order_lagrangian", "well posed, but not coisotropic", true, 2, 2, 0, 0, 2, false, true},
    {"gauge", "not determined: 1 multiplier free", false, 1, -1, 0, 1, 0, true, false},
    {"mixed_class", "not determined: 1 multiplier free", false, 2, -1, 1, 1, 2, true, false},
    {"inconsistent", "inconsistent: no motion satisfies the constraints", false, 1, -1, 0, 0, 0,
     true, false},
    {"inconsistent_points", "inconsistent: no point satisfies the constraints", false, 0, -1, 0, 0,
     0, true, false},
    {"index5", "degenerate: index 5", false, 1, 5, 3, 0, 4, true, false},
    {"index4", "degenerate: index 4", false, 2, 4, 4, 0, 6, true, false},
    {"index5_sibling", "not determined: 1 multiplier free", false, 1, -1, 0, 1, 0, true, false},
    {"energy_constraint", "not determined: 1 multiplier free", false, 1, -1, 0, 1, 0, true, false},
    {"angular_momentum", "well posed", true, 3, 3, 3, 0, 6, true, true},
    {"commuting_harmonic", "well posed", true, 2, 3, 2, 0, 4, true, true},
    {"duplicate", "well posed, redundant constraints", true, 1, 3, 1, 0, 2, true, true},
    {"dependent_on_manifold", "well posed, redundant constraints", true, 2, 3, 2, 0, 4, true, true},
    {"parallelogram_flat", "singular start", false, 3, 3, 3, 0, 6, true, true},
    {"parallelogram_near", "well posed", true, 3, 3, 3, 0, 6, true, true},
    {"hopf_singular_start", "singular start", false, 1, 3, 1, 0, 2, true, true},
    {"rolling_disc", "nonholonomic", false, 2, -1, 1, 1, 2, true, false},
    {"square", "irregular constraint", false, 0, -1, 0, 0, 0, true, false},
    {"touching", "irregular constraint", false, 1, -1, 0, 0, 0, true, false},
    {"not_quadratic", "not supported", false, 0, -1, 0, 0, 0, false, false},
    {"rate_given_too", "well posed, but not coisotropic", true, 2, 2, 0, 0, 2, false, true},
};

class Verdict : public testing::TestWithParam<Expected> {};

TEST_P(Verdict, OfTheModel) {
  const Expected& e = GetParam();
  const Analysis a = models::read(e.model).analyse();
  SCOPED_TRACE(a.text());
  EXPECT_EQ(a.verdict, e.verdict);
  EXPECT_EQ(a.well_posed, e.well_posed);
  EXPECT_EQ(a.rank, e.rank);
  EXPECT_EQ(a.index, e.index);
  EXPECT_EQ(a.hidden_constraints, e.hidden);
  EXPECT_EQ(a.first_class, e.first);
  EXPECT_EQ(a.second_class, e.second);
  EXPECT_EQ(a.coisotropic, e.coisotropic);
  EXPECT_EQ(a.nondegenerate, e.nondegenerate);
  EXPECT_EQ(a.messages.empty(), e.well_posed && e.coisotropic && a.redundant.empty());
}

INSTANTIATE_TEST_SUITE_P(Models, Verdict, testing::ValuesIn(table),
                         [](const auto& info) { return info.param.model; });

/// The texts of the chain, without the primaries.
std::vector<std::string> hidden(const Analysis& a) {
  std::vector<std::string> texts;
  for (std::size_t i = a.chain.primaries; i < a.chain.constraints.size(); ++i)
    texts.push_back(a.chain.constraints[i].text);
  return texts;
}

bool mentions(const std::vector<std::string>& lines, const std::string& words) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.find(words) != std::string::npos;
  });
}

using Texts = std::vector<std::string>;

TEST(Analysis, ChainsReadAsOneWouldWriteThem) {
  EXPECT_EQ(hidden(models::read("pendulum").analyse()), Texts{"x*p_x + y*p_y"});
  EXPECT_EQ(hidden(models::read("index5").analyse()), (Texts{"q", "p_q", "p_r"}));
  EXPECT_EQ(hidden(models::read("singular_lagrangian").analyse()),
            (Texts{"x^2 + y^2 - 1", "x*p_x + y*p_y", "x^2*z - y + y^2*z + p_x^2 + p_y^2"}));
}

TEST(Analysis, RanksComeWithTheirGap) {
  const Analysis a = models::read("pendulum").analyse();
  EXPECT_EQ(a.chain.class_rank.rank, 2);
  EXPECT_GT(a.chain.class_rank.gap, 1e6);
  EXPECT_EQ(a.chain.class_rank.tolerance, DiracOptions{}.tolerance);
  EXPECT_EQ(a.nondegeneracy.negative, 1);
  EXPECT_NEAR(a.nondegeneracy.smallest, 1, 1e-12);  // |q|^2
}

TEST(Analysis, RedundantRowsKeepTheEarliestAndSayTheFactor) {
  const Analysis a = models::read("duplicate").analyse();
  EXPECT_EQ(a.redundant, (std::vector<int>{1, 2, 3}));
  EXPECT_TRUE(mentions(a.messages,
                       "constraint 3 ('3*(x^2 + y^2 - 1)') is redundant: its gradient "
                       "is 6 times that of constraint 1"));
  EXPECT_TRUE(mentions(a.messages, "with other factors elsewhere"));  // (2 + x) g
  EXPECT_EQ(models::read("dependent_on_manifold").analyse().redundant, std::vector<int>{2});
}

TEST(Analysis, BracketsThatVanishOnlyOnTheManifold) {
  const Analysis a = models::read("angular_momentum").analyse();
  EXPECT_LT(a.coisotropy.relative, 1e-12);
  // Off it {J_x, J_y} = J_z.
  Graph& graph = *a.form.system.graph;
  const auto& g = a.form.system.constraints;
  EXPECT_EQ(tidied(graph, graph.subtract(poisson_bracket(graph, 6, g[0], g[1]), g[2])),
            graph.constant(0));
}

TEST(Analysis, FlatParallelogramIsSingularAtTheStartOnly) {
  const Analysis flat = models::read("parallelogram_flat").analyse();
  EXPECT_TRUE(flat.singular_start);
  EXPECT_EQ(flat.chain.primary_rank.at_start, 2);
  EXPECT_EQ(flat.chain.primary_rank.rank, 3);
  EXPECT_TRUE(mentions(flat.messages, "at the start dg has rank 2, elsewhere 3"));
  // sigma_min(N) falls with the square of the angle.
  const auto smallest = [](const char* angle) {
    return models::read("parallelogram_near", {{"angle", angle}}).analyse().nondegeneracy.smallest;
  };
  EXPECT_NEAR(smallest("0.02") / smallest("0.01"), 4, 0.01);
}

TEST(Analysis, HopfNondegeneracyIsNotTheFormulaOfExample12) {
  // |N| = 4 (|q|^2 - |p|^2) = 1.12; the printed formula gives 1.44.
  const models::Model m = models::parse(R"([model]
coordinates = ["x", "y"]
mass = [1, 1]
potential = "0"
constraints = ["x^2 + y^2 + p_x^2 + p_y^2 - 1"]
[initial]
q = [0.8, 0]
p = [0, 0.6])");
  EXPECT_NEAR(m.analyse().nondegeneracy.smallest, 1.12, 1e-12);
}

TEST(Analysis, HintsNameTheMistake) {
  EXPECT_TRUE(mentions(models::read("energy_constraint").analyse().hints, "fixes the energy"));
  EXPECT_TRUE(mentions(models::read("index5_sibling").analyse().hints,
                       "does not involve the dynamics: {g, H} is 0 everywhere because H does not "
                       "contain p_r"));
  EXPECT_TRUE(mentions(models::read("commuting_harmonic").analyse().hints,
                       "constraint 1 ('(a^2 + p_a^2 + b^2 + p_b^2 - 1)/2') contains momenta"));
  EXPECT_TRUE(mentions(models::read("rate_given_too").analyse().hints,
                       "constraint 2 ('x*p_x + y*p_y') is the time derivative of constraint 1"));
}

TEST(Analysis, RollingIsSaidToBeNonholonomicWithItsNumber) {
  const Analysis disc = models::read("rolling_disc").analyse();
  EXPECT_FALSE(disc.velocities.integrable);
  EXPECT_GT(disc.velocities.defect, 0.1);
  EXPECT_TRUE(mentions(disc.messages, "not the rolling motion"));
  const Analysis straight = models::read("rolling_straight").analyse();
  EXPECT_TRUE(straight.velocities.applies);
  EXPECT_TRUE(straight.velocities.integrable);
  EXPECT_TRUE(mentions(straight.hints, "write the condition on positions"));
}

TEST(Analysis, NonholonomicBesideAPositionConstraintThatMakesItIntegrable) {
  // y_dot - z x_dot is nonholonomic; on z = 0 it is y = const.
  const std::string head = R"([model]
coordinates = ["x", "y", "z"]
mass = [1, 1, 1]
potential = "z^2"
constraints = ["y_dot - z*x_dot")";
  EXPECT_FALSE(models::parse(head + "]").analyse().velocities.integrable);
  EXPECT_TRUE(models::parse(head + ", \"z\"]").analyse().velocities.integrable);
}

TEST(Analysis, InconsistentStartNamesConstraintAndValue) {
  models::Model m = models::read("pendulum");
  m.start->p[0] = 0.25;
  const Analysis a = m.analyse();
  EXPECT_FALSE(a.consistent_start);
  EXPECT_TRUE(a.well_posed);
  EXPECT_DOUBLE_EQ(a.start_residual, 0.25);
  EXPECT_TRUE(mentions(a.messages, "the hidden constraint x*p_x + y*p_y = 0 of constraint 1"));
  EXPECT_TRUE(mentions(a.messages, "0.25"));
}

TEST(Analysis, UnitsDoNotChangeVerdicts) {
  // Lengths of 1e-9, masses of 1e-26, and of 1e6 and 1e12.
  for (const auto& [length, mass] : {std::pair{"1e-9", "1e-26"}, std::pair{"1e6", "1e12"}}) {
    const models::Model m = models::parse(std::string(R"([model]
coordinates = ["x", "y"]
parameters = { L = )") + length +
                                          ", m = " + mass + R"( }
mass = ["m"]
potential = "m*9.81*y"
constraints = ["x^2 + y^2 - L^2", "(x^2 + y^2 - L^2)/L"]
[initial]
q = ["L", 0]
p = [0, "m*L"])");
    const Analysis a = m.analyse();
    SCOPED_TRACE(a.text());
    EXPECT_EQ(a.verdict, "well posed, redundant constraints");
    EXPECT_EQ(a.second_class, 2);
    EXPECT_EQ(a.redundant, std::vector<int>{1});
  }
}

TEST(Analysis, WithoutConstraintsThereIsNothingToSay) {
  const Analysis a = models::parse(R"([model]
coordinates = ["x"]
mass = [1]
potential = "x^2/2")")
                         .analyse();
  EXPECT_TRUE(a.well_posed);
  EXPECT_EQ(a.index, 0);
  EXPECT_EQ(a.verdict, "well posed, without constraints");
}

TEST(Analysis, WitnessProblemsFromCpp) {
  witness::for_each([](const std::string& name, const auto& system, const auto& start) {
    SCOPED_TRACE(name);
    const auto z = start.template in<double>();
    const State<double> at{z.q, z.p};
    const Analysis a = analyse(record(system, name), &at);
    SCOPED_TRACE(a.text());
    EXPECT_EQ(a.verdict, "well posed");
    EXPECT_TRUE(a.consistent_start);
    EXPECT_EQ(a.index, 3);
    EXPECT_EQ(a.second_class, 2 * system.constraint_count());
    EXPECT_EQ(a.first_class, 0);
  });
}

TEST(Analysis, DegenerateProblemsFromCppAsFromText) {
  const auto verdict = [](const auto& system, const auto& start) {
    const auto z = start.template in<double>();
    const State<double> at{z.q, z.p};
    return analyse(record(system), &at);
  };
  const Analysis index5 = verdict(witness::index5(), witness::index5_start);
  EXPECT_EQ(index5.verdict, models::read("index5").analyse().verdict);
  EXPECT_EQ(index5.second_class, 4);
  EXPECT_FALSE(index5.consistent_start);  // that start knows of two constraints only
  EXPECT_EQ(verdict(witness::gauge(), witness::gauge_start).verdict,
            models::read("index5_sibling").analyse().verdict);
  const Analysis energy = verdict(witness::energy_constraint(), witness::energy_constraint_start);
  EXPECT_EQ(energy.verdict, models::read("energy_constraint").analyse().verdict);
  EXPECT_TRUE(mentions(energy.hints, "fixes the energy"));
}

TEST(Analysis, AThousandConstraints) {
  const models::Model m = models::read("chain", {{"N", "1000"}});
  const Analysis a = m.analyse();
  EXPECT_EQ(a.verdict, "well posed");
  EXPECT_EQ(a.second_class, 2000);
  EXPECT_EQ(a.nondegeneracy.negative, 1000);
  // N is -[1 -1; -1 2 -1; ...]: smallest eigenvalue 4 sin^2(pi/(4 m + 2)).
  const double exact = 4 * std::pow(std::sin(M_PI / (4 * 1000 + 2)), 2);
  EXPECT_NEAR(a.nondegeneracy.smallest / exact, 1, 0.01);
}

}  // namespace

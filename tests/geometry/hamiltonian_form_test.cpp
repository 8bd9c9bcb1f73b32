#include "rattleback/geometry/hamiltonian_form.hpp"

#include <gtest/gtest.h>

#include "models.hpp"
#include "rattleback/geometry/tidy.hpp"

using namespace rattleback;

namespace {

std::string text(const HamiltonianForm& form, Expression e) {
  return readable(*form.system.graph, e, [&](int k) { return form.system.input_name(k); });
}

TEST(HamiltonianForm, OfASingularLagrangianWithConstantRank) {
  const HamiltonianForm form = hamiltonian_form(models::read("singular_lagrangian").system);
  EXPECT_TRUE(form.singular);
  EXPECT_EQ(form.lagrangian_rank, 2);
  ASSERT_EQ(form.from_lagrangian, 1);
  EXPECT_EQ(text(form, form.system.constraints[0]), "p_z");
  EXPECT_EQ(text(form, tidied(*form.system.graph, form.system.hamiltonian)),
            "-0.5*x^2*z + y - 0.5*y^2*z + 0.5*z + 0.5*p_x^2 + 0.5*p_y^2");
}

TEST(HamiltonianForm, OfASingularLagrangianWhoseRowsDependOnQ) {
  const HamiltonianForm form = hamiltonian_form(models::read("singular_lagrangian_curved").system);
  EXPECT_EQ(form.lagrangian_rank, 1);
  EXPECT_EQ(text(form, form.system.constraints[0]), "-y*p_x + p_y");
}

TEST(HamiltonianForm, TheUsersConstraintsFollowThoseOfTheLagrangian) {
  const models::Model m = models::parse(R"([model]
coordinates = ["x", "y", "z"]
lagrangian = "(x_dot^2 + y_dot^2)/2 + x*z"
constraints = ["x - y"])");
  const HamiltonianForm form = hamiltonian_form(m.system);
  ASSERT_EQ(form.system.constraints.size(), 2u);
  EXPECT_EQ(text(form, form.system.constraints[0]), "p_z");
  EXPECT_EQ(form.system.constraint_labels, (std::vector<std::string>{"", "x - y"}));
}

TEST(HamiltonianForm, SaysWhyThereIsNone) {
  const HamiltonianForm form = hamiltonian_form(models::read("not_quadratic").system);
  EXPECT_NE(form.unsupported.find("singular (L_vv has rank 1 of 2)"), std::string::npos);
}

TEST(HamiltonianForm, RegularOnesAreLeftAlone) {
  const HamiltonianForm form = hamiltonian_form(models::read("pendulum").system);
  EXPECT_FALSE(form.singular);
  EXPECT_EQ(form.from_lagrangian, 0);
  EXPECT_TRUE(form.traits.natural);
}

}  // namespace

// What a description must have before it is a system.
#include "rattleback/expression/canonical.hpp"

#include <gtest/gtest.h>

#include "rattleback/problem/error.hpp"

namespace rattleback {
namespace {

std::string refusal(const SystemDescription& d) {
  try {
    (void)canonical(d);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(Canonical, incomplete_descriptions_are_refused) {
  using Form = SystemDescription::Form;
  SystemDescription d;
  d.name = "ball";
  d.coordinates = {"x", "y"};
  d.form = Form::hamiltonian;
  EXPECT_EQ(refusal(d), "hamiltonian: the description of 'ball' has none, but is of that form");
  d.form = Form::lagrangian;
  EXPECT_EQ(refusal(d), "lagrangian: the description of 'ball' has none, but is of that form");
  d.form = Form::natural;
  EXPECT_EQ(refusal(d), "potential: the description of 'ball' has none, but is of that form");
  d.potential = d.q(1);
  d.mass = {d.graph->constant(1)};
  EXPECT_EQ(refusal(d), "mass: has 1 entries; 2 coordinates have as many, or 4");
  d.mass.push_back(d.graph->constant(2));
  EXPECT_EQ(refusal(d), "none");
}

}  // namespace
}  // namespace rattleback

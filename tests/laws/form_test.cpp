// The symplectic form, from the exact Jacobian of three steps, on the tangent space that belongs to
// the claim; where nothing is claimed, a witness must show that nothing is kept.
#include "rattleback/testing/form.hpp"
#include "laws/cases.hpp"

namespace rattleback::testing {
namespace {

using Form = EveryMethod;
class TextForm : public EveryMethod {};
class CarriedForm : public EveryMethod {};
class PhaseSpaceForm : public EveryMethod {};

constexpr double round_off = 4e-14;  // measured: 1.9e-14 (SHAKE, exact base, two_harmonic)
constexpr double visible = 1e-6;     // measured: 5.9e-5 (rk4), others above 2e-4

void run(const Method& method, const std::vector<Problem>& problems) {
  const bool declared = method.info().symplectic_on != SymplecticOn::nothing;
  Worst worst;
  for (const Problem& problem : problems_for(method, problems)) {
    SCOPED_TRACE(problem.name());
    const auto result = check_form(problem.system, method, problem.start);
    EXPECT_TRUE(result.holds(declared ? round_off : 1)) << result;
    worst.add(result.defect, problem.name());
  }
  EXPECT_TRUE(declared || worst.value() > visible)
      << "not declared symplectic, but no witness shows it";
  record("form", worst);
}

TEST_P(Form, IsKeptWhereDeclared) { run(method(), problems()); }
TEST_P(TextForm, IsKeptWhereDeclared) { run(method(), text_problems()); }

/// Projected for output only: the map that is carried along is SHAKE's, presymplectic on g = 0.
TEST_P(CarriedForm, IsKept) {
  Worst worst;
  for (const Problem& problem : problems_for(method())) {
    SCOPED_TRACE(problem.name());
    const auto result = check_form(problem.system, method(), problem.start,
                                   SymplecticOn::primary_manifold, {.shown = false});
    EXPECT_TRUE(result.holds(round_off)) << result;
    worst.add(result.defect, problem.name());
  }
  record("form_carried", worst);
}

/// On all of phase space only what is declared there: a method that lands on g = 0 cannot.
TEST_P(PhaseSpaceForm, IsNotKept) {
  Worst worst;
  for (const Problem& problem : problems_for(method()))
    worst.add(check_form(problem.system, method(), problem.start, SymplecticOn::phase_space).defect,
              problem.name());
  EXPECT_GT(worst.value(), visible);
}

INSTANTIATE_TEST_SUITE_P(Registry, Form, ::testing::ValuesIn(all_methods()), method_name);
INSTANTIATE_TEST_SUITE_P(Text, TextForm, ::testing::ValuesIn(text_methods()), method_name);
INSTANTIATE_TEST_SUITE_P(Registry, CarriedForm,
                         ::testing::ValuesIn(methods_where([](const Method& m) {
                           return has(m, "project", "output");
                         })),
                         method_name);
INSTANTIATE_TEST_SUITE_P(Registry, PhaseSpaceForm,
                         ::testing::ValuesIn(methods_where([](const Method& m) {
                           return m.info().symplectic_on != SymplecticOn::phase_space;
                         })),
                         method_name);

}  // namespace
}  // namespace rattleback::testing

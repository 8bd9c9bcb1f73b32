// Time reversal: what is declared symmetric comes back to where it began; what is not, does not.
#include "rattleback/testing/reversal.hpp"
#include "laws/cases.hpp"

namespace rattleback::testing {
namespace {

using Reversal = EveryMethod;

constexpr double round_off = 2e-14;  // measured: 8.4e-15
constexpr double visible = 1e-9;     // far above round-off, below every unsymmetric method

TEST_P(Reversal, ComesBackExactlyWhenDeclared) {
  Worst worst;
  for (const Problem& problem : problems_for(method())) {
    SCOPED_TRACE(problem.name());
    const auto result = check_reversal(problem.system, method(), problem.start);
    EXPECT_TRUE(result.holds(info().symmetric ? round_off : 1)) << result;
    worst.add(result.defect, problem.name());
  }
  EXPECT_TRUE(info().symmetric || worst.value() > visible)
      << "not declared symmetric, but no witness shows it";
  record("reversal", worst);
}

/// euler-a and euler-b, left and right: each the adjoint of the other.
TEST_P(Reversal, AdjointComesBackExactly) {
  Method::Options options = method().options();
  bool paired = false;
  for (auto [a, b] : {std::pair("euler-a", "euler-b"), std::pair("left", "right")})
    for (auto& [option, value] : options)
      if (!paired && (value == a || value == b)) value = value == a ? b : a, paired = true;
  if (!paired || !info().preserves_hidden) GTEST_SKIP() << "no adjoint in the registry";
  std::string name = method().family();
  for (const auto& [option, value] : options)
    name += (name == method().family() ? ":" : ",") + option + "=" + value;
  const Method& adjoint = find_method(name);
  Worst worst;
  for (const Problem& problem : problems_for(method())) {
    SCOPED_TRACE(problem.name());
    const auto result = check_adjoint(problem.system, method(), adjoint, problem.start);
    EXPECT_TRUE(result.holds(round_off)) << result;
    worst.add(result.defect, problem.name());
  }
  record("adjoint", worst);
}

INSTANTIATE_TEST_SUITE_P(Registry, Reversal, ::testing::ValuesIn(all_methods()), method_name);

}  // namespace
}  // namespace rattleback::testing

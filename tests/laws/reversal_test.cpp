// Time reversal: what is declared symmetric comes back to where it began; what is not, does not.
#include "rattleback/testing/reversal.hpp"
#include "laws/cases.hpp"

namespace rattleback::testing::reversal_law {
namespace {

using Reversal = EveryMethod;
class TextReversal : public EveryMethod {};

constexpr double round_off = 2e-14;         // measured: 8.3e-15 (exact base, quartic)
constexpr double index3_round_off = 2e-12;  // measured: 9.8e-13 (gauss 3, four_bar)
/// Measured: of order 4 8.7e-7 (gauss 2, projected), above 1.4e-9 (gauss 3, projected), of others
/// 9.8e-5; of ordinary methods on the underlying equations at a large step 4.5e-6 (dop853).
double visible(const Method& method) { return testing::visible(method, 4e-7, 7e-10); }
double showing_step(const Method& method) {
  return method.family().name == "underlying" ? 0.25 : ReversalOptions{}.step;
}

void run(const Method& method, const std::vector<Problem>& problems) {
  const bool symmetric = method.info().symmetric;
  const ReversalOptions options{.step = symmetric ? ReversalOptions{}.step : showing_step(method)};
  Worst worst;
  for (const Problem& problem : problems_for(method, problems)) {
    SCOPED_TRACE(problem.name());
    const auto result = check_reversal(problem.system, method, problem.start, options);
    const double allowed = is_index3(method) ? index3_round_off : round_off;
    EXPECT_TRUE(result.holds(symmetric ? allowed : 1)) << result;
    worst.add(result.defect, problem.name());
  }
  EXPECT_TRUE(symmetric || worst.value() > visible(method))
      << "not declared symmetric, but no witness shows it";
  record("reversal", worst);
}

TEST_P(Reversal, ComesBackExactlyWhenDeclared) { run(method(), problems()); }
TEST_P(TextReversal, ComesBackExactlyWhenDeclared) { run(method(), text_problems()); }

class Adjoint : public EveryMethod {};

/// euler-a and euler-b, left and right, theta and 1 - theta, prk1 and prk1-adjoint: each the
/// adjoint of the other.
Method adjoint_of(const Method& method) {
  if (method.family().name == "prk1") return find_method("prk1-adjoint");
  if (method.family().name == "prk1-adjoint") return find_method("prk1");
  Values values = method.values();
  for (const auto& [option, value] : method.values())
    for (const auto& [a, b] : {std::pair<OptionValue, OptionValue>("euler-a", "euler-b"),
                               std::pair<OptionValue, OptionValue>("left", "right")}) {
      if (value == a) values.set(option, b);
      if (value == b) values.set(option, a);
    }
  if (values.has("theta")) values.set("theta", 1 - values.number("theta"));
  return {method.family(), values};
}

TEST_P(Adjoint, ComesBackExactly) {
  const Method adjoint = adjoint_of(method());
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
INSTANTIATE_TEST_SUITE_P(Text, TextReversal, ::testing::ValuesIn(text_methods()), method_name);
INSTANTIATE_TEST_SUITE_P(Registry, Adjoint, ::testing::ValuesIn(methods_where([](const Method& m) {
                           return m.info().preserves_hidden &&
                                  (m.family().name.starts_with("prk1") || has(m, "base", "theta") ||
                                   has(m, "base", "euler-a") || has(m, "base", "euler-b") ||
                                   has(m, "quadrature", "left") || has(m, "quadrature", "right"));
                         })),
                         method_name);

}  // namespace
}  // namespace rattleback::testing::reversal_law

// g = 0 and {g,H} = 0 over 200 steps, where declared at round-off, where not visibly violated.
#include "rattleback/testing/residuals.hpp"
#include "laws/cases.hpp"

namespace rattleback::testing::residuals_law {
namespace {

using Residuals = EveryMethod;
class TextResiduals : public EveryMethod {};

constexpr double round_off = 1.6e-13;  // measured: 7.5e-14 (index1_coupled), others below 3e-14
/// Measured: of order 4 8.3e-8 (gauss 3, index3), above 8.1e-9 (gauss 3, index2-momentum), of
/// others 4.4e-5.
double visible(const Method& method) { return testing::visible(method, 4e-8, 4e-9); }

void run(const Method& method, const std::vector<Problem>& problems) {
  const MethodInfo& info = method.info();
  Worst primary, hidden;
  for (const Problem& problem : problems_for(method, problems)) {
    SCOPED_TRACE(problem.name());
    // What is not to be used may blow up later (velocity Verlet on the quartic before t = 12), and
    // H + lambda.g is unstable off g = 0; what has a high order shows little at small steps. An
    // explicit method of order 8 is stable to half the step of the others: it gives up on the
    // double pendulum at 0.0625, where the rods turn fastest.
    const bool fine = !info.preserves_primary &&
                      (info.order <= 2 || is_index3(method) || method.family().name == "baseline");
    const double step = has(method, "formulation", "total")                      ? 0.01171875
                        : fine                                                   ? 0.015625
                        : info.preserves_primary && info.order > 6               ? 0.03125
                        : method.family().name == "underlying" && info.order > 4 ? 0.125
                                                                                 : 0.0625;
    const ResidualOptions options{.step = std::min(step, problem.regular_time / 200)};
    const auto result = check_residuals(problem.system, method, problem.start, options);
    EXPECT_EQ(result.failure, "") << result;
    EXPECT_TRUE(!info.preserves_primary || result.primary <= round_off) << result;
    EXPECT_TRUE(!info.preserves_hidden || result.hidden <= round_off) << result;
    primary.add(result.primary, problem.name());
    hidden.add(result.hidden, problem.name());
  }
  EXPECT_TRUE(info.preserves_primary || primary.value() > visible(method))
      << "no witness leaves g = 0";
  EXPECT_TRUE(info.preserves_hidden || hidden.value() > visible(method))
      << "no witness leaves {g,H} = 0";
  record("primary", primary);
  record("hidden", hidden);
}

TEST_P(Residuals, AreRoundOffWhereDeclared) { run(method(), problems()); }
TEST_P(TextResiduals, AreRoundOffWhereDeclared) { run(method(), text_problems()); }

INSTANTIATE_TEST_SUITE_P(Registry, Residuals, ::testing::ValuesIn(all_methods()), method_name);
INSTANTIATE_TEST_SUITE_P(Text, TextResiduals, ::testing::ValuesIn(text_methods()), method_name);

}  // namespace
}  // namespace rattleback::testing::residuals_law

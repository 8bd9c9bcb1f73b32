// SHAKE and RATTLE over the same base map are one map on fibres [McLachlan12 (11)]: the states of
// 1000 steps agree after projection, also when RATTLE is projected for output only.
#include "rattleback/testing/fibres.hpp"
#include "laws/cases.hpp"

namespace rattleback::testing::fibres_law {
namespace {

using Fibres = EveryMethod;

constexpr double tolerance = 1e-11;  // what is promised; measured: 8e-13 (quartic)

TEST_P(Fibres, ShakeIsRattle) {
  Worst worst;
  for (const Problem& problem : problems_for(method())) {
    SCOPED_TRACE(problem.name());
    // The same time for all, so that chaos does not blow up round-off: 8, or as far as it goes.
    const FibreOptions options{.step = std::min(0.0078125, problem.regular_time / 1000)};
    for (const char* project : {"every", "output"}) {
      const Family& family = *find_family("rattle");
      Values values = family.values(method().values());
      values.set("project", project);
      const Method rattle(family, values);
      const auto result =
          check_equal_on_fibres(problem.system, method(), rattle, problem.start, options);
      EXPECT_TRUE(result.holds(tolerance)) << project << ": " << result;
      worst.add(result.difference, problem.name());
    }
  }
  record("fibres", worst);
}

INSTANTIATE_TEST_SUITE_P(Registry, Fibres, ::testing::ValuesIn(methods_where([](const Method& m) {
                           return m.family().name == "shake";
                         })),
                         method_name);

}  // namespace
}  // namespace rattleback::testing::fibres_law

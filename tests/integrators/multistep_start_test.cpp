// How multistep methods begin.
#include <gtest/gtest.h>

#include "integrators/multistep_cases.hpp"
#include "rattleback/integrators/multistep.hpp"
#include "rattleback/problem/witness.hpp"

namespace rattleback::multistep_tests {
namespace {

/// The states of the first steps are starting values, and better than the method: h^(k + 2), on a
/// quadratic constraint one power more at least. Truth: the same in small steps.
TEST(Multistep, StartsMoreAccuratelyThanItSteps) {
  const auto error = [](const AnySystem& system, const State<Quad>& start, int order, int n) {
    const long fine = 16;
    auto z = start, truth = start;
    const Quad h = Quad(1) / n;
    EXPECT_TRUE(multistep(order).stepper<Quad>(system)->advance(system, z, h, order / 2).status);
    EXPECT_TRUE(multistep(8)
                    .stepper<Quad>(system)
                    ->advance(system, truth, h / fine, fine * order / 2)
                    .status);
    return static_cast<double>((z.q - truth.q).cwiseAbs().maxCoeff());
  };
  const State<Quad> on_sphere{vector({Quad(3) / 5, Quad(0), Quad(-4) / 5}),
                              vector({Quad(4) / 5, Quad(9) / 10, Quad(3) / 5})};
  const auto& quartic = witness_system("quartic");
  for (const int order : {4, 6}) {
    for (const auto& [system, start] :
         {std::pair(spherical(), on_sphere), std::pair(quartic.system, quartic.start)}) {
      const double slope =
          std::log2(error(system, start, order, 64) / error(system, start, order, 128));
      EXPECT_GT(slope, order + 1.7) << system.name() << ", " << order;
    }
  }
}

/// Where sweeps do not converge the start is composed, and the run goes on as it is.
TEST(Multistep, ComposesItsStartWhereSweepsDoNotConverge) {
  const auto system = natural_system(
      mass(1, 1), [](const auto& q) { return q[1]; },
      [](const auto& q) { return (q.squaredNorm() - 1) / 2; });
  for (const auto& [h, swept] :
       {std::pair(0.01, true), std::pair(0.1, true), std::pair(0.35, false)}) {
    State<double, 2> z{{1, 0}, {0, -2}};
    auto stepper = Multistep{8}.stepper<double>(system);
    ASSERT_TRUE(stepper.advance(system, z, h, 1).status) << h;
    EXPECT_EQ(stepper.start_sweeps() > 0, swept) << h << ": " << stepper.start_sweeps();
    EXPECT_NEAR(z.q.squaredNorm(), 1, 1e-14) << h;
    EXPECT_NEAR(system.energy(z.q, z.p), 2, h > 0.1 ? 0.02 : 1e-5) << h;  // 9e-3, 3.6e-6
  }
}

/// Rounding does not decide how it starts: neighbouring states start alike. The sweeps of one of
/// these stand still at four times round-off.
TEST(Multistep, StartsAlikeNearby) {
  const auto system = witness::quartic();
  for (int i = 0; i < 8; ++i) {
    auto z = witness::quartic_start.in<Quad>();
    (i < 4 ? z.q : z.p)[i % 2] += Quad(1e-10) * (i % 4 < 2 ? 1 : -1);
    auto stepper = Multistep{8}.stepper<Quad>(system);
    ASSERT_TRUE(stepper.advance(system, z, Quad(1) / 16, 1).status) << i;
    EXPECT_GT(stepper.start_sweeps(), 0) << i;
  }
}

}  // namespace
}  // namespace rattleback::multistep_tests

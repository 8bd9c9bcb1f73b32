// Identities of discretization maps: two ways to write each, and methods that they are.
#include <gtest/gtest.h>

#include "rattleback/integrators/registry.hpp"
#include "rattleback/testing/witness_systems.hpp"

namespace rattleback::testing {
namespace {

struct Path {
  State<double> end;
  bool ok;
};

Path run(const WitnessSystem& w, const std::string& method, double h, int steps) {
  State<double> z{w.start.q.cast<double>(), w.start.p.cast<double>()};
  const auto stepper = find_method(method).stepper<double>(w.system);
  const Advance done = stepper->advance(w.system, z, h, steps);
  return {z, static_cast<bool>(done.status) && static_cast<bool>(stepper->present(w.system, z))};
}

/// Of all coordinates, and of momenta unless only the fibre is claimed.
double apart(const WitnessSystem& w, const std::string& a, const std::string& b,
             bool positions = false, double h = 0.02, int steps = 20) {
  const Path x = run(w, a, h, steps), y = run(w, b, h, steps);
  EXPECT_TRUE(x.ok && y.ok) << w.name() << ": " << a << ", " << b;
  const double q = (x.end.q - y.end.q).cwiseAbs().maxCoeff();
  return positions ? q : std::max(q, (x.end.p - y.end.p).cwiseAbs().maxCoeff());
}

std::vector<WitnessSystem> with_lagrangians() {
  std::vector<WitnessSystem> list;
  for (const WitnessSystem& w : witness_systems())
    if (w.system.traits().lagrangian && w.system.traits().holonomic) list.push_back(w);
  return list;
}

TEST(DiscretizationMaps, null_space_and_multipliers_are_one_map) {
  ASSERT_GT(with_lagrangians().size(), 5U);
  for (const WitnessSystem& w : with_lagrangians())
    for (const std::string map : {"midpoint", "euler-a", "euler-b", "theta,theta=0.25"})
      EXPECT_LT(apart(w, "dmap:map=" + map, "dmap:map=" + map + ",form=nullspace"), 2e-12)
          << w.name() << ", " << map;
}

TEST(DiscretizationMaps, extrinsic_and_intrinsic_compositions_are_one_map) {  // errata E1
  for (const WitnessSystem& w : with_lagrangians())
    for (const std::string map : {"euler-a", "theta,theta=0.25"})
      EXPECT_LT(apart(w, "dmap:map=" + map + ",composition=extrinsic",
                      "dmap:map=" + map + ",composition=intrinsic"),
                2e-12)
          << w.name() << ", " << map;
}

TEST(DiscretizationMaps, without_multipliers_they_are_what_they_are_known_as) {
  for (const WitnessSystem& w : with_lagrangians()) {
    EXPECT_LT(apart(w, "dmap:map=euler-b,form=nullspace", "shake:base=euler-b", true), 2e-12)
        << w.name();
    EXPECT_LT(apart(w, "dmap:map=midpoint,form=nullspace", "variational:quadrature=midpoint"),
              2e-12)
        << w.name();
    EXPECT_LT(apart(w, "dmap:map=euler-a,form=nullspace", "prk1"), 2e-12) << w.name();
  }
}

/// The midpoint map is RATTLE where the force is constant; the composition of A and B never is, but
/// differs by h^3 a step (errata E2, pitfall 4).
TEST(DiscretizationMaps, rattle_is_recovered_where_it_is) {
  const WitnessSystem* pendulum = nullptr;
  for (const WitnessSystem& w : witness_systems())
    if (w.name() == "planar_pendulum") pendulum = &w;
  ASSERT_NE(pendulum, nullptr);
  EXPECT_LT(apart(*pendulum, "dmap:map=midpoint,form=nullspace", "rattle"), 1e-13);
  const std::string composed = "dmap:map=euler-a,composition=extrinsic";
  const double coarse = apart(*pendulum, composed, "rattle", false, 0.02, 1),
               fine = apart(*pendulum, composed, "rattle", false, 0.01, 1);
  EXPECT_GT(coarse, 1e-8);
  EXPECT_NEAR(std::log2(coarse / fine), 3, 0.3) << coarse << ", " << fine;
}

}  // namespace
}  // namespace rattleback::testing

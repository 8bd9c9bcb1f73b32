// Composed methods: their first guesses, fibres and refusals. Coefficients and orders of every
// scheme are in composition_order_test.cpp; form, reversal and constraints are held by the law
// suite.
#include "rattleback/integrators/composition.hpp"

#include <gtest/gtest.h>

#include "rattleback/integrators/registry.hpp"
#include "rattleback/problem/linked_system.hpp"
#include "rattleback/problem/witness.hpp"
#include "rattleback/testing/fibres.hpp"
#include "rattleback/testing/witness_systems.hpp"

namespace rattleback {
namespace {

TEST(Composition, OfTypesIsThatOfTheRegistry) {
  const auto system = witness::double_pendulum();
  const AnySystem any("double_pendulum", system);
  const auto method = compose(Rattle<>{}, Composition::suzuki4);
  const Method registered = find_method("rattle:compose=suzuki4");
  EXPECT_EQ(method.info().name, registered.info().name);
  EXPECT_EQ(method.info().order, registered.info().order);
  EXPECT_EQ(method.info().cite, registered.info().cite);
  auto typed = method.stepper<double>(system);
  auto erased = registered.stepper<double>(any);
  auto y = witness::double_pendulum_start.in<double>();
  State<double> z{y.q, y.p};
  for (int k = 0; k < 10; ++k) {
    ASSERT_TRUE(typed.step(system, y, 0.01));
    ASSERT_TRUE(erased->step(any, z, 0.01));
  }
  EXPECT_LE(largest_magnitude(z.q - y.q), 1e-15);  // measured: 3.3e-16
  EXPECT_LE(largest_magnitude(z.p - y.p), 2e-15);  // measured: 5.6e-16
}

/// A stepper that does not know which substep it takes.
template <class Inner>
struct Forgetful {
  Inner inner;
  template <class Sys, class State, class H>
  Status step(const Sys& system, State& z, const H& h) {
    return inner.step(system, z, h);
  }
  void reset() { inner.reset(); }
  template <class Sys, class State>
  Status present(const Sys& system, State& z) {
    return inner.present(system, z);
  }
};

template <class Stepper, class Sys, class State>
double mean_iterations(Stepper stepper, const Sys& system, State z, double h) {
  const Advance done = advance(stepper, system, z, h, 200);
  EXPECT_EQ(done.steps, 200);
  return static_cast<double>(done.newton) / 200;
}

/// Of the whole step: with a history for each substep, and with one for all.
template <class M, class Sys, class State>
std::pair<double, double> iterations(const M& fibre, const Sys& system, const State& z) {
  constexpr auto scheme = Composition::triple_jump4;
  auto own = fibre.template stepper<double>(system);
  auto shared = fibre.template stepper<double>(system);
  using Inner = decltype(own);
  return {mean_iterations(ComposedStepper<Sys, double, Inner>(system, std::move(own), scheme, true),
                          system, z, 0.01),
          mean_iterations(ComposedStepper<Sys, double, Forgetful<Inner>>(
                              system, Forgetful<Inner>{std::move(shared)}, scheme, true),
                          system, z, 0.01)};
}

TEST(Composition, EverySubstepHasItsOwnFirstGuess) {
  const Rattle<> verlet{.project = Projection::output};
  const auto small =
      iterations(verlet, witness::double_pendulum(), witness::double_pendulum_start.in<double>());
  // Measured: 3.03 against 7.92.
  EXPECT_LT(small.first, 0.5 * small.second) << small.first << " against " << small.second;
  const int links = 30;
  const auto chain = chain_system<2>(links, [](const auto& x) { return x[1]; });
  const auto many = iterations(verlet, chain, witness::chain_start<double, 2>(links));
  // Measured: 13.8 against 20.9.
  EXPECT_LT(many.first, 0.75 * many.second) << many.first << " against " << many.second;
  const Rattle<BaseMap::midpoint> midpoint{.project = Projection::output};
  const auto general =
      iterations(midpoint, witness::hopf_gravity(), witness::hopf_gravity_start.in<double>());
  // Measured: 3.2 against 14.9.
  EXPECT_LT(general.first, 0.3 * general.second) << general.first << " against " << general.second;
}

TEST(Composition, TrajectoryIsTheSameWhereverMomentaAreProjected) {
  for (const auto& witness : testing::witness_systems())
    for (const char* name : {"rattle:compose=triplejump4", "rattle:base=midpoint,compose=suzuki4",
                             "variational:compose=triplejump4"}) {
      const Method every = find_method(name);
      if (!every.info().applies(witness.system.traits())) continue;
      const auto result =
          testing::check_equal_on_fibres(witness.system, every.with("project", "output"), every,
                                         witness.start, {.step = 0.001, .steps = 200});
      // Measured: at most 1.6e-14 (mixed_quartic).
      EXPECT_TRUE(result.holds(5e-14)) << name << " on " << witness.name() << ": " << result;
    }
}

/// p+ = p - G^T lambda in every substep, so that the sum is h times the multiplier of the motion.
TEST(Composition, MultipliersAreThoseOfTheWholeStep) {
  const AnySystem system("planar_pendulum", witness::planar_pendulum());
  const auto start = witness::planar_pendulum_start.in<double>();
  const double h = 1e-3;
  const auto lambda = [&](const char* name) {
    State<double> z{start.q, start.p};
    auto stepper = find_method(name).stepper<double>(system);
    EXPECT_TRUE(stepper->advance(system, z, h, 100).status);
    return stepper->lambda()[0] / h;
  };
  const double simple = lambda("rattle:project=output");
  for (const char* name :
       {"rattle:project=output,compose=triplejump4", "rattle:project=output,compose=suzuki4",
        "rattle:project=output,compose=kahanli8", "rattle:project=output,compose=sofroniou10"})
    EXPECT_NEAR(lambda(name), simple, h * std::abs(simple)) << name;  // measured: h/2
}

TEST(Composition, AFailedStepLeavesTheStateAsItWas) {
  const AnySystem system("planar_pendulum", witness::planar_pendulum());
  const auto start = witness::planar_pendulum_start.in<double>();
  State<double> z{start.q, start.p};
  auto stepper = find_method("rattle:compose=triplejump4").stepper<double>(system);
  ASSERT_TRUE(stepper->step(system, z, 0.01));
  const State<double> before = z;
  ASSERT_FALSE(stepper->step(system, z, 1e3));
  EXPECT_EQ(z.q, before.q);
  EXPECT_EQ(z.p, before.p);
  ASSERT_TRUE(stepper->step(system, z, 0.01));  // and goes on from there as a new one does
  State<double> y = before;
  ASSERT_TRUE(
      find_method("rattle:compose=triplejump4").stepper<double>(system)->step(system, y, 0.01));
  EXPECT_EQ(z.q, y.q);
}

TEST(Composition, IsForSymmetricMethodsOfLowerOrder) {
  const auto said = [](const char* specification) -> std::string {
    try {
      (void)find_method(specification);
    } catch (const InputError& error) {
      return error.what();
    }
    return "found";
  };
  EXPECT_EQ(said("rattle:base=euler-a,compose=suzuki4"),
            "method: 'rattle:base=euler-a,compose=suzuki4' is refused: rattle:base=euler-a is not "
            "symmetric, and only symmetric methods compose");
  EXPECT_EQ(said("index1:base=gauss3,compose=triplejump4"),
            "method: 'index1:base=gauss3,compose=triplejump4' is refused: triplejump4 gives order "
            "4, and index1:base=gauss3 has order 6 without it");
  EXPECT_NE(said("shake:compose=suzuki4").find("has no option 'compose'"), std::string::npos);
  EXPECT_THROW((void)compose(Shake<>{}, Composition::suzuki4), InputError);
  EXPECT_THROW((void)compose(Rattle<BaseMap::euler_a>{}, Composition::suzuki4), InputError);
}

}  // namespace
}  // namespace rattleback

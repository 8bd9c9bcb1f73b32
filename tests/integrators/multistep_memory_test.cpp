// What a multistep method's memory promises: runs that are looked at, saved and restored are the
// same to the bit.
#include <gtest/gtest.h>

#include "integrators/multistep_cases.hpp"
#include "rattleback/integrators/integrate.hpp"

namespace rattleback::multistep_tests {
namespace {

TEST(Multistep, LooksDoNotChangeIt) {
  const auto& w = witness_system("double_pendulum");
  for (const int order : {4, 6, 8}) {
    const RunOptions<State<double>> seldom{.step = 1.0 / 64, .steps = 200, .every = 200};
    RunOptions<State<double>> often = seldom;
    often.every = 1;
    const auto a = integrate(w.system, multistep(order), start_of(w), seldom);
    const auto b = integrate(w.system, multistep(order), start_of(w), often);
    EXPECT_TRUE(a.ok() && b.ok());
    EXPECT_EQ(a.final.q, b.final.q);
    EXPECT_EQ(a.final.p, b.final.p);
  }
}

TEST(Multistep, AResumedRunIsTheUninterruptedOneToTheBit) {
  for (const char* name : {"spherical_pendulum", "double_pendulum", "chain_2d"}) {
    const auto& w = witness_system(name);
    std::vector<Checkpoint> saved;
    RunOptions<State<double>> options{.step = 1.0 / 64, .steps = 120, .every = 10};
    options.restart_every = 40;
    options.checkpoint = [&](const Checkpoint& c) { saved.push_back(c); };
    const auto whole = integrate(w.system, multistep(8), start_of(w), options);
    ASSERT_TRUE(whole.ok()) << name;
    ASSERT_EQ(saved.size(), 4U) << name;
    options.resume = saved[2];
    const auto rest = integrate(w.system, multistep(8), start_of(w), options);
    EXPECT_EQ(whole.final.q, rest.final.q) << name;
    EXPECT_EQ(whole.final.p, rest.final.p) << name;
    // Restart points change round-off only: the memory goes on.
    options = {.step = 1.0 / 64, .steps = 120, .every = 10};
    const auto plain = integrate(w.system, multistep(8), start_of(w), options);
    EXPECT_LT((whole.final.q - plain.final.q).cwiseAbs().maxCoeff(), 2e-14) << name;
    // Damaged memory is refused.
    options.restart_every = 40;
    options.resume = saved[2];
    options.resume->state.pop_back();
    EXPECT_THROW((void)integrate(w.system, multistep(8), start_of(w), options), InputError);
  }
}

/// Whatever the stepper did in between.
TEST(Multistep, GoesOnFromWhereItWasSaved) {
  const auto& w = witness_system("double_pendulum");
  const auto stepper = multistep(8).stepper<double>(w.system);
  auto z = start_of(w);
  ASSERT_TRUE(stepper->advance(w.system, z, 1.0 / 64, 20).status);
  stepper->settle();
  std::vector<double> saved;
  stepper->save(saved);
  auto again = z;
  ASSERT_TRUE(stepper->advance(w.system, z, 1.0 / 64, 30).status);
  stepper->restore(saved);
  ASSERT_TRUE(stepper->advance(w.system, again, 1.0 / 64, 30).status);
  EXPECT_EQ(z.q, again.q);
  EXPECT_EQ(z.p, again.p);
}

/// Backwards the same states come again, with the same multipliers: of Lambda h^2/h, so with -h.
TEST(Multistep, ReversedItShowsTheSameMultipliers) {
  const AnySystem system = pendulum();
  for (const int order : {4, 6, 8}) {
    const auto stepper = multistep(order).stepper<double>(system);
    State<double> z{Vector<double, dynamic>(2), Vector<double, dynamic>(2)};
    z.q << 1, 0;
    z.p << 0, -2;
    std::vector<double> shown;
    for (int k = 0; k < 20; ++k) {
      ASSERT_TRUE(stepper->advance(system, z, 0.05, 1).status);
      shown.push_back(stepper->lambda()[0]);
    }
    EXPECT_EQ(stepper->projections(20, 20).momentum, 20);  // of every state that is shown
    ASSERT_TRUE(stepper->reverse());
    for (int k = 18; k > 8; --k) {
      ASSERT_TRUE(stepper->advance(system, z, -0.05, 1).status);
      EXPECT_NEAR(stepper->lambda()[0], -shown[k], 1e-12) << order << ", " << k;
    }
  }
}

TEST(Multistep, AnotherStepBeginsAnew) {
  const auto& w = witness_system("spherical_pendulum");
  const auto stepper = multistep(8).stepper<double>(w.system);
  auto z = start_of(w);
  ASSERT_TRUE(stepper->advance(w.system, z, 1.0 / 64, 10).status);
  auto fresh = z;
  ASSERT_TRUE(stepper->advance(w.system, z, 1.0 / 32, 10).status);
  const auto other = multistep(8).stepper<double>(w.system);
  ASSERT_TRUE(other->advance(w.system, fresh, 1.0 / 32, 10).status);
  EXPECT_EQ(z.q, fresh.q);
  EXPECT_EQ(z.p, fresh.p);
}

}  // namespace
}  // namespace rattleback::multistep_tests

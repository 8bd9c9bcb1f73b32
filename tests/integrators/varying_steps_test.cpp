// Reversible adaptive steps, sundman and density: that they vary and come back, end where they are
// told to, go on to the bit, are as accurate as asked for, and are refused rather than accepted
// where they diverge.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "integrators/varying_steps.hpp"
#include "rattleback/integrators/integrate.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback::varying_steps {
namespace {

/// A model, and a method with a step that is not small for it.
struct Case {
  const char* name;
  Model (*model)();
  std::string method;
  double step;
  double reversal;  ///< measured times about two
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

class VaryingSteps : public ::testing::TestWithParam<Case> {
 protected:
  Model m = GetParam().model();
  double h = GetParam().step;
  Method method = find_method(GetParam().method);
};

TEST_P(VaryingSteps, ComeBack) {
  const auto stepper = method.stepper<double>(m.system);
  State z = m.start;
  double least = 1e9, most = 0, before = 0;
  for (int k = 0; k < 300; ++k) {
    ASSERT_TRUE(stepper->step(m.system, z, h));
    const double taken = stepper->clock()->time - std::exchange(before, stepper->clock()->time);
    least = std::min(least, taken), most = std::max(most, taken);
  }
  EXPECT_GT(most / least, 1.5);
  EXPECT_GT(distance(z, m.start), 0.1);
  ASSERT_TRUE(stepper->advance(m.system, z, -h, 300).status);
  ASSERT_TRUE(stepper->present(m.system, z));
  EXPECT_LT(distance(z, m.start), GetParam().reversal);
  EXPECT_LT(std::abs(stepper->clock()->time), GetParam().reversal);
}

TEST_P(VaryingSteps, EndAtTheTimeAskedFor) {
  const auto run = integrate(m.system, method, m.start, {.step = h, .time = 10, .every = 7});
  ASSERT_TRUE(run.ok()) << run.failure.text();
  EXPECT_EQ(run.time(), 10);
  EXPECT_EQ(run.times.back(), 10);
  EXPECT_EQ(run.wanted, run.steps);
  EXPECT_TRUE(std::ranges::is_sorted(run.times));
  EXPECT_EQ(std::ssize(run.times), 2 + (run.steps - 1) / 7);
  // Of order 4 at least: at a quarter of the step, a 256th of the error.
  const auto fine = integrate(m.system, method, m.start, {.step = h / 4, .time = 10});
  const auto truth =
      integrate(m.system, find_method("sundman"), m.start, {.step = 0.02, .time = 10});
  EXPECT_LT(distance(fine.final, truth.final), distance(run.final, truth.final) / 100 + 1e-10);
  // A number of steps is that number, wherever it leads.
  const auto counted = integrate(m.system, method, m.start, {.step = h, .steps = 20});
  EXPECT_EQ(counted.steps, 20);
  EXPECT_GT(std::abs(counted.time() - 20 * h), 1e-3);
}

TEST_P(VaryingSteps, GoOnToTheBit) {
  std::vector<Checkpoint> saved;
  RunOptions<State> options{.step = h, .time = 120 * h, .restart_every = 30};
  options.checkpoint = [&](const Checkpoint& c) { saved.push_back(c); };
  const auto whole = integrate(m.system, method, m.start, options);
  ASSERT_GT(saved.size(), 2U);
  options.resume = saved[1];
  const auto rest = integrate(m.system, method, m.start, options);
  ASSERT_TRUE(rest.ok()) << rest.failure.text();
  EXPECT_EQ(rest.steps, whole.steps);
  EXPECT_EQ(rest.time(), whole.time());
  EXPECT_EQ(distance(rest.final, whole.final), 0);
  EXPECT_EQ(rest.times.back(), 120 * h);
}

TEST_P(VaryingSteps, AreAsAccurateAsAskedFor) {
  const auto at = [&](const Method& with, double step) {
    return integrate(m.system, with, m.start, {.step = step, .time = 20});
  };
  const auto truth = at(find_method("sundman"), 0.02);
  long before = 0;
  for (const double accuracy : {1e-4, 1e-7}) {
    const auto run = at(method.with("accuracy", accuracy), 0.01);
    ASSERT_TRUE(run.ok());
    EXPECT_LT(distance(run.final, truth.final), accuracy);
    EXPECT_GT(distance(run.final, truth.final), accuracy * 1e-4);
    EXPECT_GT(run.steps, before);
    before = run.steps;
  }
}

TEST_P(VaryingSteps, RefuseToDiverge) {
  const auto stepper = method.stepper<double>(m.system);
  State z = m.start;
  EXPECT_FALSE(stepper->step(m.system, z, 40.0));
  EXPECT_EQ(distance(z, m.start), 0);
  EXPECT_EQ(stepper->clock()->time, 0);
}

const std::string density = "rattle:density=reversible,compose=";
// Two stages, so that the projection of the quartic is large enough to be seen.
INSTANTIATE_TEST_SUITE_P(
    Methods, VaryingSteps,
    ::testing::Values(Case{"sundman_bead", bead, "sundman:stages=2", 0.1, 1e-11},
                      Case{"sundman_quartic", quartic, "sundman:stages=2", 0.1, 1e-11},
                      Case{"density_bead", bead, density + "triplejump4", 0.05, 1e-11},
                      Case{"density_quartic", quartic, density + "kahanli8,project=output", 0.2,
                           1e-11}),
    [](const auto& p) { return p.param.name; });

TEST(Density, IsForSymmetricMethods) {
  EXPECT_THROW((void)find_method("rattle:base=euler-a,density=reversible"), InputError);
  EXPECT_THROW((void)find_method("rattle:accuracy=1e-3"), InputError);
}

// Measured: 3e-13 at most.
TEST(Density, BringsEverySymmetricFamilyBack) {
  const Model m = quartic();
  for (const char* name :
       {"lobatto:stages=3", "spark:stages=2", "splitting:order=4", "variational:", "prk2:"}) {
    SCOPED_TRACE(name);
    const std::string comma = std::string(name).back() == ':' ? "" : ",";
    const auto stepper = find_method(name + comma + "density=reversible").stepper<double>(m.system);
    State z = m.start;
    ASSERT_TRUE(stepper->advance(m.system, z, 0.05, 150).status);
    EXPECT_GT(std::abs(stepper->clock()->time - 7.5), 0.1);
    ASSERT_TRUE(stepper->advance(m.system, z, -0.05, 150).status);
    ASSERT_TRUE(stepper->present(m.system, z));
    EXPECT_LT(distance(z, m.start), 1e-12);
  }
}

/// Where Q is taken is where the state is looked at: the same steps whether p is projected or not.
TEST(Density, IsTheSameOnFibres) {
  const Model m = quartic();
  State z[2] = {m.start, m.start};
  for (int k = 0; k < 2; ++k) {
    const auto method = find_method(density + "suzuki4,project=" + (k == 0 ? "every" : "output"));
    const auto stepper = method.stepper<double>(m.system);
    ASSERT_TRUE(stepper->advance(m.system, z[k], 0.1, 50).status);
    ASSERT_TRUE(stepper->present(m.system, z[k]));
  }
  EXPECT_LT(distance(z[0], z[1]), 1e-12);
}

TEST(VaryingStepsOfCopies, AreNotForPacks) {
  const Model m = bead();
  const AnySystem* members[] = {&m.system};
  const AnySystem packed = packed_system(members);
  for (const char* method : {"sundman", "rattle:density=reversible"})
    EXPECT_THROW((void)find_method(method).stepper<Pack>(packed), ModelError);
}

}  // namespace
}  // namespace rattleback::varying_steps

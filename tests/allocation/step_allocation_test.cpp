// No allocation in a step, after the first.
#include <gtest/gtest.h>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/expression/recorder.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/integrators/shake_rattle.hpp"
#include "rattleback/problem/any_system.hpp"
#include "rattleback/problem/linked_system.hpp"
#include "rattleback/problem/pack.hpp"
#include "rattleback/problem/witness.hpp"

#include "allocations.hpp"  // last: it defines what others declare

namespace rattleback {
namespace {

using testing::allocations;

struct StepAllocation : ::testing::Test {
  void SetUp() override {
    if (!testing::counts_allocations) GTEST_SKIP() << "malloc cannot be counted here";
  }
};

/// Allocations in ten steps after three; -1 where a step fails.
template <class Sys, class Stepper, class Point, class H>
long allocations_of(const Sys& system, Stepper& stepper, Point z, const H& h) {
  bool ok = true;
  for (int i = 0; i < 3; ++i) ok = ok && stepper.step(system, z, h);
  const long before = allocations;
  for (int i = 0; i < 10; ++i) ok = ok && stepper.step(system, z, h);
  return ok ? allocations - before : -1;
}

TEST_F(StepAllocation, is_counted) {
  const long before = allocations;
  Vector<double, dynamic> v(10);
  v.setZero();
  const Vector<double, dynamic> w = v + v;
  EXPECT_EQ(w[0], 0);
  EXPECT_EQ(allocations - before, 2);
}

/// Of every registered method that applies and whose first steps succeed.
template <class S>
void expect_none_of_any_method(const AnySystem& any, const State<S>& z) {
  int tried = 0;
  for (const Method& method : law_methods()) {
    if (!method.info().applies(any.traits())) continue;
    long count = 0;
    try {
      auto stepper = method.stepper<S>(any);
      if (!stepper) continue;  // none in packs
      count = allocations_of(any, *stepper, z, 0.01);
    } catch (const Error&) {
      continue;  // does not apply after all, and says so at set-up
    }
    if (count < 0) continue;
    ++tried;
    EXPECT_EQ(count, 0) << method.info().name << " on " << any.name() << ", "
                        << ScalarTraits<S>::lanes << " lanes";
  }
  EXPECT_GE(tried, 16) << any.name();
}

TEST_F(StepAllocation, none_for_any_registered_method_on_run_time_systems) {
  // As it is, and as expressions in native code, alone and in packs.
  const auto check = [&](const std::string& name, auto system, const auto& start) {
    const auto z = start.template in<double>();
    const auto pack = start.template in<Pack>();
    const AnySystem recorded = expression_system(record(system, name + " recorded"));
    const AnySystem* members[] = {&recorded};
    expect_none_of_any_method<double>(AnySystem(name, system), {z.q, z.p});
    expect_none_of_any_method<double>(recorded, {z.q, z.p});
    expect_none_of_any_method<Pack>(packed_system(members), {pack.q, pack.p});
  };
  using namespace witness;
  check("planar_pendulum", planar_pendulum(), planar_pendulum_start);
  check("chain_2d", chain_2d(), chain_2d_start);
  check("magnetic", magnetic(), magnetic_start);
  check("hopf_gravity", hopf_gravity(), hopf_gravity_start);
  check("mixed_quartic", mixed_quartic(), mixed_quartic_start);
}

template <class S, class M, class Sys, class Start>
void expect_none(const M& method, const Sys& system, const Start& start) {
  auto stepper = method.template stepper<S>(system);
  EXPECT_EQ(allocations_of(system, stepper, start.template in<S>(), 0.01), 0)
      << method.info().name << ", " << ScalarTraits<S>::lanes << " lanes";
}

TEST_F(StepAllocation, none_for_systems_known_by_type) {
  using namespace witness;
  expect_none<double>(Rattle<>{}, double_pendulum(), double_pendulum_start);
  expect_none<Pack>(Rattle<>{}, double_pendulum(), double_pendulum_start);
  expect_none<double>(Rattle<BaseMap::exact>{}, double_pendulum(), double_pendulum_start);
  expect_none<double>(Rattle<>{}, chain_2d(), chain_2d_start);
  expect_none<Pack>(Rattle<>{}, chain_2d(), chain_2d_start);
  expect_none<double>(Shake<BaseMap::gauss2>{}, chain_2d(), chain_2d_start);
  expect_none<double>(Rattle<BaseMap::exact>{}, chain_2d(), chain_2d_start);
  expect_none<double>(Rattle<>{}, mixed_quartic(), mixed_quartic_start);
}

TEST_F(StepAllocation, none_for_linked_chains) {
  const int links = 50;
  const auto chain = chain_system<2>(links, [](const auto& x) { return x[1]; });
  auto stepper = Rattle<>{}.stepper<double>(chain);
  const auto z = witness::chain_start<double, 2>(links);
  EXPECT_EQ(allocations_of(chain, stepper, z, 0.001), 0);
  const AnySystem recorded = expression_system(record(witness::chain<2>(links)));
  const auto compiled = find_method("rattle").stepper<double>(recorded);
  EXPECT_EQ(allocations_of(recorded, *compiled, z, 0.001), 0);
}

TEST_F(StepAllocation, none_for_compensated_steps) {
  const auto check = [](const auto& system, const auto& start) {
    auto stepper = Rattle<BaseMap::verlet, Sums::compensated>{}.stepper<double>(system);
    EXPECT_EQ(allocations_of(system, stepper, start.template in<double>(), 0.01), 0);
  };
  check(witness::double_pendulum(), witness::double_pendulum_start);
  check(witness::chain_2d(), witness::chain_2d_start);
}

}  // namespace
}  // namespace rattleback

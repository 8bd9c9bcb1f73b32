// A typed chain or graph that is known as an AnySystem takes the steps of its type, to the bit.
#include "rattleback/integrators/natural_steps.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "integrators/linked_reference.hpp"
#include "rattleback/integrators/compiled_natural.hpp"
#include "rattleback/integrators/registry.hpp"

namespace rattleback {
namespace {

using namespace linked_tests;

template <class S, class Sys, class M>
void expect_same_bits(const Sys& system, const M& method, Point<S> z, int steps) {
  const AnySystem any("erased", system);
  auto typed = method.template stepper<S>(system);
  const auto erased = find_method(method.info().name).template stepper<S>(any);
  Point<S> y = z;
  for (int k = 0; k < steps; ++k) {
    ASSERT_TRUE(typed.step(system, z, Real<S>(0.01))) << k;
    ASSERT_TRUE(erased->step(any, y, Real<S>(0.01))) << k;
  }
  EXPECT_EQ(largest_magnitude(z.q - y.q), 0) << method.info().name;
  EXPECT_EQ(largest_magnitude(z.p - y.p), 0) << method.info().name;
  EXPECT_EQ(largest_magnitude(typed.lambda() - erased->lambda()), 0) << method.info().name;
  ASSERT_TRUE(typed.present(system, z));
  ASSERT_TRUE(erased->present(any, y));
  EXPECT_EQ(largest_magnitude(z.p - y.p), 0) << method.info().name;
  EXPECT_EQ(typed.projections(7, 3).momentum, erased->projections(7, 3).momentum);
}

std::string structure_of(const AnySystem& system) {
  return find_method("rattle").stepper<double>(system)->structure(system);
}

TEST(NaturalSteps, of_an_erased_chain) {
  const auto chain = chain_system<2>(60, pinned_springs);
  const auto z = winding<double, 2>(60);
  expect_same_bits<double>(chain, Rattle<>{}, z, 20);
  expect_same_bits<double>(chain, Rattle<>{.project = Projection::output}, z, 20);
  expect_same_bits<double>(chain, Rattle<BaseMap::euler_a>{}, z, 20);
  expect_same_bits<double>(chain, Shake<BaseMap::euler_b>{}, z, 20);
  const auto shorter = chain_system<2>(6, pinned_springs);
  expect_same_bits<Quad>(shorter, Rattle<>{}, winding<Quad, 2>(6), 5);
  expect_same_bits<Dual<double, 4>>(shorter, Rattle<>{}, winding<Dual<double, 4>, 2>(6), 5);
  EXPECT_EQ(structure_of(AnySystem("chain", chain)), "chain of 60");
}

TEST(NaturalSteps, of_an_erased_graph) {
  auto [system, z] = strained_tree();
  NaturalConstrained<std::decay_t<decltype(system)>, double> core(system);
  ASSERT_TRUE(core.project(system, z));
  expect_same_bits<double>(system, Rattle<>{}, z, 20);
  EXPECT_EQ(structure_of(AnySystem("tree", system)), "tree of 127");
}

TEST(NaturalSteps, of_a_hundred_thousand_links) {
  const int n = 100'000;
  const AnySystem chain("chain", chain_system<2>(n, gravity));
  auto z = winding<double, 2>(n);
  z.p.setZero();
  const auto stepper = find_method("rattle").stepper<double>(chain);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(stepper->advance(chain, z, 1e-4, 10).status);
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  RecordProperty("milliseconds_a_step", std::to_string(taken.count() / 10));
  Vector<double, dynamic> g(n);
  chain.constraint(z.q, z.p, g);
  EXPECT_LT(largest_magnitude(g), 4 * epsilon<double> * largest_magnitude(z.q));
}

}  // namespace
}  // namespace rattleback

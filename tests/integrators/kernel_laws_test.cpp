// The laws of kernels: every verb and whole steps against full matrices, for each kernel.
#include "rattleback/testing/kernel_laws.hpp"

#include <gtest/gtest.h>

#include "integrators/linked_reference.hpp"
#include "rattleback/expression/expression_system.hpp"
#include "rattleback/expression/recorder.hpp"
#include "rattleback/integrators/compiled_system.hpp"
#include "rattleback/problem/pack.hpp"
#include "rattleback/problem/witness.hpp"

namespace rattleback {
namespace {

using namespace linked_tests;
using testing::check_kernel;
using testing::check_kernel_steps;
using testing::KernelResult;
using testing::KernelStepsResult;

// Measured: 1.8e-15 at most of one verb, 1e-13 over 30 steps that are not projected. |g| ends at
// its floor of 2 eps |G||q|.
constexpr double one_verb = 4e-15, many_steps = 2e-13, landed = 2;

/// All laws of a kernel on a system, with and without projections, for each base map.
template <class K, class S, class Own, class Sys>
KernelResult expect_laws(const Own& own, const Sys& system, const State<S, K::N>& start,
                         const std::string& name) {
  State<S, K::N> z = start;
  NaturalConstrained<Own, S, K> core(own);
  EXPECT_TRUE(core.project(own, z)) << name;
  const double eps = epsilon<S> / epsilon<double>;
  KernelResult verbs;
  for (const Kicks kicks : {Kicks{0.5, 0.5}, Kicks{1, 0}, Kicks{0, 1}}) {
    verbs = check_kernel<K, S>(own, system, z, 0.01, kicks);
    EXPECT_TRUE(verbs.failure.empty() && verbs.floor && verbs.branch) << name << verbs.text();
    EXPECT_LT(verbs.largest(), one_verb * eps) << name << verbs.text();
    EXPECT_LT(verbs.land, landed) << name << verbs.text();
    EXPECT_GT(verbs.turned, 0) << name;
    for (const bool project : {true, false}) {
      const KernelStepsResult steps =
          check_kernel_steps<K, S>(own, system, z, 0.01, 30, kicks, project);
      EXPECT_TRUE(steps.failure.empty()) << name << steps.text();
      EXPECT_LT(steps.balance, one_verb * eps) << name << steps.text();
      EXPECT_LT(steps.state, many_steps * eps) << name << steps.text();
      EXPECT_LT(steps.lambda, many_steps * eps) << name << steps.text();
    }
  }
  return verbs;
}

/// A tree with a loop, hung from one point, rods as long as they are there.
auto net(int bodies) {
  const auto z = winding<double, 2>(bodies);
  std::vector<Link<2>> links{{.first = ground, .second = 0}};
  for (int i = 1; i < bodies; ++i) {
    const int up = (i - 1) / 2;  // every third link looks the other way
    links.push_back(i % 3 == 0 ? Link<2>{.first = i, .second = up} : Link<2>{up, i});
  }
  links.push_back({.first = bodies - 2, .second = bodies - 1});
  std::vector<double> masses;
  for (int i = 0; i < bodies; ++i) masses.push_back(1 + 0.3 * (i % 4));
  return std::pair(linked_system<2>(masses, pinned_springs, with_lengths(links, z)), z);
}

TEST(KernelLaws, dense) {
  const auto check = [](const auto& system, const auto& start, const std::string& name) {
    using Sys = std::decay_t<decltype(system)>;
    expect_laws<DenseKernel<Sys, double>, double>(system, system, start.template in<double>(),
                                                  name + ": ");
  };
  check(witness::planar_pendulum(), witness::planar_pendulum_start, "pendulum");
  check(witness::double_pendulum(), witness::double_pendulum_start, "double pendulum");
  check(witness::chain_2d(), witness::chain_2d_start, "chain of four");
}

TEST(KernelLaws, chain) {
  const auto check = [](const auto& system, const std::string& name) {
    using Sys = std::decay_t<decltype(system)>;
    const int n = system.bodies();
    const auto verbs = expect_laws<ChainKernel<Sys, double>, double>(
        system, system, winding<double, 2>(n), name + " of " + std::to_string(n) + ": ");
    EXPECT_LE(verbs.newton_steps, 3) << "the matrix is exact";
  };
  for (const int n : {1, 2, 9, 40}) check(chain_system<2>(n, pinned_springs), "rods");
  check(chain_system<2>({1, 0.5, 2, 1.5, 0.7}, std::vector<double>(5, 1.0), pinned_springs),
        "other masses");
  check(chain_system<2>(
            12, pinned_springs,
            [](const auto& d) { return (d[0] * d[0] + d[1] * d[1] - 1.0) * (1.5 + d[0] * 0.1); }),
        "relative links");
  check(chain_system<2>(12, pinned_springs,
                        [](const auto& a, const auto& b, int k) {
                          const auto x = b[0] - a[0], y = b[1] - a[1];
                          return (x * x + y * y - 1.0) * (1 + 0.05 * (k % 3) + a[1] * 0.01);
                        }),
        "own links");
}

TEST(KernelLaws, chain_in_quad_precision) {
  const auto system = chain_system<2>(7, pinned_springs);
  using Sys = std::decay_t<decltype(system)>;
  expect_laws<ChainKernel<Sys, Quad>, Quad>(system, system, winding<Quad, 2>(7), "quad: ");
}

TEST(KernelLaws, links) {
  for (const int n : {4, 31}) {
    const auto [system, start] = net(n);
    using Sys = std::decay_t<decltype(system)>;
    expect_laws<typename Sys::template Kernel<double>, double>(
        system, system, start, "net of " + std::to_string(n) + ": ");
  }
}

TEST(KernelLaws, compiled_code) {
  for (const int n : {4, 31}) {
    const auto [system, start] = net(n);
    const AnySystem recorded = expression_system(record(system));
    const CompiledNatural* code = recorded.model<double>().compiled();
    ASSERT_NE(code, nullptr);
    const CompiledSystem<double> own(*code, SparseAlgebra(code->pattern, code->inverse_mass));
    expect_laws<CompiledSystem<double>::Kernel<double>, double>(
        own, system, start, "compiled net of " + std::to_string(n) + ": ");
  }
}

}  // namespace
}  // namespace rattleback

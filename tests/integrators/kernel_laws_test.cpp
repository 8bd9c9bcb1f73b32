// The laws of kernels: every verb and whole steps against full matrices, for each kernel.
#include "rattleback/testing/kernel_laws.hpp"

#include <gtest/gtest.h>

#include "integrators/linked_reference.hpp"
#include "rattleback/expression/expression_system.hpp"
#include "rattleback/expression/recorder.hpp"
#include "rattleback/integrators/compiled_system.hpp"
#include "rattleback/problem/pack.hpp"
#include "rattleback/problem/witness.hpp"
#include "rattleback/testing/kernel_steps.hpp"

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

/// All laws of a kernel on a system, with and without projections, for each base map. `condition`:
/// how much worse the matrix of the system is than those that were measured above.
template <class K, class S, class Own, class Sys>
KernelResult expect_laws(const Own& own, const Sys& system, const State<S, K::N>& start,
                         const std::string& name, double condition = 1) {
  State<S, K::N> z = start;
  NaturalConstrained<Own, S, K> core(own);
  EXPECT_TRUE(core.project(own, z)) << name;
  const double eps = condition * epsilon<S> / epsilon<double>;
  KernelResult verbs;
  for (const Kicks kicks : {Kicks{0.5, 0.5}, Kicks{1, 0}, Kicks{0, 1}}) {
    verbs = check_kernel<K, S>(own, system, z, 0.01, kicks);
    EXPECT_TRUE(verbs.failure.empty() && verbs.floor && verbs.branch && verbs.settled)
        << name << verbs.text();
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
    EXPECT_EQ(verbs.newton_steps, 1) << name << ", with an exact matrix: " << verbs.text();
    EXPECT_EQ(verbs.multistep_verbs, Sys::is_rod ? 4 : 2) << name;
    EXPECT_LE(verbs.left_over, 1 + 1e-6) << name;                  // one link attains it
    EXPECT_GT(verbs.left_over, Sys::is_rod ? 0.001 : -1) << name;  // no idle bound
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

/// A square net hung from a corner: loops everywhere, and fill.
auto square_net(int side) {
  const auto z = winding<double, 2>(side * side);
  std::vector<Link<2>> links{{.first = ground, .second = 0}};
  for (int i = 0; i < side * side; ++i) {
    if (i % side) links.push_back({.first = i - 1, .second = i});
    if (i >= side) links.push_back({.first = i - side, .second = i});
  }
  std::vector<double> masses;
  for (int i = 0; i < side * side; ++i) masses.push_back(1 + 0.3 * (i % 4));
  return std::pair(linked_system<2>(masses, pinned_springs, with_lengths(links, z)), z);
}
/// A path, or a ring.
auto path(int bodies, bool closed) {
  const auto z = winding<double, 2>(bodies);
  std::vector<Link<2>> links{{.first = ground, .second = 0}};
  for (int i = 1; i < bodies; ++i) links.push_back({.first = i - 1, .second = i});
  if (closed) links.push_back({.first = bodies - 1, .second = 0});
  return std::pair(
      linked_system<2>(std::vector<double>(bodies, 1.3), pinned_springs, with_lengths(links, z)),
      z);
}

template <class System>
void expect_laws_of_code(const System& system, const State<double>& start, const std::string& name,
                         double condition = 1) {
  const AnySystem recorded = expression_system(record(system));
  const CompiledNatural* code = recorded.model<double>().compiled();
  ASSERT_NE(code, nullptr);
  for (const Factoring factoring : {Factoring::code, Factoring::numerical}) {
    const SparseAlgebra algebra(code->pattern, code->inverse_mass, factoring);
    EXPECT_EQ(algebra.is_numerical(), factoring == Factoring::numerical);
    const CompiledSystem<double> own(*code, algebra);
    expect_laws<CompiledSystem<double>::Kernel<double>, double>(
        own, system, start, name + (algebra.is_numerical() ? ", numerical: " : ", in code: "),
        condition);
  }
}

TEST(KernelLaws, compiled_code) {
  for (const int n : {4, 31}) {
    const auto [system, start] = net(n);
    expect_laws_of_code(system, start, "compiled net of " + std::to_string(n));
  }
  for (const bool closed : {false, true}) {
    const auto [system, start] = path(40, closed);
    expect_laws_of_code(system, start, closed ? "ring" : "path", closed ? 6 : 1);
  }
  const auto [system, start] = square_net(7);
  // Measured, in code and numerically: 1.1e-14 of a verb, 8.4e-13 over the steps.
  expect_laws_of_code(system, start, "square net", 6);
}

/// The laws hold in double; in packs every lane does what it does alone.
TEST(KernelLaws, compiled_code_in_packs) {
  constexpr int lanes = ScalarTraits<Pack>::lanes;
  const auto [system, z] = net(31);
  const AnySystem recorded = expression_system(record(system));
  const AnySystem* member = &recorded;
  const AnySystem packed = packed_system(std::span(&member, 1));
  const CompiledNatural& alone = *recorded.model<double>().compiled();
  const CompiledNatural& code = *packed.model<Pack>().compiled();
  for (const Factoring factoring : {Factoring::code, Factoring::numerical}) {
    auto algebra = SparseAlgebra::packed(code, factoring);
    ASSERT_TRUE(algebra);
    const CompiledSystem<Pack> own(code, *algebra);
    const CompiledSystem<double> one(alone,
                                     SparseAlgebra(alone.pattern, alone.inverse_mass, factoring));
    State<Pack> together{Vector<Pack, dynamic>(z.q.size()), Vector<Pack, dynamic>(z.q.size())};
    for (Eigen::Index i = 0; i < z.q.size(); ++i) {
      together.q[i] = z.q[i];
      for (int lane = 0; lane < lanes; ++lane) together.p[i].set(lane, z.p[i] * (1 + 0.1 * lane));
    }
    NaturalConstrained<CompiledSystem<Pack>, Pack> core(own);
    ASSERT_TRUE(core.project(own, together));
    core.reset();
    State<Pack> end = together;
    for (int k = 0; k < 30; ++k) ASSERT_TRUE(core.step(own, end, 0.01, true));
    for (int lane = 0; lane < lanes; ++lane) {
      State<double> y{Vector<double, dynamic>(z.q.size()), Vector<double, dynamic>(z.q.size())};
      for (Eigen::Index i = 0; i < z.q.size(); ++i)
        y.q[i] = together.q[i][lane], y.p[i] = together.p[i][lane];
      NaturalConstrained<CompiledSystem<double>, double> single(one);
      for (int k = 0; k < 30; ++k) ASSERT_TRUE(single.step(one, y, 0.01, true));
      for (Eigen::Index i = 0; i < z.q.size(); ++i) {
        EXPECT_NEAR(end.q[i][lane], y.q[i], 1e-11) << "lane " << lane << ", coordinate " << i;
        EXPECT_NEAR(end.p[i][lane], y.p[i], 1e-10) << "lane " << lane << ", coordinate " << i;
      }
    }
  }
}

}  // namespace
}  // namespace rattleback

// Chains: the step by passes equals the step with dense matrices; failures leave the state.
#include "integrators/linked_reference.hpp"

namespace rattleback {
namespace {

using namespace linked_tests;

TEST(LinkedChain, EqualsDense) {
  for (int n : {1, 2, 3, 7, 30, 200}) {
    const auto chain = chain_system<2>(n, gravity);
    static_assert(ConstrainedSystem<decltype(chain)> && NaturalForm<decltype(chain)>);
    EXPECT_LT(difference_to_dense<double>(chain, winding<double, 2>(n), 40, 0.01),
              round_off * std::max(1, n / 30))
        << n;
  }
}

/// The passes take blocks of another length where no cache holds the chain.
TEST(LinkedChain, BeyondCachesEqualsTheSparseStep) {
  using Chain = std::decay_t<decltype(chain_system<2>(1, gravity))>;
  const int n = ChainPasses<Chain, double>::in_caches + 50;
  const auto chain = chain_system<2>(n, gravity);
  std::vector<Link<2>> links{{.first = ground, .second = 0}};
  for (int i = 1; i < n; ++i) links.push_back({.first = i - 1, .second = i});
  const auto linked = linked_system<2>(std::vector<double>(n, 1.0), gravity, links);
  NaturalConstrained<Chain, double> passes(chain);
  NaturalConstrained<std::decay_t<decltype(linked)>, double> sparse(linked);
  Point<double> a = winding<double, 2>(n);
  ASSERT_TRUE(passes.project(chain, a));
  Point<double> b = a;
  for (int k = 0; k < 3; ++k) {
    ASSERT_TRUE(passes.step(chain, a, 0.001, true));
    ASSERT_TRUE(sparse.step(linked, b, 0.001, true));
  }
  EXPECT_LT(distance(a, b), 6e-16 * largest_magnitude(a.q));  // measured 2.8e-16
}

TEST(LinkedChain, EqualsDenseInSpaceWithOtherMassesAndLengths) {
  const int n = 25;
  std::vector<double> masses(n), lengths(n, 1.0);
  for (int i = 0; i < n; ++i) masses[i] = 0.5 + 0.1 * (i % 7);
  const auto chain = chain_system<3>(masses, lengths, pinned_springs);
  EXPECT_LT(difference_to_dense<double>(chain, winding<double, 3>(n), 40, 0.01), round_off);
}

TEST(LinkedChain, EveryBaseMapAndShake) {
  const auto chain = chain_system<2>(12, pinned_springs);
  const auto start = winding<double, 2>(12);
  EXPECT_LT(difference_to_dense<double>(chain, start, 40, 0.01, {1, 0}), round_off);
  EXPECT_LT(difference_to_dense<double>(chain, start, 40, 0.01, {0, 1}), round_off);
  // Nothing projects: what lambda is uncertain by, eps |q|/h, stays in p along the fibre.
  EXPECT_LT(difference_to_dense<double>(chain, start, 40, 0.01, {}, false), 20 * round_off);
}

TEST(LinkedChain, OwnLinkFunctions) {
  const auto start = winding<double, 2>(20);
  const auto relative_form = chain_system<2>(20, gravity, [](const auto& d) {
    return (d[0] * d[0] + d[1] * d[1] - 1.0) * (1.5 + d[0] * 0.1);
  });
  EXPECT_LT(difference_to_dense<double>(relative_form, start, 40, 0.01), round_off);
  const auto general_form = chain_system<2>(20, gravity, [](const auto& a, const auto& b, int k) {
    const auto x = b[0] - a[0], y = b[1] - a[1];
    return (x * x + y * y - 1.0) * (1 + 0.05 * (k % 3) + a[1] * 0.01);
  });
  EXPECT_LT(difference_to_dense<double>(general_form, start, 40, 0.01), round_off);
}

TEST(LinkedChain, QuadIsTheTruthOfDouble) {
  const int n = 10;
  const auto chain = chain_system<2>(n, gravity);
  EXPECT_LT(difference_to_dense<Quad>(chain, winding<Quad, 2>(n), 10, Quad(0.01)), 1e-31);
  Point<double> a = winding<double, 2>(n);
  NaturalConstrained<std::decay_t<decltype(chain)>, double> run(chain);
  NaturalConstrained<std::decay_t<decltype(chain)>, Quad> truth(chain);
  ASSERT_TRUE(run.project(chain, a));
  Point<Quad> b{a.q.cast<Quad>(), a.p.cast<Quad>()};
  for (int k = 0; k < 50; ++k) {
    ASSERT_TRUE(run.step(chain, a, 0.01, true));
    ASSERT_TRUE(truth.step(chain, b, Quad(0.01), true));
  }
  const Point<double> rounded{b.q.cast<double>(), b.p.cast<double>()};
  EXPECT_LT(distance(a, rounded), 1e-12);
}

TEST(LinkedFailure, LeavesTheStateAsItWas) {
  const auto chain = chain_system<2>(10, gravity);
  NaturalConstrained<std::decay_t<decltype(chain)>, double> stepper(chain);
  Point<double> z = winding<double, 2>(10);
  ASSERT_TRUE(stepper.project(chain, z));
  ASSERT_TRUE(stepper.step(chain, z, 0.01, true));
  for (int i = 0; i < z.p.size(); ++i) z.p[i] *= 1e4;
  stepper.reset();
  const Point<double> before = z;
  EXPECT_FALSE(stepper.step(chain, z, 1.0, true));
  EXPECT_EQ(distance(before, z), 0);
}

TEST(LinkedFailure, NotFinite) {
  const auto chain = chain_system<2>(10, gravity);
  NaturalConstrained<std::decay_t<decltype(chain)>, double> stepper(chain);
  Point<double> z = winding<double, 2>(10);
  ASSERT_TRUE(stepper.step(chain, z, 0.01, true));
  z.p[7] = std::nan("");
  EXPECT_EQ(stepper.step(chain, z, 0.01, true).outcome, Outcome::not_finite);
}

TEST(LinkedFailure, LargeStepsFallBackOnTheExactMatrix) {
  // With the matrix of the start alone the second step does not converge.
  const auto chain = chain_system<2>(30, gravity);
  NaturalConstrained<std::decay_t<decltype(chain)>, double> stepper(chain);
  Point<double> z = winding<double, 2>(30);
  z.p.setZero();
  ASSERT_TRUE(stepper.step(chain, z, 0.35, true));
  const Status second = stepper.step(chain, z, 0.35, true);
  EXPECT_TRUE(second);
  EXPECT_LT(second.iterations, 12);
}

TEST(LinkedInput, IsChecked) {
  EXPECT_THROW(chain_system<2>(0, gravity), InputError);
  EXPECT_THROW(chain_system<2>({1.0, -1.0}, {1.0, 1.0}, gravity), InputError);
  EXPECT_THROW(chain_system<2>({1.0, 1.0}, {1.0}, gravity), InputError);
  EXPECT_THROW((linked_system<2>({1.0}, gravity, std::vector<Link<2>>{{.first = 0, .second = 3}})),
               InputError);
}

}  // namespace
}  // namespace rattleback

#include "rattleback/geometry/sparse_start.hpp"

#include <gtest/gtest.h>

#include <random>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/geometry/consistent.hpp"

namespace rattleback {
namespace {

/// Masses in the plane, joined by rods of the length they have at the start.
struct Rods {
  SystemDescription system;
  State<double> start;
};

Rods random_rods(int masses, int more, std::mt19937& random) {
  std::uniform_real_distribution<double> some(-1, 1);
  Rods rods;
  SystemDescription& d = rods.system;
  Graph& g = *d.graph;
  d.name = "rods";
  const int n = 2 * masses;
  for (int i = 0; i < n; ++i) d.coordinates.push_back("q" + std::to_string(i));
  rods.start = {Vector<double, dynamic>(n), Vector<double, dynamic>(n)};
  for (int i = 0; i < n; ++i) {
    rods.start.q[i] = 3 * some(random);
    rods.start.p[i] = some(random);
    d.mass.push_back(g.constant(1.5 + some(random)));
  }
  d.potential = d.q(1);
  const auto rod = [&](int a, int b) {
    Expression sum = g.constant(0);
    double length = 0;
    for (int k = 0; k < 2; ++k) {
      const Expression x = g.subtract(d.q(2 * a + k), d.q(2 * b + k));
      sum = g.add(sum, g.multiply(x, x));
      length += std::pow(rods.start.q[2 * a + k] - rods.start.q[2 * b + k], 2);
    }
    d.constraints.push_back(g.subtract(sum, g.constant(length)));
  };
  for (int i = 1; i < masses; ++i) rod(i, static_cast<int>(random() % i));
  for (int k = 0; k < more; ++k) rod(k, (k + masses / 2) % masses);
  for (int i = 0; i < n; ++i) rods.start.q[i] += 1e-3 * some(random);
  return rods;
}

TEST(SparseStart, IsTheStartOfDenseMatrices) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 10; ++trial) {
    const Rods rods = random_rods(12 + trial, trial % 4, random);
    const CanonicalSystem form = canonical(rods.system);
    const auto found = sparse_consistent(form, rods.start);
    ASSERT_TRUE(found) << trial;
    const State<double> expected = consistent(expression_system(form), rods.start);
    EXPECT_LT((found->q - expected.q).norm(), 1e-12) << trial;
    EXPECT_LT((found->p - expected.p).norm(), 1e-10) << trial;
    EXPECT_GT((found->q - rods.start.q).norm(), 1e-5);
  }
}

TEST(SparseStart, OfAnyHamiltonian) {
  std::mt19937 random(5);
  Rods rods = random_rods(10, 0, random);
  SystemDescription& d = rods.system;
  Graph& g = *d.graph;
  d.form = SystemDescription::Form::hamiltonian;
  Expression h = g.multiply(g.constant(0.3), g.multiply(d.p(0), d.p(3)));
  for (int i = 0; i < d.dimension(); ++i) {
    const Expression square = g.multiply(d.p(i), d.p(i));
    h = g.add(h, g.add(square, g.multiply(square, g.multiply(square, g.constant(0.1)))));
  }
  d.hamiltonian = h;
  const CanonicalSystem form = canonical(d);
  ASSERT_FALSE(form.traits.natural);
  const auto found = sparse_consistent(form, rods.start);
  ASSERT_TRUE(found);
  const State<double> expected = consistent(expression_system(form), rods.start);
  EXPECT_LT((found->q - expected.q).norm(), 1e-12);
  EXPECT_LT((found->p - expected.p).norm(), 1e-10);
}

/// Two rods that share no mass, coupled by H_pp alone, and strongly: without that coupling the
/// iteration would gain a digit in ten steps only.
TEST(SparseStart, CouplesWhatTheMassCouples) {
  SystemDescription d;
  Graph& g = *d.graph;
  d.form = SystemDescription::Form::hamiltonian;
  d.coordinates = {"x", "y", "u", "v"};
  Expression h = g.multiply(g.constant(0.9), g.add(g.multiply(d.p(0), d.p(2)),  //
                                                   g.multiply(d.p(1), d.p(3))));
  for (int i = 0; i < 4; ++i) h = g.add(h, g.multiply(g.constant(0.5), g.multiply(d.p(i), d.p(i))));
  d.hamiltonian = g.add(h, d.q(1));
  for (const int i : {0, 2})
    d.constraints.push_back(g.subtract(
        g.add(g.multiply(d.q(i), d.q(i)), g.multiply(d.q(i + 1), d.q(i + 1))), g.constant(1)));
  State<double> start{Vector<double, dynamic>(4), Vector<double, dynamic>(4)};
  start.q << 0.6, 0.8, 0.8, 0.6;
  start.p << 1, 0.5, -0.3, 0.7;
  const CanonicalSystem form = canonical(d);
  const auto found = sparse_consistent(form, start);
  ASSERT_TRUE(found);
  const State<double> expected = consistent(expression_system(form), start);
  EXPECT_LT((found->q - expected.q).norm() + (found->p - expected.p).norm(), 1e-13);
}

TEST(SparseStart, IsNotFoundWhereConstraintsAreRedundant) {
  std::mt19937 random(9);
  Rods rods = random_rods(8, 0, random);
  rods.system.constraints.push_back(rods.system.constraints[2]);
  EXPECT_FALSE(sparse_consistent(canonical(rods.system), rods.start));
}

}  // namespace
}  // namespace rattleback

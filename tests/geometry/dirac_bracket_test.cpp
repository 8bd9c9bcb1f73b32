#include "rattleback/geometry/dirac_bracket.hpp"

#include <gtest/gtest.h>

#include <random>

#include "models.hpp"
#include "rattleback/geometry/brackets.hpp"

using namespace rattleback;

namespace {

std::vector<Expression> chi_of(const Analysis& a) {
  std::vector<Expression> chi;
  for (const ChainConstraint& c : a.chain.constraints) chi.push_back(c.expression);
  return chi;
}

State<double> random_point(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> some(0.3, 1.2);
  State<double> z{Vector<double, dynamic>(n), Vector<double, dynamic>(n)};
  for (int i = 0; i < n; ++i) z.q[i] = some(random), z.p[i] = some(random);
  return z;
}

class OffTheManifold : public testing::TestWithParam<const char*> {};

// Measured: below 3e-15.
TEST_P(OffTheManifold, JacobiIdentityAndCasimirs) {
  const Analysis a = models::read(GetParam()).analyse();
  const int n = a.form.system.dimension();
  const std::vector<Expression> chi = chi_of(a);
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const State<double> z = random_point(n, seed);
    const DiracBracket bracket(a.form.system.graph, n, chi, z);
    EXPECT_LT(jacobi_defect(bracket, z), 1e-12);
    std::vector<Expression> second;
    for (const int i : bracket.second_class()) second.push_back(chi[i]);
    EXPECT_LT(casimir_defect(bracket, second, z), 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, OffTheManifold,
                         testing::Values("pendulum", "commuting_harmonic", "angular_momentum",
                                         "mixed_class", "first_order_lagrangian",
                                         "singular_lagrangian", "index5", "parallelogram_near"),
                         [](const auto& info) { return std::string(info.param); });

TEST(DiracBracket, OfThePendulumHasThePlusSign) {
  // {F,G} + ({F,phi}{psi,G} - {F,psi}{phi,G})/r^2: printed with a minus after [Seiler (43)].
  const Analysis a = models::read("pendulum").analyse();
  Graph& graph = *a.form.system.graph;
  const std::vector<Expression> chi = chi_of(a);
  const State<double> z = random_point(2, 7);
  const DiracBracket bracket(a.form.system.graph, 2, chi, z);
  const double x = z.q[0], y = z.q[1], px = z.p[0], py = z.p[1], r2 = x * x + y * y;
  // F = x, G = p_y: {F,phi} = 0, {F,psi} = x, {phi,G} = y, {psi,G} = p_y.
  EXPECT_NEAR(bracket(graph.input(0), graph.input(3), z), -x * y / r2, 1e-15);
  // F = p_x, G = p_y: {F,phi} = -x, {F,psi} = -p_x, {phi,G} = y, {psi,G} = p_y.
  EXPECT_NEAR(bracket(graph.input(2), graph.input(3), z), (-x * py + px * y) / r2, 1e-15);
}

TEST(DiracBracket, BlockInverseIsTheInverse) {
  // The same functions in another order are not recognised, so the whole matrix is inverted.
  const Analysis a = models::read("parallelogram_near").analyse();
  std::vector<Expression> chi = chi_of(a);
  const State<double> z = random_point(4, 3);
  const DiracBracket blocks(a.form.system.graph, 4, chi, z);
  std::rotate(chi.begin(), chi.begin() + 1, chi.end());
  const DiracBracket whole(a.form.system.graph, 4, chi, z);
  EXPECT_TRUE(blocks.uses_blocks());
  EXPECT_FALSE(whole.uses_blocks());
  std::vector<double> x(z.q.begin(), z.q.end());
  x.insert(x.end(), z.p.begin(), z.p.end());
  const auto s = blocks.tensor(x.data()), t = whole.tensor(x.data());
  for (std::size_t k = 0; k < s.size(); ++k) EXPECT_NEAR(s[k], t[k], 1e-13);
}

TEST(DiracBracket, FirstClassFunctionsAreLeftOut) {
  const Analysis a = models::read("mixed_class").analyse();
  const DiracBracket bracket(a.form.system.graph, 3, chi_of(a), a.chain.points.front());
  EXPECT_EQ(bracket.second_class(), (std::vector<int>{1, 2}));
}

TEST(DiracBracket, GeneratesTheConstrainedMotion) {
  // {psi,H}_D = 0 and {x,H}_D = p_x on the manifold.
  const Analysis a = models::read("pendulum").analyse();
  Graph& graph = *a.form.system.graph;
  const std::vector<Expression> chi = chi_of(a);
  for (const State<double>& z : a.chain.points) {
    const DiracBracket bracket(a.form.system.graph, 2, chi, z);
    EXPECT_NEAR(bracket(chi[1], a.form.system.hamiltonian, z), 0, 1e-14);
    EXPECT_NEAR(bracket(graph.input(0), a.form.system.hamiltonian, z), z.p[0], 1e-14);
    const double mu = (z.p.squaredNorm() - z.q[1]) / z.q.squaredNorm();  // p' = -H_q - mu q
    EXPECT_NEAR(bracket(graph.input(2), a.form.system.hamiltonian, z), -mu * z.q[0], 1e-13);
  }
}

}  // namespace

// The underlying equations are what their definitions say, off the manifold too; and the methods on
// them: tableaux, substeps, the continuous extension, projections where the threshold says so.
#include "rattleback/integrators/underlying.hpp"

#include <gtest/gtest.h>

#include <random>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/geometry/brackets.hpp"
#include "rattleback/geometry/dirac_bracket.hpp"
#include "rattleback/problem/hamiltonian_system.hpp"
#include "rattleback/text/model.hpp"

namespace rattleback {
namespace {

using Vec = Vector<double, dynamic>;

/// H is not quadratic in p and g not in q, with two constraints.
constexpr const char* general = R"([model]
name = "general"
coordinates = ["x", "y", "z"]
hamiltonian = "(p_x^2 + (2 + x^2)*p_y^2 + 3*p_z^2)/2 + (p_x^4 + y*p_z^4)/10 + z + 0.3*x*p_z"
constraints = ["(x^2 + y^2 + z^2 - 1)/2", "x*y + z^4/3"]
)";

SystemDescription description(const std::string& name) {
  if (name == "general") return parse_model(general, name).system;
  return read_model(RATTLEBACK_SOURCE_DIR "/examples/witness/" + name + ".toml").system;
}

/// A model as expressions, and its underlying fields by definition.
struct Definition {
  explicit Definition(const std::string& name)
      : canonical(rattleback::canonical(description(name))),
        system(expression_system(canonical)),
        brackets(canonical.graph(), canonical.dimension()) {
    for (const Expression g : canonical.constraints)
      rho.push_back(brackets(g, canonical.hamiltonian));
  }
  int n() const { return canonical.dimension(); }
  Expression input(int i) { return canonical.graph().input(i); }

  double value(Expression e, const State<double>& z) {
    const Program::Output output{0, 0, e};
    double result = 0;
    Program(canonical.graph(), n(), {&output, 1}).run(z.q.data(), z.p.data(), &result, &result);
    return result;
  }
  /// {z_l, F} for all coordinates.
  Vec field(Expression f, const State<double>& z) {
    Vec out(2 * n());
    for (int l = 0; l < 2 * n(); ++l) out[l] = value(brackets(input(l), f), z);
    return out;
  }
  /// lambda of {rho, H + lambda.g} = 0 as expressions, by Cramer's rule.
  std::vector<Expression> multipliers() {
    Graph& graph = canonical.graph();
    const auto& g = canonical.constraints;
    const auto b = [&](int i) { return graph.negate(brackets(rho[i], canonical.hamiltonian)); };
    const auto a = [&](int i, int j) { return brackets(rho[i], g[j]); };
    if (g.size() == 1) return {graph.divide(b(0), a(0, 0))};
    const auto cross = [&](Expression p, Expression q, Expression r, Expression s) {
      return graph.subtract(graph.multiply(p, s), graph.multiply(q, r));
    };
    const Expression det = cross(a(0, 0), a(0, 1), a(1, 0), a(1, 1));
    return {graph.divide(cross(b(0), a(0, 1), b(1), a(1, 1)), det),
            graph.divide(cross(a(0, 0), b(0), a(1, 0), b(1)), det)};
  }

  CanonicalSystem canonical;
  AnySystem system;
  Brackets brackets;
  std::vector<Expression> rho;
};

State<double> random_point(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> some(0.3, 1.2);
  State<double> z{Vec(n), Vec(n)};
  for (int i = 0; i < n; ++i) z.q[i] = some(random), z.p[i] = some(random);
  return z;
}

Vec field_of(const AnySystem& system, UnderlyingFormulation formulation, const State<double>& z) {
  UnderlyingField<AnySystem, double> field(system, formulation);
  const int n = system.dimension();
  Vec dq(n), dp(n), out(2 * n);
  EXPECT_TRUE(field.evaluate(system, z, dq, dp));
  out << dq, dp;
  return out;
}

double gap(const Vec& a, const Vec& b) {
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

class Fields : public ::testing::TestWithParam<const char*> {};

// Measured: 3.2e-14 (classical, general, by a difference of larger fields), others below 1e-14.
constexpr double of_round_off = 7e-14;

TEST_P(Fields, DiracIsItsBracket) {
  Definition d(GetParam());
  std::vector<Expression> chi = d.canonical.constraints;
  chi.insert(chi.end(), d.rho.begin(), d.rho.end());
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const State<double> z = random_point(d.n(), seed);
    const DiracBracket bracket(d.canonical.source.graph, d.n(), chi, z);
    Vec wanted(2 * d.n());
    for (int l = 0; l < 2 * d.n(); ++l) wanted[l] = bracket(d.input(l), d.canonical.hamiltonian, z);
    EXPECT_LE(gap(field_of(d.system, UnderlyingFormulation::dirac, z), wanted), of_round_off);
  }
}

TEST_P(Fields, ClassicalAndTotalAreThoseOfTheTotalHamiltonian) {
  Definition d(GetParam());
  Graph& graph = d.canonical.graph();
  const auto lambda = d.multipliers();
  Expression total = d.canonical.hamiltonian;
  for (std::size_t k = 0; k < lambda.size(); ++k)
    total = graph.add(total, graph.multiply(lambda[k], d.canonical.constraints[k]));
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const State<double> z = random_point(d.n(), seed);
    const Vec whole = d.field(total, z);
    EXPECT_LE(gap(field_of(d.system, UnderlyingFormulation::total, z), whole), of_round_off);
    // Classical: what is a multiple of g is left out.
    Vec rest = whole;
    for (std::size_t k = 0; k < lambda.size(); ++k)
      rest -= d.value(d.canonical.constraints[k], z) * d.field(lambda[k], z);
    EXPECT_LE(gap(field_of(d.system, UnderlyingFormulation::classical, z), rest), of_round_off);
    EXPECT_GE(gap(rest, whole), 1e-3) << "the point is too close to the manifold";
  }
}

// H* is only known by Newton: its gradient from differences in quad precision.
TEST_P(Fields, ImpetusIsCanonical) {
  const AnySystem system = expression_system(description(GetParam()));
  const int n = system.dimension();
  MomentumProjection<AnySystem, Quad> projection(system);
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const State<double> at = random_point(n, seed);
    const auto energy = [&](int l, const Quad& shift) {
      State<Quad> z{at.q.cast<Quad>(), at.p.cast<Quad>()};
      (l < n ? z.q[l] : z.p[l - n]) += shift;
      EXPECT_TRUE(projection.project_from_afar(system, z));
      return system.energy(z.q, z.p);
    };
    const Quad d(1e-11);
    Vec wanted(2 * n);
    for (int l = 0; l < 2 * n; ++l) {
      const double slope = static_cast<double>(Quad((energy(l, d) - energy(l, -d)) / (2 * d)));
      wanted[l < n ? n + l : l - n] = l < n ? -slope : slope;
    }
    EXPECT_LE(gap(field_of(system, UnderlyingFormulation::impetus, at), wanted), of_round_off);
  }
}

// Differences of the formulations are multiples of rho (dirac) and of g (total); on the manifold
// all are one.
TEST_P(Fields, AgreeOnTheManifoldOnly) {
  const AnySystem system = expression_system(description(GetParam()));
  State<double> z = random_point(system.dimension(), 5);
  PositionProjection<AnySystem, double> positions(system);
  MomentumProjection<AnySystem, double> momenta(system);
  const auto apart = [&](UnderlyingFormulation f) {
    return gap(field_of(system, f, z), field_of(system, UnderlyingFormulation::classical, z));
  };
  ASSERT_TRUE(momenta.project_from_afar(system, z));  // rho = 0, g is not
  EXPECT_LE(apart(UnderlyingFormulation::dirac), of_round_off);
  EXPECT_GE(apart(UnderlyingFormulation::total), 1e-3);
  z.p[0] += 0.4;
  ASSERT_TRUE(positions.project(system, z));  // g = 0, rho is not
  EXPECT_LE(apart(UnderlyingFormulation::total), of_round_off);
  EXPECT_GE(apart(UnderlyingFormulation::dirac), 1e-3);
  ASSERT_TRUE(momenta.project_from_afar(system, z));
  for (const UnderlyingFormulation f : {UnderlyingFormulation::dirac, UnderlyingFormulation::total})
    EXPECT_LE(apart(f), of_round_off);
  // The impetus is the momentum here; its rate is that of p but for a multiple of G.
  const Vec difference = field_of(system, UnderlyingFormulation::impetus, z) -
                         field_of(system, UnderlyingFormulation::classical, z);
  EXPECT_LE(difference.head(system.dimension()).norm(), of_round_off);
}

INSTANTIATE_TEST_SUITE_P(Models, Fields,
                         ::testing::Values("planar_pendulum", "double_pendulum", "quartic",
                                           "magnetic", "variable_mass_sphere", "general"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Underlying, TotalAsksForExpressions) {
  const auto typed =
      hamiltonian_system<1>([](const auto& q, const auto& p) { return p[0] * p[0] / 2 + q[0]; },
                            [](const auto& q) { return q[0]; });
  EXPECT_THROW(
      (UnderlyingField<AnySystem, double>(AnySystem("typed", typed), UnderlyingFormulation::total)),
      ModelError);
}

}  // namespace
}  // namespace rattleback

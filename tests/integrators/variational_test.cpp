// The variational family: reference trajectories, order, adjoints, and which RATTLE it is.
#include "rattleback/integrators/variational.hpp"

#include "rattleback/problem/witness/general.hpp"
#include "reference_runs.hpp"

namespace rattleback {
namespace {

using reference::distance;

std::string method(std::string_view quadrature) {
  return "variational:quadrature=" + std::string(quadrature);
}

// Measured over all problems: 1.8e-15 (ellipsoid) and 1.4e-33 (chain_2d).
TEST(Variational, ReferenceTrajectories) {
  for (const auto& rule : quadratures)
    reference::expect_reference(method(rule.name), "variational",
                                "quadrature=" + std::string(rule.name), 4e-15, 3e-33);
}

TEST(Variational, OrderIsWhatItClaims) {
  for (const auto& rule : quadratures)
    for (const char* problem : {"quartic", "magnetic", "variable_mass_sphere", "double_pendulum"})
      EXPECT_NEAR(reference::order(method(rule.name), problem), rule.order, 0.01)
          << rule.name << " on " << problem;
}

// Measured: 1e-15 where adjoint; the smallest defect of left against itself is 1e-3.
TEST(Variational, SymmetricPairs) {
  for (const char* problem :
       {"spherical_pendulum", "magnetic", "variable_mass_sphere", "quartic"}) {
    EXPECT_LE(reference::adjoint_defect(method("trapezoid"), method("trapezoid"), problem), 1e-14);
    EXPECT_LE(reference::adjoint_defect(method("midpoint"), method("midpoint"), problem), 1e-14);
    EXPECT_LE(reference::adjoint_defect(method("left"), method("right"), problem), 1e-14);
    EXPECT_LE(reference::adjoint_defect(method("right"), method("left"), problem), 1e-14);
    EXPECT_GE(reference::adjoint_defect(method("left"), method("left"), problem), 1e-4);
  }
}

TEST(Variational, StepOnDualsIsItsDerivative) {
  for (const auto& rule : quadratures)
    for (const char* problem : {"variable_mass_sphere", "magnetic", "full_mass_sphere"})
      EXPECT_LE(reference::jacobian_gap(method(rule.name), problem), 1e-13)
          << rule.name << " on " << problem;
}

// left = euler-a, right = euler-b, midpoint = midpoint, for every regular L.
TEST(Variational, IsRattleOverItsBaseMap) {
  for (Quadrature quadrature : {Quadrature::left, Quadrature::right, Quadrature::midpoint})
    for (const char* problem : {"magnetic", "variable_mass_sphere", "polar_line"}) {
      const auto z0 = reference::start<double>(problem);
      const auto& system = reference::system(problem);
      const std::string base(info(base_map(quadrature)).name);
      const auto a = reference::run<double>(find_method(method(info(quadrature).name)), system, z0,
                                            0.0625, 20);
      const auto b =
          reference::run<double>(find_method("rattle:base=" + base), system, z0, 0.0625, 20);
      EXPECT_LE(distance(a, b), 1e-13) << info(quadrature).name << " on " << problem;
    }
}

/// Full Newton in (v, lambda) on a natural system, against RATTLE's kicks.
template <Quadrature quadrature, class Sys, class Z>
double general_against_rattle(const Sys& system, const Z& z0) {
  VariationalStepper<Sys, double> general(system, quadrature);
  auto kicks = Rattle<base_map(quadrature)>{}.template stepper<double>(system);
  auto a = z0, b = z0;
  for (int k = 0; k < 20; ++k) {
    EXPECT_TRUE(general.step(system, a, 0.0625));
    EXPECT_TRUE(kicks.step(system, b, 0.0625));
  }
  return distance(a, b);
}

TEST(Variational, ConstantMassTrapezoidIsVerlet) {
  const auto full = witness::full_mass_sphere();
  const auto sphere = witness::spherical_pendulum();
  const auto z = witness::full_mass_sphere_start.in<double>();
  const auto y = witness::spherical_pendulum_start.in<double>();
  EXPECT_LE(general_against_rattle<Quadrature::trapezoid>(full, z), 1e-13);
  EXPECT_LE(general_against_rattle<Quadrature::trapezoid>(sphere, y), 1e-13);
  EXPECT_LE(general_against_rattle<Quadrature::left>(full, z), 1e-13);
  EXPECT_LE(general_against_rattle<Quadrature::right>(full, z), 1e-13);
  EXPECT_LE(general_against_rattle<Quadrature::midpoint>(full, z), 1e-13);
}

// Errata S6: with M(q), or a magnetic L, one step differs from verlet by O(h^3).
TEST(Variational, TrapezoidIsNotVerletOtherwise) {
  for (const char* problem : {"variable_mass_sphere", "magnetic", "polar_line"}) {
    const auto gap = [&](const Quad& h) {
      const auto z0 = reference::start<Quad>(problem);
      const auto& system = reference::system(problem);
      return distance(reference::run<Quad>(find_method("variational"), system, z0, h, 1),
                      reference::run<Quad>(find_method("rattle:base=verlet"), system, z0, h, 1));
    };
    const double coarse = gap(Quad(1) / 64), fine = gap(Quad(1) / 128);
    EXPECT_GT(coarse, 1e-9) << problem;
    EXPECT_NEAR(std::log2(coarse / fine), 3, 0.1) << problem;
  }
}

TEST(Variational, RunsWithoutConstraints) {
  const auto system = natural_system(mass(1, 2), [](const auto& q) {
    using std::cos;
    return q[0] * q[0] * q[1] * q[1] - cos(q[1]);
  });
  VariationalStepper<std::decay_t<decltype(system)>, double> stepper(system, Quadrature::midpoint);
  State<double, 2> z{{0.3, 0.4}, {0.5, -0.2}};
  const State<double, 2> z0 = z;
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(stepper.step(system, z, 0.1));
  EXPECT_GT(distance(z, z0), 0.1);
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(stepper.step(system, z, -0.1));
  EXPECT_LE(distance(z, z0), 2e-15);
}

TEST(Variational, FailuresLeaveTheState) {
  // |h p| > 1 at the bottom: the pendulum has nowhere to go.
  for (const auto& rule : quadratures) {
    const auto& system = reference::system("planar_pendulum");
    State<double> z{Vector<double, dynamic>{{0, -1}}, Vector<double, dynamic>{{12, 0}}};
    const State<double> before = z;
    const Status s = find_method(method(rule.name)).stepper<double>(system)->step(system, z, 0.1);
    EXPECT_FALSE(s) << rule.name;
    EXPECT_EQ(distance(z, before), 0) << rule.name;
  }
  // The same constraint twice.
  const auto twice = natural_system(
      mass(1, 1), [](const auto& q) { return q[1]; },
      []<class Q>(const Q& q) {
        using S = typename Q::Scalar;
        const S g = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
        return std::array<S, 2>{g, g};
      });
  VariationalStepper<std::decay_t<decltype(twice)>, double> stepper(twice, Quadrature::midpoint);
  State<double, 2> z{{1, 0}, {0, 1}};
  EXPECT_EQ(stepper.step(twice, z, 0.1).outcome, Outcome::rank_loss);
  EXPECT_EQ(distance(z, State<double, 2>{{1, 0}, {0, 1}}), 0);
}

TEST(Variational, RefusesWhatHasNoLagrangian) {
  try {
    find_method("variational").stepper<double>(reference::system("hopf_quartic"));
    FAIL();
  } catch (const ModelError& e) {
    EXPECT_NE(std::string(e.what()).find("constraints on momenta"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace rattleback

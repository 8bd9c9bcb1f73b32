// Integrators on T*Q: maps of fibres, whatever the representative.
#include "rattleback/integrators/cotangent.hpp"

#include "rattleback/geometry/fibre.hpp"
#include "reference_runs.hpp"

namespace rattleback {
namespace {

using reference::distance;

/// Another representative of the same covector.
State<double> slid(const AnySystem& system, State<double> z, double lambda) {
  Vector<double, dynamic> l(system.constraint_count());
  for (Eigen::Index k = 0; k < l.size(); ++k) l[k] = lambda * (1 - 0.3 * k);
  EXPECT_TRUE((Fibre<AnySystem, double>(system).slide(system, l, z)));
  return z;
}

// RATTLE's records: the canonical representative of the same classes. Measured: 6.1e-15 (quartic,
// exact; 3e-15 elsewhere) and 2e-33; 2e-31 where the flow of H is integrated.
TEST(Cotangent, ReferenceTrajectories) {
  for (const auto& b : base_maps)
    reference::expect_reference("cotangent:base=" + std::string(b.name), "rattle",
                                "base=" + std::string(b.name), 1.2e-14,
                                b.map == BaseMap::exact ? 1e-30 : 4e-33);
}

TEST(Cotangent, DoesNotDependOnTheRepresentative) {
  for (const char* base : {"verlet", "midpoint", "euler-a", "gauss2"})
    for (const char* problem : {"quartic", "double_pendulum", "magnetic", "variable_mass_sphere"}) {
      const auto& system = reference::system(problem);
      const Method& method = find_method(std::string("cotangent:base=") + base);
      const auto z0 = reference::start<double>(problem);
      const auto end = reference::run<double>(method, system, z0, 0.0625, 10);
      for (double lambda : {0.3, -7.0, 100.0})
        // Sliding by lambda and back costs eps |lambda|.
        EXPECT_LE(
            distance(reference::run<double>(method, system, slid(system, z0, lambda), 0.0625, 10),
                     end),
            1e-13 + 2e-15 * std::abs(lambda))
            << base << " on " << problem << ", lambda " << lambda;
    }
}

TEST(Cotangent, SlidingInTheMiddleChangesNothing) {
  const auto& system = reference::system("variable_mass_sphere");
  const auto stepper = find_method("cotangent").stepper<double>(system);
  auto z = reference::start<double>("variable_mass_sphere");
  const auto end = reference::run<double>(find_method("cotangent"), system, z, 0.0625, 10);
  for (int k = 0; k < 10; ++k) {
    if (k == 5) {
      z = slid(system, z, 2.5);
      stepper->reset();
    }
    ASSERT_TRUE(stepper->step(system, z, 0.0625));
  }
  const auto basis = tangent_basis(system, z.q);
  EXPECT_LE(largest_magnitude(Vector<double, dynamic>(covector(z, basis) - covector(end, basis))),
            1e-14);
  ASSERT_TRUE(stepper->present(system, z));
  EXPECT_LE(distance(z, end), 1e-14);
}

TEST(Cotangent, PairingsAreIntrinsic) {
  for (const char* problem : {"double_pendulum", "chain_3d", "full_mass_sphere"}) {
    const auto& system = reference::system(problem);
    const auto z = reference::start<double>(problem);
    const auto basis = tangent_basis(system, z.q);
    const int n = system.dimension(), m = system.constraint_count();
    ASSERT_EQ(basis.cols(), n - m);
    Matrix<double, dynamic> g_q(m, n), g_p(m, n);
    Vector<double, dynamic> g(m);
    system.linearise(z.q, z.p, g, g_q, g_p);
    const Matrix<double, dynamic> normal = g_q * basis;
    const Matrix<double, dynamic> gram =
        basis.transpose() * basis - Matrix<double, dynamic>::Identity(n - m, n - m);
    EXPECT_LE(largest_magnitude(normal), 1e-15);
    EXPECT_LE(largest_magnitude(gram), 1e-15);
    // The same numbers for every representative, and back.
    const auto xi = covector(z, basis);
    const auto other = covector(slid(system, z, 3.0), basis);
    EXPECT_LE(largest_magnitude(Vector<double, dynamic>(xi - other)), 1e-14);
    auto lifted = lift(z.q, basis, xi);
    ASSERT_TRUE(find_method("cotangent").stepper<double>(system)->present(system, lifted));
    EXPECT_LE(distance(lifted, z), 2e-15) << problem;
  }
}

TEST(Cotangent, StepOnDualsIsItsDerivative) {
  for (const char* base : {"verlet", "midpoint"})
    EXPECT_LE(reference::jacobian_gap(std::string("cotangent:base=") + base, "magnetic"), 1e-13);
}

TEST(Cotangent, FailuresLeaveTheStateAndMomentaAreRefused) {
  const auto& system = reference::system("planar_pendulum");
  State<double> z{Vector<double, dynamic>{{0, -1}}, Vector<double, dynamic>{{12, 5}}};
  const State<double> before = z;
  EXPECT_FALSE(find_method("cotangent").stepper<double>(system)->step(system, z, 0.1));
  EXPECT_EQ(distance(z, before), 0);
  EXPECT_THROW(find_method("cotangent").stepper<double>(reference::system("hopf_free")),
               ModelError);
}

}  // namespace
}  // namespace rattleback

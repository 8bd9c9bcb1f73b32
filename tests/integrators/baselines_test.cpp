// The baselines do what they are said to do, and fail where they are said to fail.
#include "rattleback/integrators/baselines.hpp"

#include "rattleback/problem/witness/degenerate.hpp"
#include "rattleback/problem/witness/holonomic.hpp"
#include "reference_runs.hpp"

namespace rattleback {
namespace {

using reference::distance;

// Measured over all problems: 9e-16 (chain_3d) and 1.6e-33 (four_bar).
TEST(Baselines, ReferenceTrajectories) {
  reference::expect_reference("baseline:kind=velocity-verlet", "velocity-verlet", "", 2e-15, 3e-33);
  reference::expect_reference("baseline:kind=rk4", "rk4", "", 2e-15, 3e-33);
  reference::expect_reference("baseline:kind=projection", "naive-projection", "base=verlet", 2e-15,
                              3e-33);
}

// Projection after an order-2 step is of order 1: the impulse is taken along G(q1) alone.
TEST(Baselines, OrderIsWhatItClaims) {
  for (const char* problem : {"quartic", "spherical_pendulum", "double_pendulum", "ellipsoid"})
    for (const auto& b : baselines)
      EXPECT_NEAR(reference::order("baseline:kind=" + std::string(b.name), problem), b.order, 0.05)
          << b.name << " on " << problem;
}

/// |g| and |G M^-1 p| at the end of 200 steps.
std::pair<double, double> residuals(const std::string& kind, const std::string& problem) {
  const auto& system = reference::system(problem);
  const auto z = reference::run<double>(find_method("baseline:kind=" + kind), system,
                                        reference::start<double>(problem), 0.0625, 200);
  const int n = system.dimension(), m = system.constraint_count();
  Matrix<double, dynamic> g_q(m, n), g_p(m, n);
  Vector<double, dynamic> g(m), h_q(n), h_p(n);
  system.linearise(z.q, z.p, g, g_q, g_p);
  system.energy_gradient(z.q, z.p, h_q, h_p);
  return {largest_magnitude(g), largest_magnitude(Vector<double, dynamic>(g_q * h_p))};
}

TEST(Baselines, DriftOrKeepTheConstraint) {
  for (const char* problem : {"planar_pendulum", "spherical_pendulum", "ellipsoid"}) {
    for (const char* kind : {"velocity-verlet", "rk4"}) {
      const auto [g, hidden] = residuals(kind, problem);
      EXPECT_GT(g, 1e-7) << kind << " on " << problem;
      EXPECT_GT(hidden, 1e-7) << kind << " on " << problem;
    }
    const auto [g, hidden] = residuals("projection", problem);
    EXPECT_LE(g, 1e-15) << problem;
    EXPECT_LE(hidden, 2e-15) << problem;
  }
}

// Free rotor: one step contracts the area by (1 + h^2 w^2)^(-3/2) (errata, closed forms).
TEST(Baselines, ProjectionContractsTheArea) {
  using D = Dual<double, 4>;
  const auto rotor = natural_system(
      mass(1, 1), []<class Q>(const Q& q) { return typename Q::Scalar(q[0] * 0); },
      quadratic(witness::detail::unit_sphere));
  auto stepper = NaiveMethod<Baseline::projection>{}.stepper<D>(rotor);
  const double w = 0.8, h = 0.1;
  // Tangent vectors of the state manifold at angle 0: d/dtheta and d/dw.
  State<D, 2> z{{D(1), D(0)}, {D(0), D(w)}};
  z.q[1].partials[0] = 1, z.p[0].partials[0] = -w;
  z.p[1].partials[1] = 1;
  ASSERT_TRUE(stepper.step(rotor, z, h));
  double area = 0;
  for (int i = 0; i < 2; ++i)
    area += z.q[i].partials[0] * z.p[i].partials[1] - z.q[i].partials[1] * z.p[i].partials[0];
  EXPECT_NEAR(area, std::pow(1 + h * h * w * w, -1.5), 4e-16);
}

TEST(Baselines, StepOnDualsIsItsDerivative) {
  for (const auto& b : baselines)
    EXPECT_LE(reference::jacobian_gap("baseline:kind=" + std::string(b.name), "full_mass_sphere"),
              1e-13)
        << b.name;
}

TEST(Baselines, FailuresLeaveTheState) {
  // N = 0: no multiplier.
  const auto gauge = witness::gauge();
  auto stepper = NaiveMethod<Baseline::rk4>{}.stepper<double>(gauge);
  auto z = witness::gauge_start.in<double>();
  const auto before = z;
  EXPECT_EQ(stepper.step(gauge, z, 0.1).outcome, Outcome::rank_loss);
  EXPECT_EQ(distance(z, before), 0);
  // Onto the centre of the circle: every point is nearest.
  const auto pendulum = witness::planar_pendulum();
  auto projection = NaiveMethod<Baseline::projection>{}.stepper<double>(pendulum);
  State<double, 2> y{{1, 0}, {-10, 0.05}};
  const auto y0 = y;
  EXPECT_FALSE(projection.step(pendulum, y, 0.1));
  EXPECT_EQ(distance(y, y0), 0);
}

TEST(Baselines, RefuseWhatTheyAreNotFor) {
  EXPECT_THROW(
      find_method("baseline:kind=projection").stepper<double>(reference::system("magnetic")),
      ModelError);
  EXPECT_THROW(find_method("baseline:kind=velocity-verlet")
                   .stepper<double>(reference::system("mixed_quartic")),
               ModelError);
}

}  // namespace
}  // namespace rattleback

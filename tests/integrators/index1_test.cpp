// Index-1 constraints: Gauss collocation directly on q' = H_p, p' = -H_q, 0 = H_beta.
#include "rattleback/integrators/index1.hpp"

#include "rattleback/integrators/variational.hpp"
#include "rattleback/problem/witness/degenerate.hpp"
#include "rattleback/problem/witness/general.hpp"
#include "reference_runs.hpp"

namespace rattleback {
namespace {

using reference::distance;

TEST(Index1, ReferenceTrajectory) {
  reference::expect_reference("index1", "index1-direct", "base=midpoint", 2e-16, 4e-34);
}

// [McLachlan12 5.3] for the midpoint rule; the discrete Lagrangian by midpoint is a third way.
TEST(Index1, MidpointIsShakeOnTheExtendedPhaseSpace) {
  const auto& system = reference::system("index1");
  const auto z0 = reference::start<double>("index1");
  const auto direct = reference::run<double>(find_method("index1"), system, z0, 0.0625, 50);
  for (const char* other : {"rattle:base=midpoint", "rattle:base=midpoint,project=output",
                            "variational:quadrature=midpoint"})
    EXPECT_LE(distance(direct, reference::run<double>(find_method(other), system, z0, 0.0625, 50)),
              4e-15)
        << other;
  EXPECT_LE(reference::error<double>(find_method("index1"),
                                     reference::record("index1", "rattle", "base=midpoint")),
            2e-16);
}

// With more stages beta varies along the step: the full order of Gauss, where RATTLE over the same
// base map stays at 2.
TEST(Index1, MoreStagesAreAnotherMethod) {
  EXPECT_NEAR(reference::order("index1:base=midpoint", "index1"), 2, 0.01);
  EXPECT_NEAR(reference::order("index1:base=gauss2", "index1"), 4, 0.01);
  EXPECT_NEAR(reference::order("index1:base=gauss3", "index1"), 6, 0.01);
  EXPECT_NEAR(reference::order("rattle:base=gauss2", "index1"), 2, 0.01);
  for (const char* base : {"midpoint", "gauss2", "gauss3"}) {
    const std::string method = std::string("index1:base=") + base;
    EXPECT_LE(reference::adjoint_defect(method, method, "index1"), 2e-15);
    EXPECT_LE(reference::jacobian_gap(method, "index1"), 1e-14);
  }
}

TEST(Index1, DoesNotDependOnBeta) {
  const auto& system = reference::system("index1");
  auto z = reference::start<double>("index1");
  const auto end = reference::run<double>(find_method("index1:base=gauss2"), system, z, 0.0625, 10);
  z.p[1] += 0.4;
  EXPECT_LE(
      distance(reference::run<double>(find_method("index1:base=gauss2"), system, z, 0.0625, 10),
               end),
      1e-15);
}

// Two constraints, on the first and the last of three coordinates; typed systems.
TEST(Index1, FindsTheCoordinates) {
  const auto system = hamiltonian_system<3>(
      regular<3>([]<class Q>(const Q& q, const Q& p) {
        using std::cos;
        using S = typename Q::Scalar;
        return S(p[1] * p[1] / 2 + q[1] * q[1] + p[0] * p[0] * (1 + q[1] * q[1]) + p[2] * p[2] +
                 p[0] * p[2] / 2 + p[0] * cos(q[1]) + p[2] * p[1] / 4);
      }),
      []<class Q>(const Q& q) {
        return std::array<typename Q::Scalar, 2>{q[2], q[0]};
      });
  EXPECT_EQ(index1_coordinates(system), (std::vector<int>{2, 0}));
  auto direct = Index1<>{}.stepper<double>(system);
  auto lagrangian = Variational<Quadrature::midpoint>{}.stepper<double>(system);
  State<double, 3> a{{0, 0.5, 0}, {0, 0.3, 0}};
  // beta of the start by a step of length zero.
  ASSERT_TRUE(direct.step(system, a, 0));
  State<double, 3> b = a;
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(direct.step(system, a, 0.0625));
    ASSERT_TRUE(lagrangian.step(system, b, 0.0625));
  }
  EXPECT_LE(distance(a, b), 4e-15);
}

std::string refusal(const AnySystem& system) {
  try {
    find_method("index1").stepper<double>(system);
  } catch (const ModelError& e) {
    return e.what();
  }
  return "none";
}

TEST(Index1, RefusesOtherConstraints) {
  EXPECT_EQ(refusal(reference::system("planar_pendulum")),
            "index1: constraint 1 is not a coordinate itself; use rattle");
  EXPECT_NE(refusal(reference::system("hopf_free")).find("contain momenta"), std::string::npos);
  const auto depends = hamiltonian_system<2>(
      [](const auto& q, const auto& p) { return p[0] * p[0] + p[1] * p[1] + q[1] / 4; },
      [](const auto& q) { return q[1]; });
  EXPECT_EQ(refusal(AnySystem("depends", depends)),
            "index1: constraint 1 fixes a coordinate that H depends on (derivative 0.25 at a "
            "probe); use rattle");
  const auto shifted =
      hamiltonian_system<2>([](const auto&, const auto& p) { return p[0] * p[0] + p[1] * p[1]; },
                            [](const auto& q) { return q[1] - 0.5; });
  EXPECT_NE(refusal(AnySystem("shifted", shifted)).find("not a coordinate itself"),
            std::string::npos);
}

// [McLachlan12 5.2]: H_beta,beta = 0.
TEST(Index1, FailuresLeaveTheState) {
  const auto system = witness::gauge();
  auto stepper = Index1<BaseMap::gauss2>{}.stepper<double>(system);
  auto z = witness::gauge_start.in<double>();
  const auto before = z;
  EXPECT_EQ(stepper.step(system, z, 0.1).outcome, Outcome::rank_loss);
  EXPECT_EQ(distance(z, before), 0);
}

}  // namespace
}  // namespace rattleback

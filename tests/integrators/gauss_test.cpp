// Gauss-Legendre methods beyond the laws: what is composed, which solution a step takes, many
// stages, and how many iterations they need.
#include "rattleback/integrators/gauss.hpp"

#include <gtest/gtest.h>

#include "rattleback/integrators/composition.hpp"
#include "rattleback/testing/energy.hpp"
#include "rattleback/testing/order.hpp"
#include "rattleback/testing/witness_systems.hpp"

namespace rattleback::testing {
namespace {

/// Composed of single steps, as [Reich93 (15)] has it.
struct NaivelyComposed {
  MethodInfo info() const { return {.name = "naive", .order = 4}; }
  template <class S>
  auto stepper(const AnySystem& system) const {
    using Inner = OwnedStepper<S>;
    return ComposedStepper<AnySystem, S, Inner>(
        system, Inner{find_method("gauss").stepper<S>(system)}, Composition::triple_jump4, false);
  }
};

const OrderOptions usual{.time = 0.5, .coarsest = 16, .halvings = 3};

TEST(Gauss, CompositionsAreOfTwoHalfSteps) {
  for (const char* name : {"planar_pendulum", "quartic", "magnetic"}) {
    const WitnessSystem& w = witness_system(name);
    const auto naive = check_order(w.system, NaivelyComposed{}, w.start, usual);
    EXPECT_NEAR(naive.slope(), 2, 0.1) << name << ": " << naive;
    const auto halves =
        check_order(w.system, find_method("gauss:compose=triplejump4"), w.start, usual);
    EXPECT_NEAR(halves.slope(), 4, 0.1) << name << ": " << halves;
  }
}

/// In C++ as in the registry, to the bit.
TEST(Gauss, TypedCompositionsAreOfTwoHalfSteps) {
  const WitnessSystem& w = witness_system("quartic");
  const auto composed = compose(Gauss{}, Composition::triple_jump4);
  EXPECT_EQ(composed.info().order, 4);
  auto stepper = composed.stepper<double>(w.system);
  const auto registered = find_method("gauss:compose=triplejump4").stepper<double>(w.system);
  auto a = convert<double>(w.start), b = a;
  for (int k = 0; k < 3; ++k) {
    ASSERT_TRUE(stepper.step(w.system, a, 0.05));
    ASSERT_TRUE(registered->step(w.system, b, 0.05));
  }
  EXPECT_EQ(distance(a, b), 0);
  EXPECT_THROW((void)compose(Gauss{{.form = Formulation::index3}}, Composition::triple_jump4),
               InputError);
}

/// How much the spread of values grew after their first quarter.
double growth(const std::vector<double>& values) {
  const auto quarter = static_cast<std::ptrdiff_t>(values.size() / 4);
  return spread(values) / spread({values.begin(), values.begin() + quarter});
}

/// Symplectic and near the identity, a composition conserves an energy; but that of the state next
/// to its own on g = {g,H} = 0, H + lambda.g - rho.(G W G^T)^-1 rho / 2 with rho = {g,H}. rho
/// itself goes away, h^4 each unit of time, and takes H along.
TEST(Gauss, CompositionsKeepTheEnergyOfTheStateNextToTheirs) {
  const WitnessSystem& w = witness_system("spherical_pendulum");
  Trial<double, AnySystem, Method> trial(w.system, find_method("gauss:compose=triplejump4"),
                                         convert<double>(w.start));
  Vector<double, dynamic> g(1), h_q(3), h_p(3);
  Matrix<double, dynamic> G(1, 3), unused(1, 3);
  std::vector<double> own, next, rho;
  for (int k = 0; k < 16000 && trial.step(1.0 / 16); ++k) {
    const auto& z = trial.state();
    w.system.linearise(z.q, z.p, g, G, unused);
    w.system.energy_gradient(z.q, z.p, h_q, h_p);
    const double gram = G.squaredNorm(), hidden = G.row(0).dot(h_p);
    const double lambda = (z.p.squaredNorm() - G.row(0).dot(h_q)) / gram;  // G' = p on a sphere
    own.push_back(w.system.energy(z.q, z.p));
    next.push_back(own.back() + lambda * g[0] - hidden * hidden / (2 * gram));
    rho.push_back(hidden);
  }
  ASSERT_EQ(trial.failure(), "");
  EXPECT_LT(growth(next), 1.01);  // 1.002
  EXPECT_GT(growth(own), 2);      // 2.70
  EXPECT_GT(growth(rho), 2);
}

/// At large steps the equations of the index-3 form have other solutions, with momenta of hundreds
/// and more, and Newton finds them without complaint.
TEST(Gauss, TakesNoOtherSolution) {
  const WitnessSystem& w = witness_system("planar_pendulum");
  const auto z0 = convert<double>(w.start);
  const double energy = w.system.energy(z0.q, z0.p);
  int refused = 0;
  for (const char* form : {"index2", "index3"})
    for (const double h : {0.5, 0.8, 1.0, 1.5, 2.0}) {
      const auto stepper =
          find_method("gauss:stages=3,formulation=" + std::string(form)).stepper<double>(w.system);
      auto z = z0;
      Status status;
      for (int k = 0; k < 20 && status; ++k) {
        const auto before = z;
        status = stepper->step(w.system, z, h);
        if (!status) {
          EXPECT_EQ(distance(z, before), 0) << "a failed step changed the state";
        }
        EXPECT_LT(std::abs(w.system.energy(z.q, z.p) - energy), 2) << form << " h = " << h;
      }
      if (!status) ++refused;
    }
  EXPECT_GE(refused, 3);  // with h = 2 a third of a period is one step
}

TEST(Gauss, SixteenStagesAreExactToRoundOff) {
  const WitnessSystem& w = witness_system("magnetic");
  auto truth = w.start;
  ASSERT_TRUE(static_cast<bool>(solve_exactly<Quad>(w.system, truth, Quad(1))));
  for (const char* name :
       {"gauss:stages=16,variant=projected", "gauss:stages=16,formulation=unconstrained"}) {
    Trial<double, AnySystem, Method> trial(w.system, find_method(name), convert<double>(w.start));
    trial.run(0.25, 4);
    EXPECT_EQ(trial.failure(), "") << name;
    EXPECT_LT(distance(trial.state(), truth), 2e-14) << name;
  }
}

/// Iterations of a step, on average over 50 of h = 1/32. Measured: at most 5.7, 6.7, 5.3, 4.1.
TEST(Gauss, NeedsFewIterations) {
  const WitnessSystem& w = witness_system("double_pendulum");
  for (const auto& [form, most] :
       {std::pair{"index2", 7.}, std::pair{"index3", 8.}, std::pair{"index2-momentum", 7.},
        std::pair{"unconstrained", 5.}})
    for (int s = 1; s <= 3; ++s) {
      const auto stepper = find_method("gauss:stages=" + std::to_string(s) + ",formulation=" + form)
                               .stepper<double>(w.system);
      auto z = convert<double>(w.start);
      double sum = 0;
      for (int k = 0; k < 50; ++k) {
        const Status status = stepper->step(w.system, z, 0.03125);
        ASSERT_TRUE(static_cast<bool>(status)) << form << " " << s << " step " << k;
        sum += status.iterations;
      }
      EXPECT_LT(sum / 50, most) << form << " " << s;
      RecordProperty(std::string(form) + std::to_string(s), std::to_string(sum / 50));
    }
}

TEST(Gauss, RefusesWhatItIsNotFor) {
  const WitnessSystem& mixed = witness_system("hopf_gravity");
  EXPECT_THROW((void)find_method("gauss").stepper<double>(mixed.system), ModelError);
  const WitnessSystem& chain = witness_system("chain_3d");  // 24 unknowns a stage
  EXPECT_NO_THROW((void)find_method("gauss:stages=16").stepper<double>(chain.system));
  EXPECT_THROW((void)find_method("gauss:stages=0"), InputError);
  EXPECT_THROW((void)find_method("gauss:formulation=index3,compose=triplejump4"), InputError);
}

}  // namespace
}  // namespace rattleback::testing

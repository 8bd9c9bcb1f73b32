// Methods on the underlying equations: tableaux, substeps by their error, the continuous extension,
// projections where the threshold says so, lanes of packs, impetuses.
#include <gtest/gtest.h>

#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <cmath>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/integrators/explicit_runge_kutta.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/problem/pack.hpp"
#include "rattleback/problem/quad.hpp"
#include "rattleback/text/model.hpp"

namespace rattleback {
namespace {

AnySystem pendulum(double gravity = 1) {
  return expression_system(
      parse_model("[model]\nname = \"pendulum\"\ncoordinates = [\"x\", \"y\"]\n"
                  "mass = [1, 1]\npotential = \"" +
                      std::to_string(gravity) + "*y\"\nconstraints = [\"(x^2 + y^2 - 1)/2\"]\n",
                  "test")
          .system);
}
State<double> start() {
  State<double> z{Vector<double, dynamic>(2), Vector<double, dynamic>(2)};
  z.q << 1, 0;
  z.p << 0, -2;
  return z;
}
AnyStepperPointer<double> stepper(const AnySystem& system, const std::string& options) {
  return find_method("underlying:" + options).stepper<double>(system);
}

/// sum b c^(k-1) = 1/k, and sum b_i a_ij c_j^(k-1) = 1/(k (k+1)) up to the order.
template <class R>
double order_defect(const ExplicitTableau<R>& t) {
  std::vector<R> c;
  for (const auto& row : t.a) {
    R sum(0);
    for (const R& a : row) sum += a;
    c.push_back(sum);
  }
  double worst = magnitude(R(c.back() - R(1)));
  for (int k = 1; k <= t.order; ++k) {
    R first(0), second(0);
    for (int i = 0; i < t.stages(); ++i) {
      R inner(0);
      for (int j = 0; j < i; ++j) inner += t.a[i][j] * R(pow(c[j], k - 1));
      first += t.b()[i] * R(pow(c[i], k - 1));
      second += t.b()[i] * inner;
    }
    worst = std::max(worst, magnitude(R(first - R(1) / k)));
    if (k < t.order) worst = std::max(worst, magnitude(R(second - R(1) / (k * (k + 1)))));
  }
  return worst;
}
TEST(ExplicitTableaux, SatisfyOrderConditions) {
  EXPECT_LE(order_defect(rk4_tableau<Quad>()), 1e-33);
  EXPECT_LE(order_defect(dopri5_tableau<Quad>()), 1e-32);
  EXPECT_LE(order_defect(dop853_tableau<Quad>()), 1e-27);  // 30 digits, of 43
  EXPECT_LE(order_defect(dop853_tableau<double>()), 2e-14);
}

/// z' = (p, -sin q): any field of phase space.
struct Oscillator {
  template <class S>
  Status evaluate(const AnySystem&, const State<S>& z, Vector<S, dynamic>& dq,
                  Vector<S, dynamic>& dp) {
    using std::sin;
    for (int i = 0; i < 2; ++i) dq[i] = z.p[i], dp[i] = -sin(z.q[i]);
    return {};
  }
};

TEST(ExplicitRungeKutta, Dopri5IsThatOfOdeint) {
  using Array = std::array<double, 4>;
  boost::numeric::odeint::runge_kutta_dopri5<Array> theirs;
  Array x{1, 0, 0, -2}, error{};
  const auto f = [](const Array& y, Array& d, double) {
    d = {y[2], y[3], -std::sin(y[0]), -std::sin(y[1])};
  };
  ExplicitRungeKutta<AnySystem, double> ours(dopri5_tableau<double>(), 2);
  const AnySystem system = pendulum();
  Oscillator field;
  State<double> z = start();
  for (int k = 0; k < 100; ++k) {
    theirs.do_step(f, x, 0.1 * k, 0.1, error);
    ASSERT_TRUE(ours.step(field, system, z, 0.1));
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(z.q[i], x[i], 1e-13);
    EXPECT_NEAR(z.p[i], x[2 + i], 1e-13);
  }
}

TEST(ExplicitRungeKutta, FollowsWithLongSteps) {
  const AnySystem system = pendulum();
  for (const bool high : {false, true}) {
    Oscillator field;
    const auto tableau = high ? dop853_tableau<double>() : dopri5_tableau<double>();
    ExplicitRungeKutta<AnySystem, double> adaptive(tableau, 2), fine(dop853_tableau<double>(), 2);
    std::vector<double> times;
    for (int k = 0; k <= 200; ++k) times.push_back(0.05 * k);
    State<double> z = start(), truth = start();
    double worst = 0;
    std::size_t seen = 0;
    ASSERT_TRUE(
        adaptive.follow(field, system, z, times, 1e-9, [&](std::size_t k, const State<double>& at) {
          EXPECT_EQ(k, seen++);
          if (k > 0) {
            ASSERT_TRUE(fine.step(field, system, truth, 0.05));
          }
          worst = std::max({worst, (at.q - truth.q).cwiseAbs().maxCoeff(),
                            (at.p - truth.p).cwiseAbs().maxCoeff()});
        }));
    EXPECT_EQ(seen, times.size());
    EXPECT_LE(worst, 2e-6);  // measured: 1.1e-6, the error of the steps themselves
    EXPECT_LT(adaptive.taken(), high ? 60 : 180) << "fewer steps than looks";
    EXPECT_LE(adaptive.tried(), 2 * adaptive.taken());
  }
}

TEST(Underlying, ToleranceCutsSteps) {
  const AnySystem system = pendulum();
  State<double> truth = start();
  const auto fine = stepper(system, "ode=dop853");
  for (int k = 0; k < 500; ++k) ASSERT_TRUE(fine->step(system, truth, 0.01));
  for (const char* ode : {"dopri5", "dop853"})
    for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
      State<double> z = start();
      char options[64];
      std::snprintf(options, sizeof options, "ode=%s,tolerance=%g", ode, tolerance);
      const auto adaptive = stepper(system, options);
      for (int k = 0; k < 5; ++k) ASSERT_TRUE(adaptive->step(system, z, 1));
      const double error = (z.q - truth.q).norm();
      EXPECT_LE(error, 1e3 * tolerance) << options;
    }
}

TEST(Underlying, ProjectsWhereTheThresholdSaysSo) {
  const AnySystem system = pendulum();
  for (const auto& [options, position, momentum] :
       {std::tuple{"project=both", 200L, 200L}, std::tuple{"project=position", 200L, 0L},
        std::tuple{"formulation=classical,project=momentum,threshold=1e-3", 0L, 0L}}) {
    State<double> z = start();
    const auto s = stepper(system, options);
    for (int k = 0; k < 200; ++k) ASSERT_TRUE(s->step(system, z, 0.025));
    const Projections count = s->projections(200, 0);
    EXPECT_EQ(count.position, position) << options;
    EXPECT_EQ(count.momentum, momentum) << options;
    EXPECT_EQ(s->projections(0, 0).momentum, 0) << "counted once";
  }
}

// Newton with the sign and the matrix that [Seiler (36)] should have: G H_pp G^T.
TEST(Underlying, MomentumProjectionOfANonlinearHamiltonianIsQuadratic) {
  const AnySystem system = expression_system(
      parse_model("[model]\nname = \"relativistic\"\ncoordinates = [\"x\", \"y\", \"z\"]\n"
                  "hamiltonian = \"sqrt(1 + p_x^2 + 2*p_y^2 + 3*p_z^2) + z\"\n"
                  "constraints = [\"(x^2 + y^2 + z^2 - 1)/2\"]\n",
                  "test")
          .system);
  State<double> z{Vector<double, dynamic>(3), Vector<double, dynamic>(3)};
  z.q << 0.6, 0.37, -0.7;
  z.p << 0.5, -0.8, 0.9;
  const auto s = stepper(system, "project=both");
  const Status status = s->step(system, z, 0.125);
  ASSERT_TRUE(static_cast<bool>(status))
      << static_cast<int>(status.outcome) << ", residual " << status.residual;
  const double root = std::sqrt(1 + z.p[0] * z.p[0] + 2 * z.p[1] * z.p[1] + 3 * z.p[2] * z.p[2]);
  EXPECT_NEAR((z.q[0] * z.p[0] + 2 * z.q[1] * z.p[1] + 3 * z.q[2] * z.p[2]) / root, 0, 1e-15);
  EXPECT_NEAR(z.q.squaredNorm(), 1, 1e-15);
}

/// Every lane is what it is alone, with its own constants and its own projections.
/// Measured: 4.7e-14 (total, which is unstable).
TEST(Underlying, LanesAreRunsOfTheirOwn) {
  std::vector<AnySystem> systems;
  for (int k = 0; k < Pack::lanes; ++k) systems.push_back(pendulum(1.125 + 0.125 * k));
  std::vector<const AnySystem*> members;
  for (const auto& s : systems) members.push_back(&s);
  const AnySystem packed = packed_system(members);
  for (const char* options :
       {"formulation=dirac", "formulation=total", "formulation=impetus",
        "formulation=classical,project=momentum,threshold=2e-5", "ode=gauss2", "project=both"}) {
    const auto together = find_method(std::string("underlying:") + options).stepper<Pack>(packed);
    State<Pack> z{Vector<Pack, dynamic>(2), Vector<Pack, dynamic>(2)};
    for (int i = 0; i < 2; ++i) z.q[i] = Pack(start().q[i]), z.p[i] = Pack(start().p[i]);
    std::vector<State<double>> alone(systems.size(), start());
    std::vector<AnyStepperPointer<double>> steppers;
    for (const auto& s : systems) steppers.push_back(stepper(s, options));
    for (int k = 0; k < 20; ++k) {
      ASSERT_TRUE(together->step(packed, z, 0.0625)) << options;
      for (std::size_t lane = 0; lane < alone.size(); ++lane)
        ASSERT_TRUE(steppers[lane]->step(systems[lane], alone[lane], 0.0625));
    }
    long projected = 0;
    for (std::size_t lane = 0; lane < alone.size(); ++lane) {
      projected += steppers[lane]->projections(20, 0).momentum;
      for (int i = 0; i < 2; ++i) {
        EXPECT_NEAR(z.q[i][static_cast<int>(lane)], alone[lane].q[i], 1e-13)
            << options << " lane " << lane;
        EXPECT_NEAR(z.p[i][static_cast<int>(lane)], alone[lane].p[i], 1e-13)
            << options << " lane " << lane;
      }
    }
    if (std::string(options).find("threshold") != std::string::npos) {
      EXPECT_GT(projected, 0);
      EXPECT_LT(projected, 20L * Pack::lanes);
    }
  }
}

TEST(Underlying, ImpetusIsShownAsMomentum) {
  const AnySystem system = pendulum();
  State<double> z = start(), y = start();
  const auto s = stepper(system, "formulation=impetus"),
             reset = stepper(system, "formulation=impetus,project=momentum,threshold=3");
  for (int k = 0; k < 400; ++k) {
    ASSERT_TRUE(s->step(system, z, 0.025));
    ASSERT_TRUE(reset->step(system, y, 0.025));
  }
  EXPECT_GT(std::abs(z.q.dot(z.p)), 20) << "the normal part grows";
  EXPECT_LE(std::abs(y.q.dot(y.p)), 3);
  EXPECT_GT(reset->projections(400, 0).momentum, 5);
  ASSERT_TRUE(s->present(system, z));
  ASSERT_TRUE(reset->present(system, y));
  EXPECT_LE(std::abs(z.q.dot(z.p)), 1e-13);
  EXPECT_LE((z.q - y.q).norm() + (z.p - y.p).norm(), 1e-4) << "no observable sees the gauge";
}

TEST(Underlying, RefusesWhatMeansNothing) {
  EXPECT_THROW((void)find_method("underlying:threshold=1e-6"), InputError);
  EXPECT_THROW((void)find_method("underlying:ode=rk4,tolerance=1e-6"), InputError);
}

}  // namespace
}  // namespace rattleback

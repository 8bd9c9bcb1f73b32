// Partitioned Runge-Kutta methods and splittings where they are one of the others, in whatever core
// each has; tableaux of one's own.
#include <gtest/gtest.h>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/integrators/lobatto.hpp"
#include "rattleback/integrators/prk.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/integrators/spark.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/problem/witness.hpp"
#include "rattleback/testing/trial.hpp"
#include "rattleback/testing/witness_systems.hpp"
#include "rattleback/text/model.hpp"

namespace rattleback::testing {
namespace {

const std::vector<std::string> natural{"planar_pendulum", "double_pendulum", "quartic", "chain_2d",
                                       "full_mass_sphere"};
const std::vector<std::string> general{"quartic", "double_pendulum", "magnetic",
                                       "variable_mass_sphere"};

template <class S = double, class M>
State<S> end(const AnySystem& system, const State<Quad>& start, const M& method) {
  Trial<S, AnySystem, M> trial(system, method, convert<S>(start));
  trial.run(Real<S>(0.046875), 20);
  EXPECT_EQ(trial.failure(), "") << system.name() << ' ' << method.info().name;
  return trial.shown();
}
AnySystem from_text(const std::string& name) {
  return expression_system(
      read_model(RATTLEBACK_SOURCE_DIR "/examples/witness/" + name + ".toml").system);
}

/// Two methods that are the same map, over 20 steps. Measured: 1.6e-14 (chain_2d), others 4e-15.
void expect_same(const std::string& a, const std::string& b, const std::vector<std::string>& on) {
  for (const std::string& name : on) {
    const auto& [system, start] = witness_system(name);
    EXPECT_LT(distance(end(system, start, find_method(a)), end(system, start, find_method(b))),
              4e-14)
        << name << ": " << a << " and " << b;
  }
}

TEST(Partitioned, One_stage_is_rattle_over_an_euler_map) {
  expect_same("prk1", "rattle:base=euler-a", general);
  expect_same("prk1-adjoint", "rattle:base=euler-b", general);
  expect_same("prk1", "splitting:order=1", natural);
}
TEST(Partitioned, Fewest_stages_are_rattle_over_verlet_and_midpoint) {
  expect_same("lobatto:stages=2", "rattle", general);
  expect_same("spark:stages=1", "rattle:base=midpoint", general);
}
TEST(Partitioned, Splittings_are_compositions_of_rattle) {
  expect_same("splitting", "rattle", natural);
  expect_same("splitting:order=4", "rattle:compose=triplejump4", natural);
  expect_same("splitting:order=4,project=output", "splitting:order=4", natural);
}
TEST(Partitioned, Prk2_is_a_splitting_that_lands_in_the_middle) {
  expect_same("prk2", "splitting:c=[0.5;0.5;0],d=[0.5;0;0.5]", natural);
  const auto& [system, start] = witness_system("quartic");
  EXPECT_GT(
      distance(end(system, start, find_method("prk2")), end(system, start, find_method("rattle"))),
      1e-6);
}

/// Systems from text take other steppers: sparse cores, two halves, compiled kicks.
TEST(Partitioned, Systems_from_text_give_the_same) {
  for (const char* method : {"prk1", "prk1-adjoint", "prk2", "lobatto:stages=2", "lobatto:stages=3",
                             "spark:stages=1", "spark:stages=2"})
    for (const std::string& name : general) {
      const auto& [system, start] = witness_system(name);
      EXPECT_LT(distance(end(system, start, find_method(method)),
                         end(from_text(name), start, find_method(method))),
                2e-14)  // measured: 7e-15
          << name << ' ' << method;
    }
}

/// Where the force is constant the two are the same map; here it is not.
TEST(Partitioned, Many_stages_reach_the_solution) {
  const auto& [system, start] = witness_system("quartic");
  const auto a = end<Quad>(system, start, Lobatto{9}), b = end<Quad>(system, start, Spark{8});
  EXPECT_LT(distance(a, b), 1e-21);  // of order 16
  EXPECT_GT(distance(a, b), 1e-31);
}

/// A tableau of one's own: Lobatto's by hand is Lobatto's; Lobatto IIIA for both is refused.
TEST(Partitioned, Own_tableaux) {
  Matrix<Quad, dynamic> a(3, 3), a_hat(3, 3);
  const Quad six = Quad(1) / 6, third = Quad(1) / 3;
  a << 0, 0, 0, Quad(5) / 24, third, Quad(-1) / 24, six, 4 * six, six;
  a_hat << six, -six, 0, six, third, 0, six, 5 * six, 0;
  const std::vector<Quad> b{six, 4 * six, six};
  const PartitionedRungeKutta own{partitioned_tableau(a, b, a_hat, b), lobatto_info(3)};
  EXPECT_TRUE(conditions(own.tableau).is_symplectic(false, 1e-33));
  const auto& [system, start] = witness_system("magnetic");
  EXPECT_LT(distance(end<Quad>(system, start, own), end<Quad>(system, start, Lobatto{3})), 1e-30);

  const PartitionedRungeKutta wrong{partitioned_tableau(a, b, a, b), lobatto_info(3)};
  EXPECT_THROW((void)wrong.stepper<double>(system), InputError);
}

/// A system known by its type has a core of static size.
TEST(Partitioned, Systems_known_by_type_give_the_same) {
  const auto system = witness::planar_pendulum();
  const auto start = witness::planar_pendulum_start.in<Quad>();
  Trial<double, decltype(system), Lobatto> typed(system, Lobatto{3}, convert<double>(start));
  typed.run(0.046875, 20);
  EXPECT_EQ(typed.failure(), "");
  const auto z = typed.shown();
  const auto& witness = witness_system("planar_pendulum");
  EXPECT_LT(distance(State<double>{z.q, z.p}, end(witness.system, witness.start, Lobatto{3})),
            4e-15);
}

TEST(Partitioned, A_step_that_fails_leaves_the_state) {
  const auto& [system, start] = witness_system("planar_pendulum");
  for (const char* name :
       {"prk1", "prk2", "lobatto:stages=3", "spark:stages=2", "splitting:order=4"}) {
    const auto stepper = find_method(name).stepper<double>(system);
    const State<double> before = convert<double>(start);
    State<double> z = before;
    stepper->reset();
    EXPECT_FALSE(stepper->step(system, z, 1e3)) << name;
    EXPECT_EQ(distance(z, before), 0) << name;
    EXPECT_TRUE(stepper->step(system, z, 0.01)) << name;
  }
}

/// At steps where other roots are near: the branch is that of RATTLE, which is lobatto:stages=2.
/// Without the check of inertia the energy jumps from -0.67 to 4.4 in step 177.
TEST(Partitioned, Stays_on_its_branch) {
  const auto& [system, start] = witness_system("double_pendulum");
  State<double> z[2];
  for (int k = 0; k < 2; ++k) {
    const Method method =
        find_method(k == 0 ? "rattle:compose=triplejump4" : "lobatto:compose=triplejump4");
    Trial<double, AnySystem, Method> trial(system, method, convert<double>(start));
    trial.run(0.0625, 180);
    EXPECT_EQ(trial.failure(), "");
    z[k] = trial.shown();
  }
  EXPECT_LT(distance(z[0], z[1]), 1e-6);  // measured: 4e-10: the motion is chaotic
}

TEST(Splitting, Momenta_in_the_constraints_or_beside_q_in_H_are_refused) {
  EXPECT_THROW((void)find_method("splitting").stepper<double>(witness_system("magnetic").system),
               ModelError);
  for (const char* name : {"splitting", "prk2", "lobatto", "spark"})
    EXPECT_THROW((void)find_method(name).stepper<double>(witness_system("hopf_gravity").system),
                 ModelError);
}

}  // namespace
}  // namespace rattleback::testing

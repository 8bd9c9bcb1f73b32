#include "rattleback/expression/recorder.hpp"

#include <gtest/gtest.h>

#include "rattleback/expression/canonical.hpp"
#include "rattleback/expression/derivative.hpp"
#include "rattleback/expression/native.hpp"
#include "rattleback/problem/linked_system.hpp"
#include "rattleback/problem/witness.hpp"

namespace rattleback {
namespace {

using Values = Vector<double, dynamic>;

/// The gradient of f by all of (q, p), from expressions.
Values recorded_gradient(const SystemDescription& d, Expression f, const Values& q,
                         const Values& p) {
  const int n = d.dimension();
  std::vector<Program::Output> outputs;
  for (const auto& [input, value] : gradient(*d.graph, f, 0, 2 * n))
    outputs.push_back({0, input, value});
  Values result = Values::Zero(2 * n);
  const Program program(*d.graph, n, outputs);
  program.run<double>(q.data(), p.data(), result.data(), nullptr);
  return result;
}

template <class Sys, class StateType>
void expect_same_derivatives(const char* name, const Sys& system, const StateType& z) {
  constexpr int N = Sys::dimension_at_compile_time, M = Sys::constraints_at_compile_time;
  const int n = system.dimension(), m = system.constraint_count();
  const SystemDescription d = record(system, name);
  const CanonicalSystem c = canonical(d);
  ASSERT_EQ(c.constraint_count(), m) << name;
  EXPECT_EQ(d.name, name);

  Vector<double, N> h_q(n), h_p(n);
  system.energy_gradient(z.q, z.p, h_q, h_p);
  Values expected(2 * n);
  expected << h_q, h_p;
  const Values q = z.q, p = z.p;
  EXPECT_LE((recorded_gradient(c.source, c.hamiltonian, q, p) - expected).cwiseAbs().maxCoeff(),
            1e-14)
      << name;

  Vector<double, M> g(m);
  Matrix<double, M, N> g_q(m, n), g_p(m, n);
  g_q.setZero();
  g_p.setZero();
  system.linearise(z.q, z.p, g, g_q, g_p);
  if (system.traits().holonomic) g_p.setZero();
  for (int i = 0; i < m; ++i) {
    expected << g_q.row(i).transpose(), g_p.row(i).transpose();
    EXPECT_LE(
        (recorded_gradient(c.source, c.constraints[i], q, p) - expected).cwiseAbs().maxCoeff(),
        1e-14)
        << name << ", constraint " << i;
  }
}

TEST(Recorder, DerivativesOfAllWitnessesAreTheAutomaticOnes) {
  witness::for_each([](const char* name, const auto& system, const auto& start) {
    expect_same_derivatives(name, system, start.template in<double>());
  });
  expect_same_derivatives("chain", witness::chain<3>(20), witness::chain_start<double, 3>(20));
}

TEST(Recorder, FormsTellWhatIsKnown) {
  using Form = SystemDescription::Form;
  EXPECT_EQ(record(witness::planar_pendulum()).form, Form::natural);
  EXPECT_EQ(record(witness::planar_pendulum()).mass.size(), 2U);
  EXPECT_EQ(record(witness::variable_mass_sphere()).form, Form::natural);
  EXPECT_EQ(record(witness::variable_mass_sphere()).mass.size(), 9U);
  EXPECT_EQ(record(witness::magnetic()).form, Form::hamiltonian);
  Matrix<double, 2> m;
  m << 2, 0.5, 0.5, 1;
  const auto full = record(natural_system(mass_matrix(m), [](const auto& q) { return q[0]; }));
  EXPECT_EQ(full.mass.size(), 4U);
  EXPECT_EQ(full.graph->value(full.mass[1]), 0.5);
}

TEST(Recorder, LagrangiansAreRecordedInVelocities) {
  const auto system = lagrangian_system<2>([](const auto& q, const auto& v) {
    using std::cos;
    return (v[0] * v[0] + q[0] * q[0] * v[1] * v[1]) / 2 + cos(q[1]) * q[0];
  });
  const SystemDescription d = record(system);
  EXPECT_EQ(d.form, SystemDescription::Form::lagrangian);
  EXPECT_EQ(d.graph->inputs_of(d.lagrangian), (std::vector<int>{0, 1, 4, 5}));
  State<double, 2> z;
  z.q << 1.3, 0.4;
  z.p << 0.2, -0.7;
  expect_same_derivatives("lagrangian", system, z);
}

TEST(Recorder, LinkedSystemsAndTheirMasses) {
  const std::vector<double> masses{1, 2, 3};
  const auto system = chain_system<2>(masses, {1, 1, 1}, [](const auto& x) { return x[1] * 9.81; });
  const SystemDescription d = record(system);
  ASSERT_EQ(d.mass.size(), 6U);
  EXPECT_EQ(d.graph->value(d.mass[3]), 2);
  const auto z = witness::chain_start<double, 2>(3);
  expect_same_derivatives("linked", system, z);
}

TEST(Recorder, EigenExpressionsAndAllFunctions) {
  const auto energy = []<class Q>(const Q& q, const Q& p) {
    using std::abs, std::acos, std::asin, std::atan, std::atan2, std::cos, std::cosh, std::exp;
    using std::log, std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
    using S = typename Q::Scalar;
    Matrix<double, 2> a;
    a << 1, 2, 3, 4;
    const Vector<S, 2> rotated = a * q + p * 0.5;
    S sum = rotated.dot(q) + q.squaredNorm() * 2 + (q - p).norm();
    sum += sqrt(q[0]) + exp(q[1]) + log(q[0]) + sin(q[1]) + cos(p[0]) + tan(p[1]);
    sum -= asin(q[1]) + acos(q[1]) + atan(q[0]) + sinh(p[0]) + cosh(p[0]) + tanh(p[1]);
    sum *= pow(q[0], 3) + pow(q[0], 0.3);
    sum /= 2 + abs(p[1]) - 1.0f * q[0] + 3 * q[1];
    return S(-sum + atan2(q[0], p[0]) + (+q[1]));
  };
  State<double, 2> z;
  z.q << 0.8, 0.4;
  z.p << 0.3, -0.6;
  const auto system = hamiltonian_system<2>(energy);
  const SystemDescription d = record(system);
  const Program::Output output{0, 0, d.hamiltonian};
  const Program program(*d.graph, 2, std::span(&output, 1));
  double value = 0;
  program.run<double>(z.q.data(), z.p.data(), &value, nullptr);
  EXPECT_NEAR(value, system.energy(z.q, z.p), 1e-14 * std::abs(value));
  Vector<double, 2> h_q, h_p;
  system.energy_gradient(z.q, z.p, h_q, h_p);
  Values expected(4);
  expected << h_q, h_p;
  EXPECT_LE((recorded_gradient(d, d.hamiltonian, z.q, z.p) - expected).cwiseAbs().maxCoeff(),
            1e-13 * expected.cwiseAbs().maxCoeff());
}

template <class Energy>
std::string refusal(Energy energy) {
  try {
    (void)record(hamiltonian_system<1>(energy));
  } catch (const ModelError& e) {
    return e.what();
  }
  return "";
}

TEST(Recorder, BranchesOnInputsAreRefused) {
  const std::string comparison =
      "the model branches on its inputs (a comparison of what depends on them) and cannot be "
      "recorded";
  EXPECT_EQ(refusal([]<class Q>(const Q& q, const Q& p) {
              using S = typename Q::Scalar;
              return q[0] > 0 ? S(p[0] * p[0]) : S(q[0]);
            }),
            comparison);
  EXPECT_EQ(refusal([]<class Q>(const Q& q, const Q& p) { return std::max(q[0], p[0]); }),
            comparison);
  EXPECT_EQ(refusal([]<class Q>(const Q& q, const Q& p) {
              using S = typename Q::Scalar;
              return q[0] == p[0] ? S(p[0] * p[0]) : S(q[0]);
            }),
            comparison);
  // What only compares numbers is no branch on inputs.
  EXPECT_EQ(refusal([]<class Q>(const Q& q, const Q& p) {
              using S = typename Q::Scalar;
              const S two(2), none = q[0] - q[0];
              return two > 1 && none == 0 ? S(p[0] * p[0] * two) : S(q[0]);
            }),
            "");
}

TEST(Recorder, RecordingsDoNotMix) {
  Graph g, other;
  const Recorded a(g, g.input(0)), b(other, other.input(0));
  EXPECT_THROW((void)(a + b), ModelError);
  EXPECT_THROW((void)a.in(other), ModelError);
}

}  // namespace
}  // namespace rattleback

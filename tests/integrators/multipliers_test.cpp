// lambda as it is reported is the lambda of the step. From two states of a trajectory it can be
// read off the formulas, whatever core and kernel made the step:
//   kick - drift - kick, M constant:  M (q1 - q)/h = p - G(q)^T lambda - a h V_q(q)
//   midpoint:                         z1 = z+ + h X_H((z+ + z1)/2),  z+ = exp(lambda X_g) z
// and as h -> 0 it is that of the equations of motion: lambda/h -> Lambda/2 after a projection.
#include <gtest/gtest.h>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/expression/recorder.hpp"
#include "rattleback/geometry/consistent.hpp"
#include "rattleback/integrators/cotangent.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/integrators/variational.hpp"
#include "rattleback/problem/linked_system.hpp"
#include "rattleback/problem/witness.hpp"

namespace rattleback {
namespace {

/// A stepper, by itself or behind a pointer.
template <class Stepper>
auto& in(Stepper& stepper) {
  if constexpr (requires { stepper->reset(); })
    return *stepper;
  else
    return stepper;
}

/// Largest |p - G^T lambda - a h V_q - M (q1 - q)/h| over some steps, times h, and the largest
/// lambda. M is diagonal.
struct Kicked {
  double residual = 0, largest = 0;
};
template <class S, class Sys, class Stepper>
Kicked kicked(const Sys& system, Stepper made, StateOf<Sys, S> z,
              const Vector<double, dynamic>& mass, double before) {
  auto& stepper = in(made);
  const int n = system.dimension(), m = system.constraint_count();
  const Real<S> h(0.01);
  Kicked worst;
  PositionOf<Sys, S> v_q(n), h_p(n);
  MultiplierOf<Sys, S> g(m);
  JacobianOf<Sys, S> g_q(m, n), g_p(m, n);
  stepper.reset();
  for (int k = 0; k < 12; ++k) {
    const auto old = z;
    EXPECT_TRUE(stepper.step(system, z, h)) << k;
    const auto& lambda = stepper.lambda();
    EXPECT_EQ(lambda.size(), m);
    if (lambda.size() != m) return {1e300, 0};
    system.energy_gradient(old.q, old.p, v_q, h_p);  // H_q = V_q: M is constant
    system.linearise(old.q, old.p, g, g_q, g_p);
    for (int i = 0; i < n; ++i) {
      S left = (z.q[i] - old.q[i]) * Real<S>(mass[i] / h) - old.p[i] + v_q[i] * Real<S>(before * h);
      for (int j = 0; j < m; ++j) left += g_q(j, i) * lambda[j];
      worst.residual = larger(worst.residual, 0.01 * magnitude(base(left)));
    }
    for (int j = 0; j < m; ++j) worst.largest = larger(worst.largest, magnitude(base(lambda[j])));
  }
  return worst;
}

// The difference q1 - q is off by the rounding of q: h times the residual by eps |q|. Measured, in
// units of eps: 5.5.
template <class S>
void expect_kicked(const Kicked& found, double size = 1) {
  EXPECT_LT(found.residual, 12 * size * epsilon<S>);
  EXPECT_GT(found.largest, 1e-3) << "lambda is zero: this tests nothing";
}

template <class S, class Sys, class M>
void expect_kicked(const Sys& system, const M& method, const StateOf<Sys, S>& z,
                   const Vector<double, dynamic>& mass, double before = 0.5) {
  SCOPED_TRACE(method.info().name);
  expect_kicked<S>(kicked<S>(system, method.template stepper<S>(system), z, mass, before),
                   std::max(1.0, largest_magnitude(z.q)));
}

Vector<double, dynamic> ones(int n) { return Vector<double, dynamic>::Ones(n); }

TEST(Multipliers, OfEveryMethod) {
  const auto system = witness::planar_pendulum();
  const auto z = witness::planar_pendulum_start.in<double>();
  expect_kicked<double>(system, Rattle<>{}, z, ones(2));
  expect_kicked<double>(system, Shake<>{}, z, ones(2));
  expect_kicked<double>(system, Rattle<>{.project = Projection::output}, z, ones(2));
  expect_kicked<double>(system, Rattle<BaseMap::euler_a>{}, z, ones(2), 1);
  expect_kicked<double>(system, Rattle<BaseMap::euler_b>{}, z, ones(2), 0);
  expect_kicked<double>(system, Cotangent<>{}, z, ones(2));
  expect_kicked<double>(system, Rattle<BaseMap::verlet, Sums::compensated>{}, z, ones(2));
}

TEST(Multipliers, OfEveryScalar) {
  const auto system = witness::planar_pendulum();
  expect_kicked<Quad>(system, Rattle<>{}, witness::planar_pendulum_start.in<Quad>(), ones(2));
  expect_kicked<Pack>(system, Rattle<>{}, witness::planar_pendulum_start.in<Pack>(), ones(2));
}

TEST(Multipliers, OfSeveralConstraintsDense) {
  Vector<double, dynamic> two(4);
  two << 1, 1, 2, 2;
  const auto z = witness::double_pendulum_start.in<double>();
  expect_kicked<double>(witness::double_pendulum(), Rattle<>{}, z, two);
  expect_kicked<double>(witness::double_pendulum(), Shake<>{}, z, two);
  expect_kicked<double>(witness::chain<2>(7), Rattle<>{}, witness::chain_start<double, 2>(7),
                        ones(14));
}

const auto gravity = [](const auto& x) { return x[1]; };

/// Bodies in a row, one unit from each other, joined as given.
template <class Links>
auto linked(int n, Links links) {
  State<double> z{Vector<double, dynamic>(2 * n), Vector<double, dynamic>(2 * n)};
  for (int i = 0; i < n; ++i) {
    z.q[2 * i] = 0.7 * (i + 1), z.q[2 * i + 1] = 0.3 * std::sin(2.0 * i);
    z.p[2 * i] = 0.1 * std::sin(1.0 + i), z.p[2 * i + 1] = 0.2 * std::cos(1.0 * i);
  }
  for (Link<2>& l : links) {
    const Vector<double, 2> a = l.first == ground ? l.anchor : z.q.segment<2>(2 * l.first);
    l.length = (z.q.segment<2>(2 * l.second) - a).norm();
  }
  auto system = linked_system<2>(std::vector<double>(n, 1.0), gravity, links);
  const State<double> start = consistent(system, z);
  return std::pair(std::move(system), start);
}
auto tree(int n) {
  std::vector<Link<2>> links{{.first = ground, .second = 0}};
  for (int i = 1; i < n; ++i) links.push_back({.first = (i - 1) / 2, .second = i});
  return linked(n, links);
}

TEST(Multipliers, OfChainsAndTreesOfLinks) {
  const auto chain = chain_system<2>(20, gravity);
  const auto z = witness::chain_start<double, 2>(20);
  expect_kicked<double>(chain, Rattle<>{}, z, ones(40));
  expect_kicked<double>(chain, Shake<>{}, z, ones(40));
  const auto [system, start] = tree(31);
  expect_kicked<double>(system, Rattle<>{}, start, ones(62));
  expect_kicked<double>(system, Shake<>{}, start, ones(62));
}

/// From text, or recorded, as text is: straight-line code.
void expect_kicked_compiled(const AnySystem& system, const State<double>& z) {
  const double size = std::max(1.0, largest_magnitude(z.q));
  for (const auto& [name, before] :
       {std::pair("rattle", 0.5), std::pair("shake", 0.5), std::pair("rattle:base=euler-a", 1.0),
        std::pair("variational", 0.5), std::pair("cotangent", 0.5)}) {
    SCOPED_TRACE(name);
    const Method& method = find_method(name);
    expect_kicked<double>(
        kicked<double>(system, method.stepper<double>(system), z, ones(system.dimension()), before),
        size);
  }
}
TEST(Multipliers, OfCompiledSystems) {
  const auto compiled = [](const auto& system, const auto& z) {
    expect_kicked_compiled(expression_system(record(system)), {z.q, z.p});
  };
  compiled(witness::planar_pendulum(), witness::planar_pendulum_start.in<double>());
  compiled(chain_system<2>(20, gravity), witness::chain_start<double, 2>(20));
  const auto [system, start] = tree(31);
  compiled(system, start);
}

/// z+ for g = |z|^2 + 0.3 q_0 - 0.2 p_1 - 1: a turn by 2 lambda about (-0.15, 0, 0, 0.1). Without
/// the linear terms, about 0.
State<double, 2> turned(State<double, 2> z, double lambda, double a, double b) {
  const double c = std::cos(2 * lambda), s = std::sin(2 * lambda);
  const Vector<double, 2> q = z.q - Vector<double, 2>(a, 0), p = z.p - Vector<double, 2>(0, b);
  z.q = Vector<double, 2>(q * c + p * s) + Vector<double, 2>(a, 0);
  z.p = Vector<double, 2>(p * c - q * s) + Vector<double, 2>(0, b);
  return z;
}

/// Largest |z1 - z+ - h X_H((z+ + z1)/2)|.
template <class Sys>
double midpoint_residual(const Sys& system, const State<double, 2>& z, const State<double, 2>& z1,
                         double h) {
  Vector<double, 2> h_q, h_p;
  system.energy_gradient(Vector<double, 2>((z.q + z1.q) / 2), Vector<double, 2>((z.p + z1.p) / 2),
                         h_q, h_p);
  return larger(largest_magnitude(Vector<double, 2>(z1.q - z.q - h * h_p)),
                largest_magnitude(Vector<double, 2>(z1.p - z.p + h * h_q)));
}

template <class Sys, class Start>
void expect_turned(const Sys& system, const Start& start, double a, double b) {
  const double h = 0.02;
  State<double, 2> z = start.template in<double>();
  auto stepper = Shake<BaseMap::midpoint>{}.template stepper<double>(system);
  for (int k = 0; k < 12; ++k) {
    const auto old = z;
    auto projected = Rattle<BaseMap::midpoint>{}.template stepper<double>(system);
    auto same = z;
    ASSERT_TRUE(projected.step(system, same, h));
    ASSERT_TRUE(stepper.step(system, z, h));
    const double lambda = stepper.lambda()[0];
    EXPECT_GT(std::abs(lambda), 1e-3);
    EXPECT_LT(midpoint_residual(system, turned(old, lambda, a, b), z, h),
              4e-15);  // measured: 2e-15
    EXPECT_NEAR(projected.lambda()[0], lambda, 1e-13);
  }
}
TEST(Multipliers, OfMixedConstraints) {
  expect_turned(witness::hopf_gravity(), witness::hopf_gravity_start, 0, 0);
  expect_turned(witness::hopf_shifted(), witness::hopf_shifted_start, -0.15, 0.1);
}

/// Midpoint on position constraints: z+ = (q, p - G^T lambda).
TEST(Multipliers, OfImplicitBaseMapsOnPositions) {
  const auto system = witness::quartic();
  const double h = 0.02;
  State<double, 2> z = witness::quartic_start.in<double>();
  auto stepper = Shake<BaseMap::midpoint>{}.stepper<double>(system);
  for (int k = 0; k < 12; ++k) {
    auto plus = z;
    ASSERT_TRUE(stepper.step(system, z, h));
    const double lambda = stepper.lambda()[0], x = plus.q[0];
    plus.p -= lambda * Vector<double, 2>(4 * x * x * x, 2 * plus.q[1]);
    EXPECT_GT(std::abs(lambda), 1e-3);
    EXPECT_LT(midpoint_residual(system, plus, z, h), 4e-15);
  }
}

/// p - G^T lambda = -D1 L_d = M (q1 - q)/h + h/2 V_q((q + q1)/2).
TEST(Multipliers, OfVariationalSteps) {
  const auto system = witness::quartic();
  const double h = 0.02;
  State<double, 2> z = witness::quartic_start.in<double>();
  auto stepper = Variational<Quadrature::midpoint>{}.stepper<double>(system);
  for (int k = 0; k < 12; ++k) {
    const auto old = z;
    ASSERT_TRUE(stepper.step(system, z, h));
    const double lambda = stepper.lambda()[0], x = old.q[0];
    Vector<double, 2> v_q, unused;
    system.energy_gradient(Vector<double, 2>((old.q + z.q) / 2), old.p, v_q, unused);
    const Vector<double, 2> left = old.p - lambda * Vector<double, 2>(4 * x * x * x, 2 * old.q[1]);
    EXPECT_GT(std::abs(lambda), 1e-4);
    EXPECT_LT(largest_magnitude(Vector<double, 2>(left - (z.q - old.q) / h - h / 2 * v_q)), 4e-14);
  }
}

/// Lambda of p' = -V_q - G^T Lambda for the pendulum: |p|^2 - q_1.
TEST(Multipliers, TendToThoseOfTheMotion) {
  const auto system = witness::planar_pendulum();
  const auto start = witness::planar_pendulum_start.in<Quad>();
  const Quad exact = start.p.squaredNorm() - start.q[1];
  double before = 0;
  for (const double h : {0.04, 0.02, 0.01, 0.005}) {
    auto z = start;
    auto stepper = Rattle<>{}.stepper<Quad>(system);
    ASSERT_TRUE(stepper.step(system, z, Quad(h)));
    const double error = magnitude(Quad(stepper.lambda()[0] / Quad(h) - exact / 2));
    if (before > 0) {
      EXPECT_NEAR(std::log2(before / error), 1, 0.1) << h;
    }
    before = error;
  }
}

}  // namespace
}  // namespace rattleback

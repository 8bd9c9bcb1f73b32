// Large systems written in C++: recorded once, they step as sparse as they are.
#include "rattleback/expression/recorded_system.hpp"

#include <gtest/gtest.h>

#include "rattleback/expression/sparse_derivatives.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/problem/hamiltonian_system.hpp"
#include "rattleback/problem/natural_system.hpp"
#include "rattleback/testing/trial.hpp"

namespace rattleback::testing {
namespace {

/// Rods of length 1 in a plane, one from the other.
auto rods(int count) {
  return constraints(count, [count](const auto& q, auto& g) {
    for (int i = 0; i < count; ++i) {
      auto x = q[2 * i], y = q[2 * i + 1];
      if (i > 0) x -= q[2 * i - 2], y -= q[2 * i - 1];
      g[i] = x * x + y * y - 1;
    }
  });
}
auto hanging(int count) {
  return natural_system(
      mass(Vector<double, dynamic>(Vector<double, dynamic>::Ones(2 * count))),
      [](const auto& q) {
        auto sum = q[1];
        for (Eigen::Index i = 3; i < q.size(); i += 2) sum += q[i];
        return sum;
      },
      rods(count));
}
/// In a magnetic field that depends on the place: H is not separable.
auto magnetic(int count) {
  return hamiltonian_system(
      2 * count,
      [](const auto& q, const auto& p) {
        typename std::decay_t<decltype(q)>::Scalar sum(0);
        for (Eigen::Index i = 0; i < q.size(); i += 2) {
          const auto x = p[i] + q[i + 1] * q[i + 1] / 8, y = p[i + 1] - q[i] / 4;
          sum += x * x / 2 + y * y / 2 + q[i + 1];
        }
        return sum;
      },
      rods(count));
}
/// Stretched out at some angle, at rest.
State<double> stretched(int count) {
  State<double> z{Vector<double, dynamic>(2 * count), Vector<double, dynamic>::Zero(2 * count)};
  for (int i = 0; i < count; ++i) {
    z.q[2 * i] = (i > 0 ? z.q[2 * i - 2] : 0.0) + 0.6;
    z.q[2 * i + 1] = (i > 0 ? z.q[2 * i - 1] : 0.0) - 0.8;
  }
  return z;
}

template <class Sys>
void expect_same_steps(const Sys& system, State<double> start, const std::string& method) {
  const AnySystem sparse = recorded_system("recorded", system), full("typed", system);
  const Method found = find_method(method);
  Trial<double, AnySystem, Method> a(sparse, found, start), b(full, found, start);
  a.run(0.01, 50), b.run(0.01, 50);
  EXPECT_EQ(a.failure() + b.failure(), "") << method;
  EXPECT_LE(distance(a.shown(), b.shown()), 1e-12) << method;
}

TEST(RecordedSystem, StepsAreThoseOfTheTypedSystem) {
  expect_same_steps(hanging(6), stretched(6), "rattle");
  expect_same_steps(hanging(6), stretched(6), "rattle:base=midpoint");
}

TEST(RecordedSystem, StepsAreAsSparseAsTheFunctions) {
  const auto terms = [](int count) {
    const auto d = sparse_derivatives(recorded_system("chain", magnetic(count)));
    return d->hessian_places.size() + d->slope_places.size();
  };
  EXPECT_EQ(terms(300) - terms(200), terms(200) - terms(100));
  const auto structure = [](const AnySystem& chain) {
    return find_method("rattle").stepper<double>(chain)->structure(chain);
  };
  EXPECT_NE(structure(AnySystem("chain", hanging(200))).find("200 x 200"), std::string::npos);
  EXPECT_EQ(structure(recorded_system("chain", hanging(200))).find(" x "), std::string::npos);
}

TEST(RecordedSystem, BranchesCannotBeRecorded) {
  const auto bouncing =
      natural_system(mass(1.0, 1.0), [](const auto& q) { return q[1] > 0 ? q[1] : q[1] * q[1]; });
  EXPECT_THROW((void)recorded_system("bouncing", bouncing), ModelError);
}

}  // namespace
}  // namespace rattleback::testing

// A Legendre transform that fails within a step ends the run like any other failed solve.
#include <gtest/gtest.h>

#include <rattleback/rattleback.hpp>

#include "rattleback/integrators/registry.hpp"
#include "rattleback/problem/lagrangian_system.hpp"

namespace rb = rattleback;

namespace {

/// p = v/sqrt(1 + |v|^2) stays below 1, and the force takes it there: p = t.
const auto bounded_momentum = []<class Q>(const Q& q, const Q& v) {
  using std::sqrt;
  using S = typename Q::Scalar;
  return S(sqrt(S(1 + v[0] * v[0] + v[1] * v[1])) + q[0]);
};
/// A relativistic particle: |v| < 1, by ever fewer digits.
const auto relativistic = []<class Q>(const Q& q, const Q& v) {
  using std::sqrt;
  using S = typename Q::Scalar;
  return S(-sqrt(S(1 - v[0] * v[0] - v[1] * v[1])) + q[0] * 1e6);
};
const auto on_a_line = [](const auto& q) { return q[1]; };
const rb::State<double, 2> rest{{0, 0}, {0, 0}};

template <class Run>
void expect_end(const Run& run, double edge, const std::string& method) {
  SCOPED_TRACE(method);
  EXPECT_FALSE(run.ok());
  EXPECT_EQ(run.status.outcome, rb::Outcome::not_finite);
  EXPECT_NE(run.failure.text().find("Legendre transform"), std::string::npos) << run.failure;
  EXPECT_NE(run.failure.text().find("v = ("), std::string::npos) << run.failure;
  // Everything up to there is kept.
  EXPECT_GE(run.states.size(), std::size_t(run.steps));  // the last may have no energy
  EXPECT_GT(run.final.p[0], 0.9 * edge);
  EXPECT_LT(run.final.p[0], 1.1 * edge);
}

TEST(LegendreFailure, EndsTheRunAndIsNamed) {
  const auto system = rb::lagrangian_system<2>(bounded_momentum, on_a_line);
  const rb::RunOptions<rb::State<double, 2>> options{.step = 0.01, .steps = 200, .every = 1};
  expect_end(rb::integrate(system, rb::Rattle{}, rest, options), 1, "verlet");
  expect_end(rb::integrate(system, rb::Rattle<rb::BaseMap::midpoint>{}, rest, options), 1,
             "midpoint");
}

TEST(LegendreFailure, WhereTheDigitsEnd) {
  const rb::AnySystem system("relativistic", rb::lagrangian_system<2>(relativistic));
  rb::State<double> start{rest.q, rest.p};
  start.p[0] = 1e5;
  const auto run = rb::integrate(system, rb::find_method("rattle"), start,
                                 {.step = 0.1, .steps = 2000, .every = 1});
  expect_end(run, 6.7e6, "verlet");  // |v| = 1 - 1/(2 p^2), to 1e-14
  // The last good state is kept where none was to be stored, too.
  const auto rarely = rb::integrate(system, rb::find_method("rattle"), start,
                                    {.step = 0.1, .steps = 2000, .every = 2000});
  EXPECT_EQ(rarely.steps, run.steps);
  EXPECT_GT(rarely.final.p[0], 0.9 * 6.7e6);
}

TEST(LegendreFailure, IsNamedForEveryMethodAtRunTime) {
  const rb::AnySystem system("bounded", rb::lagrangian_system<2>(bounded_momentum, on_a_line));
  const rb::State<double> start{rest.q, rest.p};
  int tried = 0;
  for (const rb::Method& method : rb::law_methods()) {
    if (!method.info().applies(system.traits()) || method.family().name == "index1") continue;
    // Variational steps ask L itself, and the exact flow does not converge this near a pole of v.
    // The total Hamiltonian asks for expressions.
    const bool asks = method.family().name != "variational" &&
                      method.info().name.find("base=exact") == std::string::npos &&
                      method.info().name.find("formulation=total") == std::string::npos;
    if (!asks) continue;
    const auto run = rb::integrate(system, method, start, {.step = 0.01, .steps = 200, .every = 1});
    expect_end(run, 1, method.info().name);
    ++tried;
  }
  EXPECT_GT(tried, 20);
}

TEST(LegendreFailure, OfTheStartIsRefused) {
  const auto system = rb::lagrangian_system<2>(bounded_momentum, on_a_line);
  try {
    (void)rb::integrate(system, rb::Rattle{}, {.q = {0, 0}, .p = {1.5, 0}},
                        {.step = 0.1, .steps = 10});
    FAIL() << "no exception";
  } catch (const rb::ModelError& e) {
    EXPECT_NE(std::string(e.what()).find("Legendre transform"), std::string::npos) << e.what();
  }
}

}  // namespace

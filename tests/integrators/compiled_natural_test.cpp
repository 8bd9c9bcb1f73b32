// Steps in straight-line code are the steps of the typed systems, for every structure of
// constraints: those are held by the law suite, so these are too.
#include "rattleback/integrators/compiled_natural.hpp"

#include <gtest/gtest.h>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/expression/recorder.hpp"
#include "rattleback/geometry/consistent.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/problem/linked_system.hpp"
#include "rattleback/problem/witness.hpp"

namespace rattleback {
namespace {

/// Nonlinear, different for every body.
struct Swell {
  template <class X>
  auto operator()(const X& x, int body) const {
    using std::sin;
    using S = typename X::Scalar;
    return S(x[1] * 1.5 + sin(x[0]) * (0.1 * body) + x[0] * x[0] * x[1] * 0.05);
  }
};

template <class Sys>
void expect_same_steps(const Sys& system, const State<double>& start,
                       const std::string& structure) {
  const AnySystem compiled = expression_system(record(system));
  EXPECT_EQ(find_method("rattle").stepper<double>(compiled)->structure(compiled), structure);
  const AnySystem typed("typed", system);
  for (const char* name : {"rattle", "shake", "rattle:base=euler-a", "rattle:project=output"}) {
    const Method& method = find_method(name);
    auto fast = method.stepper<double>(compiled), slow = method.stepper<double>(typed);
    ASSERT_NE(compiled.model<double>().compiled(), nullptr);
    State<double> z = start, y = start;
    const Advance done = fast->advance(compiled, z, 0.01, 60);
    ASSERT_TRUE(static_cast<bool>(done.status)) << name;
    ASSERT_TRUE(static_cast<bool>(slow->advance(typed, y, 0.01, 60).status)) << name;
    ASSERT_TRUE(static_cast<bool>(fast->present(compiled, z)));
    ASSERT_TRUE(static_cast<bool>(slow->present(typed, y)));
    const double size = largest_magnitude(y.q) + largest_magnitude(y.p);
    EXPECT_LT(largest_magnitude(z.q - y.q), 2e-11 * size) << name << ", " << structure;
    EXPECT_LT(largest_magnitude(z.p - y.p), 2e-11 * size) << name << ", " << structure;
    EXPECT_GT(largest_magnitude(z.q - start.q), 1e-3) << "nothing moved";
  }
}

/// Bodies on a zigzag, joined as given; rods as long as they are there.
auto zigzag(int bodies, double spacing, std::vector<Link<2>> links) {
  State<double> z{Vector<double, dynamic>(2 * bodies), Vector<double, dynamic>::Zero(2 * bodies)};
  for (int i = 0; i < bodies; ++i) {
    z.q[2 * i] = spacing * (i + 1) + 0.1 * std::sin(3.0 * i);
    z.q[2 * i + 1] = 0.6 * std::cos(2.0 * i);
    z.p[2 * i] = 0.1 * std::sin(1.0 + i);
  }
  for (Link<2>& l : links) {
    const Vector<double, 2> a = l.first == ground ? l.anchor : z.q.segment<2>(2 * l.first);
    l.length = (z.q.segment<2>(2 * l.second) - a).norm();
  }
  std::vector<double> masses;
  for (int i = 0; i < bodies; ++i) masses.push_back(1 + 0.3 * (i % 4));
  auto system = linked_system<2>(masses, Swell{}, links);
  const State<double> start = consistent(AnySystem("start", system), z);
  return std::pair(std::move(system), start);
}
void expect_same_steps(int bodies, const std::vector<Link<2>>& links,
                       const std::string& structure) {
  const auto [system, start] = zigzag(bodies, std::min(0.9, 20.0 / bodies), links);
  expect_same_steps(system, start, structure);
}
std::vector<Link<2>> binary_tree(int bodies) {
  std::vector<Link<2>> links{{.first = ground, .second = 0}};
  for (int i = 1; i < bodies; ++i) links.push_back({.first = (i - 1) / 2, .second = i});
  return links;
}

TEST(CompiledNatural, small_systems_of_static_size) {
  const auto check = [](auto system, const auto& start, const std::string& structure) {
    const auto z = start.template in<double>();
    expect_same_steps(system, {z.q, z.p}, structure);
  };
  check(witness::planar_pendulum(), witness::planar_pendulum_start, "dense 1 x 1");
  check(witness::quartic(), witness::quartic_start, "dense 1 x 1");
  check(witness::spherical_pendulum(), witness::spherical_pendulum_start, "dense 1 x 1");
  check(witness::double_pendulum(), witness::double_pendulum_start, "dense 2 x 2");
}

TEST(CompiledNatural, chains) {
  for (const int n : {9, 20, 41}) {
    std::vector<Link<2>> links;
    for (int i = 0; i < n; ++i) links.push_back({.first = i - 1, .second = i});
    expect_same_steps(n, links, "chain of " + std::to_string(n));
  }
}

TEST(CompiledNatural, trees) { expect_same_steps(127, binary_tree(127), "tree of 127"); }

/// Strong forces on long rods: the last steps before there is no solution need more than the matrix
/// of their start (LinkedGraph.StepsReachAsFarAsTheirSolution).
TEST(CompiledNatural, hard_steps_of_a_tree) {
  const auto [system, start] = zigzag(127, 0.9, binary_tree(127));
  const AnySystem compiled = expression_system(record(system)), typed("typed", system);
  const Method& method = find_method("rattle:base=euler-a");
  State<double> z = start, y = start;
  const Advance done = method.stepper<double>(compiled)->advance(compiled, z, 0.01, 23);
  EXPECT_EQ(done.steps, 23);
  EXPECT_GT(done.newton_max, 10);
  EXPECT_EQ(method.stepper<double>(typed)->advance(typed, y, 0.01, 23).steps, 23);
  EXPECT_LT(largest_magnitude(z.q - y.q), 1e-10 * largest_magnitude(y.q));
}

TEST(CompiledNatural, loops_have_fill) {
  std::vector<Link<2>> links;  // a ring hung from one point
  links.push_back({.first = ground, .second = 0});
  for (int i = 1; i < 60; ++i) links.push_back({.first = i - 1, .second = i});
  links.push_back({.first = 59, .second = 0});
  expect_same_steps(60, links, "banded of 61");
}

}  // namespace
}  // namespace rattleback

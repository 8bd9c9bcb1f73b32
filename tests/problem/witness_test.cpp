#include "rattleback/problem/witness.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "rattleback/problem/check_derivatives.hpp"
#include "rattleback/problem/quad.hpp"

namespace rattleback {
namespace {

/// Largest of |g| and |{g, H}|.
template <class S, class Sys>
double inconsistency(const Sys& system, const StateOf<Sys, S>& z) {
  const int n = system.dimension(), m = system.constraint_count();
  PositionOf<Sys, S> h_q(n), h_p(n);
  MultiplierOf<Sys, S> g(m);
  JacobianOf<Sys, S> g_q(m, n), g_p(m, n);
  g_p.setConstant(S(0));
  system.linearise(z.q, z.p, g, g_q, g_p);
  system.energy_gradient(z.q, z.p, h_q, h_p);
  double worst = largest_magnitude(g);
  for (int k = 0; k < m; ++k) {
    S bracket(0);
    for (int i = 0; i < n; ++i) {
      bracket += g_q(k, i) * h_p[i];
      if (!system.traits().holonomic) bracket -= g_p(k, i) * h_q[i];
    }
    worst = larger(worst, magnitude(bracket));
  }
  return worst;
}

// Measured: 2.3e-16 in double, 2.0e-34 in Quad.
TEST(Witness, starts_are_consistent) {
  witness::for_each([&](const std::string& name, const auto& system, const auto& start) {
    using Sys = std::decay_t<decltype(system)>;
    static_assert(ConstrainedSystem<Sys>);
    const double in_double = inconsistency<double>(system, start.template in<double>());
    const double in_quad = inconsistency<Quad>(system, start.template in<Quad>());
    EXPECT_LT(in_double, 5e-16) << name;
    EXPECT_LT(in_quad, 4e-34) << name;
  });
}

TEST(Witness, derivatives_and_promises_hold) {
  witness::for_each([&](const std::string& name, const auto& system, const auto& start) {
    const auto z = start.template in<double>();
    const DerivativeReport report = check_derivatives(system, z.q, z.p);
    EXPECT_TRUE(report.ok()) << name << "\n" << report;
  });
}

TEST(Witness, chains_of_any_length_start_consistently) {
  // Measured at 100 links: 6.7e-15 (positions up to 70 cancel in the rods).
  for (int links : {1, 2, 3, 7, 100}) {
    EXPECT_LT(
        inconsistency<double>(witness::chain<2>(links), witness::chain_start<double, 2>(links)),
        1.4e-14)
        << links;
    EXPECT_LT(
        inconsistency<double>(witness::chain<3>(links), witness::chain_start<double, 3>(links)),
        1.4e-14)
        << links;
  }
  EXPECT_THROW(witness::chain<2>(0), InputError);
}

TEST(Witness, degenerate_problems_start_consistently) {
  using namespace witness;
  EXPECT_EQ(inconsistency<double>(index5(), index5_start.in<double>()), 0);
  EXPECT_EQ(inconsistency<double>(gauge(), gauge_start.in<double>()), 0);
  EXPECT_LT(inconsistency<Quad>(energy_constraint(), energy_constraint_start.in<Quad>()), 1e-33);
}

/// The reference data of one problem, as text.
std::string reference() {
  std::ifstream file(std::string(RATTLEBACK_SOURCE_DIR) + "/tests/reference/trajectories.json");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Witness, starts_are_those_of_the_reference) {
  const std::string text = reference();
  ASSERT_FALSE(text.empty());
  witness::for_each([&](const std::string& name, const auto&, const auto& start) {
    EXPECT_NE(text.find("\"" + name + "\""), std::string::npos) << name;
    for (const auto* values : {&start.q, &start.p})
      for (const char* value : *values)
        EXPECT_NE(text.find('"' + std::string(value) + '"'), std::string::npos)
            << name << " " << value;
  });
}

TEST(Witness, names_are_unique_and_the_kinds_are_there) {
  std::set<std::string> names;
  int count = 0, holonomic = 0, mixed = 0, natural = 0, separable = 0, quadratic = 0;
  witness::for_each([&](const std::string& name, const auto& system, const auto&) {
    const Traits traits = system.traits();
    names.insert(name);
    ++count;
    (traits.holonomic ? holonomic : mixed) += 1;
    natural += traits.natural;
    separable += traits.separable;
    quadratic += traits.quadratic;
    EXPECT_TRUE(traits.lagrangian || !traits.holonomic) << name;
  });
  EXPECT_EQ(names.size(), 21u);
  EXPECT_EQ(count, 21);
  EXPECT_EQ(mixed, 8);
  EXPECT_EQ(holonomic, 13);
  EXPECT_EQ(natural, 15);
  EXPECT_EQ(separable, 15);
  EXPECT_EQ(quadratic, 17);
}

TEST(Witness, constants_are_exact_in_quad) {
  // V(q) = 0.3 at q = (1, 0, 0): a double 0.3 would be off by 1e-17.
  Vector<Quad, 3> q(Quad(1), Quad(0), Quad(0)), v;
  const Quad difference = witness::spherical_pendulum().potential(q) - Quad("0.3");
  EXPECT_LT(magnitude(difference), 1e-34);
  const auto heavy = witness::full_mass_sphere();
  Vector<Quad, 3> p(Quad(2), Quad("0.3"), Quad("-0.2"));
  heavy.velocity(p, v);  // M e_0
  EXPECT_LT(magnitude(Quad(v[0] - 1)), 1e-33);
  EXPECT_LT(magnitude(v[1]), 1e-33);
  EXPECT_LT(magnitude(v[2]), 1e-33);
}

TEST(Witness, hopf_gravity_takes_a_level) {
  Vector<double, 2> q(0.5, 0.5), p(0.5, 0.5);
  Vector<double, 1> g;
  witness::hopf_gravity(0.98).constraint(q, p, g);
  EXPECT_EQ(g[0], 1 - 0.98);
}

}  // namespace
}  // namespace rattleback

#include "rattleback/problem/check_derivatives.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>

#include "rattleback/problem/hamiltonian_system.hpp"
#include "rattleback/problem/natural_system.hpp"

namespace rattleback {
namespace {

const Vector<double, 2> q(0.7, -1.3), p(0.4, 0.9);
const auto circle = [](const auto& x) { return (x.squaredNorm() - 1) / 2; };

/// V = q0^2 q1 with its own gradient, wrong by a factor where asked.
struct OwnPotential {
  double factor = 1;
  template <class Q>
  auto operator()(const Q& x) const {
    return x[0] * x[0] * x[1];
  }
  template <class Q>
  void gradient(const Q& x, Q& out) const {
    out[0] = x[0] * x[1] * 2;
    out[1] = x[0] * x[0] * factor;
  }
};

void expect_wrong(const DerivativeReport& report, const std::string& name,
                  const std::string& entry) {
  EXPECT_FALSE(report.ok());
  const DerivativeCheck* check = report.find(name);
  ASSERT_NE(check, nullptr) << report;
  EXPECT_FALSE(report.holds(*check)) << report;
  EXPECT_EQ(check->entry, entry);
  EXPECT_NE(report.text().find("WRONG  " + name), std::string::npos) << report;
}

TEST(CheckDerivatives, right_ones_pass) {
  const auto report = check_derivatives(natural_system(mass(1, 2), OwnPotential{}, circle), q, p);
  EXPECT_TRUE(report.ok()) << report;
  // Measured: 0; one unit in the last place is allowed.
  for (const auto& check : report.checks) EXPECT_LT(check.difference, 3e-16) << check.name;
  EXPECT_NE(report.find("potential gradient"), nullptr);
  EXPECT_NE(report.find("Hamiltonian gradient"), nullptr);
  EXPECT_NE(report.find("constraint Jacobian"), nullptr);
  EXPECT_NE(report.find("Lagrangian gradient"), nullptr);
}

TEST(CheckDerivatives, wrong_potential_gradient_is_named_with_both_values) {
  const auto report =
      check_derivatives(natural_system(mass(1, 2), OwnPotential{1.5}, circle), q, p);
  expect_wrong(report, "potential gradient", "dV/dq[1]");
  const DerivativeCheck* check = report.find("potential gradient");
  EXPECT_DOUBLE_EQ(check->given, 0.735);
  EXPECT_DOUBLE_EQ(check->expected, 0.49);
  std::ostringstream text;
  text << report;
  EXPECT_NE(text.str().find("dV/dq[1]: given 0.735, expected 0.49"), std::string::npos)
      << text.str();
}

struct OwnHamiltonian {
  static constexpr bool separable = true;
  double mix = 0;
  double sign = 1;
  double lagrangian_sign = 1;
  template <class Q>
  auto operator()(const Q& x, const Q& y) const {
    return y.squaredNorm() / 2 + x[0] * x[1] + x[0] * y[1] * mix;
  }
  template <class Q>
  void gradient(const Q& x, const Q& y, Q& h_q, Q& h_p) const {
    h_q[0] = x[1] + y[1] * mix;
    h_q[1] = x[0] * sign;
    h_p[0] = y[0];
    h_p[1] = y[1] + x[0] * mix;
  }
  template <class Q>
  void lagrangian_gradient(const Q& x, const Q& v, Q& l_q, Q& l_v) const {
    l_q[0] = -x[1];
    l_q[1] = -x[0];
    l_v[0] = v[0] * lagrangian_sign;
    l_v[1] = v[1];
  }
};

TEST(CheckDerivatives, wrong_hamiltonian_gradient) {
  EXPECT_TRUE(check_derivatives(hamiltonian_system<2>(OwnHamiltonian{}, circle), q, p).ok());
  expect_wrong(check_derivatives(hamiltonian_system<2>(OwnHamiltonian{.sign = -1}, circle), q, p),
               "Hamiltonian gradient", "dH/dq[1]");
}

TEST(CheckDerivatives, broken_promise_separable) {
  expect_wrong(check_derivatives(hamiltonian_system<2>(OwnHamiltonian{.mix = 0.1}), q, p),
               "promise separable", "d2H/dq[0]dp[1]");
}

TEST(CheckDerivatives, wrong_lagrangian) {
  expect_wrong(
      check_derivatives(hamiltonian_system<2>(OwnHamiltonian{.lagrangian_sign = -1}), q, p),
      "Lagrangian gradient", "dL/dv[0]");
}

struct OwnMixedJacobian {
  bool right;
  template <class Q>
  auto operator()(const Q& x, const Q& y) const {
    using S = typename Q::Scalar;
    return std::array<S, 2>{S(x[0] * y[1]), S(x[1] * x[1] + y[0])};
  }
  template <class Q, class J>
  void jacobian(const Q& x, const Q& y, J& g_q, J& g_p) const {
    using S = typename Q::Scalar;
    g_q << y[1], S(0), S(0), x[1] * (right ? 2.0 : 1.0);
    g_p << S(0), x[0], S(1), S(0);
  }
};
TEST(CheckDerivatives, wrong_constraint_jacobian) {
  const auto energy = [](const auto&, const auto& y) { return y.squaredNorm() / 2; };
  EXPECT_TRUE(check_derivatives(hamiltonian_system<2>(energy, OwnMixedJacobian{true}), q, p).ok());
  expect_wrong(check_derivatives(hamiltonian_system<2>(energy, OwnMixedJacobian{false}), q, p),
               "constraint Jacobian", "dg[1]/dq[1]");
}

TEST(CheckDerivatives, broken_promise_quadratic) {
  const auto flat = []<class Q>(const Q&) { return typename Q::Scalar(0); };
  const auto sphere = [](const auto& x, const auto& y) { return x.squaredNorm() + y[0] * x[1]; };
  const auto cubic = [](const auto& x, const auto& y) { return x[0] * y[1] + x[1] * x[1] * x[1]; };
  EXPECT_TRUE(check_derivatives(natural_system(mass(1, 1), flat, quadratic(sphere)), q, p).ok());
  expect_wrong(check_derivatives(natural_system(mass(1, 1), flat, quadratic(cubic)), q, p),
               "promise quadratic", "dg[0]/dq[1]");
}

/// Angular momentum; its flow turns q and p by lambda, the wrong one turns backwards.
struct SignedSlide {
  double direction;
  template <class Q>
  auto operator()(const Q& x, const Q& y) const {
    return x[0] * y[1] - x[1] * y[0];
  }
  template <class V, class L>
  void slide(V& x, V& y, const L& lambda) const {
    using std::cos, std::sin;
    using S = typename V::Scalar;
    const S c = cos(lambda[0]), s = sin(lambda[0]) * direction;
    for (V* z : {&x, &y}) {
      const S first = (*z)[0], second = (*z)[1];
      (*z)[0] = first * c - second * s;
      (*z)[1] = first * s + second * c;
    }
  }
};
TEST(CheckDerivatives, fibre_flow_satisfies_its_equation) {
  const auto energy = [](const auto&, const auto& y) { return y.squaredNorm() / 2; };
  const auto right = check_derivatives(hamiltonian_system<2>(energy, SignedSlide{1}), q, p);
  EXPECT_TRUE(right.ok()) << right;
  ASSERT_NE(right.find("fibre flow"), nullptr);
  const auto wrong = check_derivatives(hamiltonian_system<2>(energy, SignedSlide{-1}), q, p);
  EXPECT_FALSE(wrong.ok());
  EXPECT_FALSE(wrong.holds(*wrong.find("fibre flow")));
}

struct BrokenGradient {
  template <class Q>
  auto operator()(const Q& x) const {
    return x[0];
  }
  template <class Q>
  void gradient(const Q& x, Q& out) const {
    out[0] = x[0] * NAN;
    out[1] = x[1] * 0;
  }
};
TEST(CheckDerivatives, what_is_not_a_number_is_wrong) {
  expect_wrong(check_derivatives(natural_system(mass(1, 1), BrokenGradient{}), q, p),
               "potential gradient", "dV/dq[0]");
}

TEST(CheckDerivatives, sizes_are_checked) {
  const Vector<double, dynamic> masses = Vector<double, dynamic>::Ones(3);
  const auto system = natural_system(mass(masses), [](const auto& x) { return x[0]; });
  const Vector<double, dynamic> two = Vector<double, dynamic>::Ones(2);
  EXPECT_THROW((void)check_derivatives(system, two, two), InputError);
}

}  // namespace
}  // namespace rattleback

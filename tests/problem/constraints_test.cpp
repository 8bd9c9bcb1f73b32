#include "rattleback/problem/constraints.hpp"

#include <gtest/gtest.h>

#include "rattleback/problem/hamiltonian_system.hpp"
#include "rattleback/problem/natural_system.hpp"

namespace rattleback {
namespace {

const auto unit_circle = [](const auto& q) { return (q.squaredNorm() - 1) / 2; };
const auto pair_in_array = []<class Q>(const Q& q) {
  using S = typename Q::Scalar;
  return std::array<S, 2>{S(q[0] * q[1]), S(q[0] - q[1])};
};
const auto pair_in_vector = []<class Q>(const Q& q) {
  using S = typename Q::Scalar;
  return Vector<S, 2>(S(q[0] * q[1]), S(q[0] - q[1]));
};
const auto sphere = [](const auto& q, const auto& p) {
  return q.squaredNorm() + p.squaredNorm() - 1;
};

TEST(Constraints, what_the_function_returns_decides) {
  const auto one = make_constraints<2>(unit_circle);
  EXPECT_EQ(one.count_at_compile_time, 1);
  EXPECT_TRUE(one.holonomic);
  EXPECT_FALSE(one.quadratic);
  const auto array = make_constraints<2>(pair_in_array);
  EXPECT_EQ(array.count_at_compile_time, 2);
  EXPECT_TRUE(array.holonomic);
  const auto vector = make_constraints<2>(pair_in_vector);
  EXPECT_EQ(vector.count_at_compile_time, 2);
  const auto mixed = make_constraints<2>(sphere);
  EXPECT_EQ(mixed.count_at_compile_time, 1);
  EXPECT_FALSE(mixed.holonomic);
  const auto promised = make_constraints<2>(quadratic(sphere));
  EXPECT_FALSE(promised.holonomic);
  EXPECT_TRUE(promised.quadratic);
  const auto at_run_time = make_constraints<dynamic>(unit_circle);
  EXPECT_EQ(at_run_time.count(), 1);
}

TEST(Constraints, counts_at_run_time) {
  const auto written = constraints(3, [](const auto& q, auto& g) {
    for (int i = 0; i < 3; ++i) g[i] = q[i] * q[i + 1];
  });
  EXPECT_EQ(written.count(), 3);
  EXPECT_TRUE(written.holonomic);
  const auto promised = make_constraints<dynamic>(quadratic(written));
  EXPECT_EQ(promised.count(), 3);
  EXPECT_TRUE(promised.quadratic);
  const auto mixed = mixed_constraints(2, [](const auto& q, const auto& p, auto& g) {
    g[0] = q[0] * p[0];
    g[1] = q[1] * p[1];
  });
  EXPECT_EQ(mixed.count(), 2);
  EXPECT_FALSE(mixed.holonomic);
}

TEST(Constraints, all_forms_agree) {
  const Vector<double, 2> q(0.6, -1.1), p(0.2, 0.9);
  Vector<double, 2> g, other;
  Matrix<double, 2> g_q, g_p, other_q;
  make_constraints<2>(pair_in_array).linearise(q, p, g, g_q, g_p);
  make_constraints<2>(pair_in_vector).linearise(q, p, other, other_q, g_p);
  EXPECT_EQ(g, other);
  EXPECT_EQ(g_q, other_q);
  EXPECT_EQ(g_q(0, 0), -1.1);
  EXPECT_EQ(g_q(0, 1), 0.6);
  EXPECT_EQ(g_q(1, 1), -1);

  const auto written = constraints(2, [](const auto& x, auto& out) {
    out[0] = x[0] * x[1];
    out[1] = x[0] - x[1];
  });
  const Vector<double, dynamic> dq = q, dp = p;
  Vector<double, dynamic> dg(2);
  Matrix<double, dynamic> dg_q(2, 2), dg_p(2, 2);
  written.linearise(dq, dp, dg, dg_q, dg_p);
  EXPECT_EQ(dg, g);
  EXPECT_EQ(dg_q, g_q);
}

struct OwnJacobian {
  template <class Q>
  auto operator()(const Q& q) const {
    return (q.squaredNorm() - 1) / 2;
  }
  template <class Q, class J>
  void jacobian(const Q& q, J& g_q) const {
    ++calls;
    g_q.row(0) = q.transpose();
  }
  static inline int calls = 0;
};
TEST(Constraints, own_jacobian_is_used) {
  const Vector<double, 2> q(0.6, -1.1);
  Vector<double, 1> g;
  Matrix<double, 1, 2> g_q, g_p, automatic;
  const auto set = make_constraints<2>(OwnJacobian{});
  set.linearise(q, q, g, g_q, g_p);
  EXPECT_EQ(OwnJacobian::calls, 1);
  set.automatic_linearise(q, q, g, automatic, g_p);
  EXPECT_EQ(OwnJacobian::calls, 1);
  EXPECT_EQ(g_q, automatic);
}

/// Angular momentum with its own fibre flow, the rotation by lambda.
struct OwnSlide {
  template <class Q>
  auto operator()(const Q& q, const Q& p) const {
    return q[0] * p[1] - q[1] * p[0];
  }
  template <class V, class L>
  void slide(V& q, V& p, const L& lambda) const {
    using std::cos, std::sin;
    using S = typename V::Scalar;
    const S c = cos(lambda[0]), s = sin(lambda[0]);
    for (V* x : {&q, &p}) {
      const S first = (*x)[0], second = (*x)[1];
      (*x)[0] = first * c - second * s;
      (*x)[1] = first * s + second * c;
    }
  }
};
TEST(Constraints, own_fibre_flow_reaches_the_system) {
  const auto flat = []<class Q>(const Q&) { return typename Q::Scalar(0); };
  const auto natural = natural_system(mass(1, 1), flat, OwnSlide{});
  const auto general =
      hamiltonian_system<2>([](const auto&, const auto& p) { return p.squaredNorm(); }, OwnSlide{});
  Vector<double, 2> q(1, 0), p(0, 2);
  const Vector<double, 1> quarter(std::acos(-1.0) / 2);
  EXPECT_TRUE(natural.slide(q, p, quarter));
  EXPECT_NEAR(q[1], 1, 1e-16);
  EXPECT_NEAR(p[0], -2, 1e-16);
  EXPECT_TRUE(general.slide(q, p, quarter));
  EXPECT_NEAR(q[0], -1, 1e-16);
}

TEST(Constraints, none_at_all) {
  const auto free = natural_system(mass(1, 1), [](const auto& q) { return q[0]; });
  EXPECT_EQ(free.constraint_count(), 0);
  EXPECT_TRUE(free.traits().holonomic);
  static_assert(ConstrainedSystem<decltype(free)>);
}

}  // namespace
}  // namespace rattleback

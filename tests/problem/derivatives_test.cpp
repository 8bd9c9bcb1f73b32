#include "rattleback/problem/derivatives.hpp"

#include <gtest/gtest.h>

#include "rattleback/problem/quad.hpp"

namespace rattleback {
namespace {

template <class S, int N>
Vector<S, N> point(int n, double phase) {
  using std::sin;
  Vector<S, N> x(n);
  for (int i = 0; i < n; ++i) x[i] = S(std::sin(1.7 * i + phase));
  return x;
}

/// sum_i x_i^3 x_{i+1} + cos(x_i), and its gradient by hand.
const auto scalar_function = []<class X>(const X& x) {
  using std::cos;
  typename X::Scalar sum(0);
  const Eigen::Index n = x.size();
  for (Eigen::Index i = 0; i < n; ++i) sum += x[i] * x[i] * x[i] * x[(i + 1) % n] + cos(x[i]);
  return sum;
};
template <class S>
S scalar_slope(const auto& x, Eigen::Index i) {
  using std::sin;
  const Eigen::Index n = x.size(), before = (i + n - 1) % n;
  return 3 * x[i] * x[i] * x[(i + 1) % n] + x[before] * x[before] * x[before] - sin(x[i]);
}

// Measured: 2 epsilon.
template <class S, int N>
void expect_gradient(int n) {
  const auto x = point<S, N>(n, 0.3);
  Vector<S, N> out(n);
  automatic_gradient(scalar_function, x, out);
  for (int i = 0; i < n; ++i)
    EXPECT_LT(magnitude(S(out[i] - scalar_slope<S>(x, i))), 4 * epsilon<S>) << n << " " << i;
}

TEST(Derivatives, gradient_of_one_vector_for_static_and_dynamic_sizes) {
  expect_gradient<double, 2>(2);
  expect_gradient<double, 3>(3);
  expect_gradient<double, 4>(4);
  expect_gradient<double, 5>(5);
  expect_gradient<double, 8>(8);
  expect_gradient<double, 9>(9);
  expect_gradient<double, 13>(13);
  for (int n : {2, 3, 4, 5, 8, 9, 30}) expect_gradient<double, dynamic>(n);
  expect_gradient<Quad, 5>(5);
  expect_gradient<Quad, dynamic>(9);
}

/// sum_i q_i p_{i+1}^2 + q_i^2
const auto pair_function = []<class X>(const X& q, const X& p) {
  typename X::Scalar sum(0);
  const Eigen::Index n = q.size();
  for (Eigen::Index i = 0; i < n; ++i) sum += q[i] * p[(i + 1) % n] * p[(i + 1) % n] + q[i] * q[i];
  return sum;
};

template <int N>
void expect_pair_gradient(int n) {
  const auto q = point<double, N>(n, 0.3), p = point<double, N>(n, 1.1);
  Vector<double, N> f_q(n), f_p(n);
  automatic_gradient(pair_function, q, p, f_q, f_p);
  for (int i = 0; i < n; ++i) {
    const double next = p[(i + 1) % n];
    EXPECT_NEAR(f_q[i], next * next + 2 * q[i], 1e-15) << n;
    EXPECT_NEAR(f_p[i], 2 * q[(i + n - 1) % n] * p[i], 1e-15) << n;
  }
}

TEST(Derivatives, gradient_of_two_vectors_for_static_and_dynamic_sizes) {
  expect_pair_gradient<2>(2);
  expect_pair_gradient<3>(3);
  expect_pair_gradient<4>(4);
  expect_pair_gradient<5>(5);
  expect_pair_gradient<11>(11);
  for (int n : {2, 3, 4, 5, 7, 11}) expect_pair_gradient<dynamic>(n);
}

/// m functions g_k = q_k q_{k+1} + k q_0
const auto holonomic = [](const auto& q, auto& g) {
  for (Eigen::Index k = 0; k < g.size(); ++k)
    g[k] = q[k] * q[(k + 1) % q.size()] + q[0] * double(k);
};
const auto mixed = [](const auto& q, const auto& p, auto& g) {
  for (Eigen::Index k = 0; k < g.size(); ++k)
    g[k] = q[k] * p[(k + 1) % q.size()] + p[0] * double(k);
};

template <int N, int M>
void expect_jacobians(int n, int m) {
  const auto q = point<double, N>(n, 0.3), p = point<double, N>(n, 1.1);
  Vector<double, M> g(m), direct(m);
  Matrix<double, M, N> g_q(m, n), g_p(m, n);
  automatic_jacobian(holonomic, q, g, g_q);
  holonomic(q, direct);
  for (int k = 0; k < m; ++k) {
    EXPECT_NEAR(g[k], direct[k], 4e-16);  // fused or not: 1.1e-16
    for (int i = 0; i < n; ++i) {
      const double expected =
          (i == k ? q[(k + 1) % n] : 0) + (i == (k + 1) % n ? q[k] : 0) + (i == 0 ? k : 0);
      EXPECT_NEAR(g_q(k, i), expected, 1e-15) << n << " " << m;
    }
  }
  automatic_jacobian(mixed, q, p, g, g_q, g_p);
  mixed(q, p, direct);
  for (int k = 0; k < m; ++k) {
    EXPECT_NEAR(g[k], direct[k], 4e-16);  // fused or not: 1.1e-16
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(g_q(k, i), i == k ? p[(k + 1) % n] : 0, 1e-15) << n << " " << m;
      EXPECT_NEAR(g_p(k, i), (i == (k + 1) % n ? q[k] : 0) + (i == 0 ? k : 0), 1e-15);
    }
  }
}

TEST(Derivatives, jacobians_for_static_and_dynamic_sizes) {
  expect_jacobians<2, 1>(2, 1);
  expect_jacobians<3, 2>(3, 2);
  expect_jacobians<6, 3>(6, 3);
  expect_jacobians<10, 4>(10, 4);
  expect_jacobians<8, dynamic>(8, 3);
  for (int n : {2, 4, 5, 9, 16}) expect_jacobians<dynamic, dynamic>(n, n / 2);
}

TEST(Derivatives, gradients_of_dual_points_are_hessians) {
  using D = Dual<double, 4>;
  const int n = 6;
  const auto x = point<double, dynamic>(n, 0.3);
  for (int j = 0; j < n; ++j) {
    Vector<D, dynamic> lifted = x.cast<D>(), out(n);
    lifted[j] = D::variable(x[j], 1);
    automatic_gradient(scalar_function, lifted, out);
    for (int i = 0; i < n; ++i) {
      const int next = (i + 1) % n, before = (i + n - 1) % n;
      const double expected = (j == i ? 6 * x[i] * x[next] - std::cos(x[i]) : 0) +
                              (j == next ? 3 * x[i] * x[i] : 0) +
                              (j == before ? 3 * x[before] * x[before] : 0);
      EXPECT_NEAR(out[i].partials[1], expected, 2e-15);
      EXPECT_EQ(out[i].partials[0], 0);
    }
  }
}

}  // namespace
}  // namespace rattleback

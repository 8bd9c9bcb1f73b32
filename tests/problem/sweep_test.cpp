// Sweeps of duals: every direction has its turn once, whatever the chunk; scratch by tag.
#include "rattleback/problem/sweep.hpp"

#include <gtest/gtest.h>

#include "rattleback/problem/quad.hpp"
#include "rattleback/problem/scratch.hpp"

namespace rattleback {
namespace {

using V = Vector<double, dynamic>;
using M = Matrix<double, dynamic>;

/// y_i = x_i x_{i+1} + sin x_i, the last with x_0.
template <class X, class Y>
void ring(const X& x, Y& y) {
  using std::sin;
  const Eigen::Index n = x.size();
  for (Eigen::Index i = 0; i < n; ++i) y[i] = x[i] * x[(i + 1) % n] + sin(x[i]);
}
M ring_jacobian(const V& x) {
  const Eigen::Index n = x.size();
  M j = M::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    j(i, i) += x[(i + 1) % n] + std::cos(x[i]);
    j(i, (i + 1) % n) += x[i];
  }
  return j;
}
V point(int n) {
  V x(n);
  for (int i = 0; i < n; ++i) x[i] = 0.3 + std::sin(1.0 + 2.1 * i);
  return x;
}

template <int K>
void expect_ring(int n) {
  const V x = point(n);
  Vector<Dual<double, K>, dynamic> lifted(n), y(n);
  M by_units = M::Constant(n, n, NAN), along = M::Constant(n, 2, NAN);
  int runs = 0;
  sweep<K>(n, [&](const auto& chunk) {
    chunk.seed(x, lifted);
    ring(lifted, y);
    chunk.read(y, by_units);
    ++runs;
  });
  EXPECT_EQ(runs, (n + K - 1) / K);
  const M exact = ring_jacobian(x);
  EXPECT_LE((by_units - exact).cwiseAbs().maxCoeff(), 1e-15) << n << ", " << K;
  // Along given directions: J d.
  const auto direction = [](int j, int i) { return std::cos(i + 3.0 * j); };
  sweep<K>(2, [&](const auto& chunk) {
    chunk.seed_along(x, direction, lifted);
    ring(lifted, y);
    chunk.read(y, along);
  });
  for (int j = 0; j < 2; ++j) {
    V d(n);
    for (int i = 0; i < n; ++i) d[i] = direction(j, i);
    EXPECT_LE((along.col(j) - exact * d).cwiseAbs().maxCoeff(), 2e-15) << n << ", " << K;
  }
}

TEST(Sweep, has_every_direction_once) {
  for (const int n : {1, 3, 4, 5, 8, 9, 11}) {
    expect_ring<1>(n);
    expect_ring<3>(n);
    expect_ring<4>(n);
    expect_ring<8>(n);
  }
}

/// The static path, with all directions in one run and their indices known when it is compiled.
TEST(Sweep, of_all_at_once_is_the_same) {
  constexpr int N = 5;
  const Vector<double, N> x = point(N);
  Vector<Dual<double, N>, N> lifted, y;
  Matrix<double, N> whole, chunked;
  bool is_whole = false;
  sweep<N, N>(N, [&]<bool Whole>(const Chunk<N, Whole>& chunk) {
    is_whole = Whole;
    chunk.seed(x, lifted);
    ring(lifted, y);
    chunk.read(y, whole);
  });
  sweep<N>(N, [&](const auto& chunk) {
    chunk.seed(x, lifted);
    ring(lifted, y);
    chunk.read(y, chunked);
  });
  EXPECT_TRUE(is_whole);
  EXPECT_TRUE(whole == chunked);
  EXPECT_LE((whole - ring_jacobian(x)).cwiseAbs().maxCoeff(), 1e-15);
}

/// Two vectors, of which the second's variables follow those of the first.
TEST(Sweep, of_positions_then_momenta) {
  using D = Dual<double, 4>;
  const V q = point(3), p = point(3) * 0.5;
  Vector<D, dynamic> x(3), y(3);
  V slopes = V::Constant(6, NAN);
  sweep<4>(6, [&](const auto& chunk) {
    chunk.seed(q, x);
    chunk.seed(p, y, 3);
    const D f = x[0] * y[1] + x[2] * y[2] * y[2];
    chunk.read(f, [&](int j) -> double& { return slopes[j]; });
  });
  const double expected[] = {p[1], 0, p[2] * p[2], 0, q[0], 2 * q[2] * p[2]};
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(slopes[i], expected[i], 1e-15) << i;
}

TEST(Sweep, ends_where_a_run_fails) {
  int runs = 0;
  EXPECT_TRUE(sweep<2>(7, [&](const auto&) { return ++runs, true; }));
  EXPECT_EQ(runs, 4);
  runs = 0;
  EXPECT_FALSE(sweep<2>(7, [&](const auto& chunk) { return ++runs, chunk.first < 2; }));
  EXPECT_EQ(runs, 2);
  sweep<2>(0, [&](const auto&) { runs = 0; });
  EXPECT_EQ(runs, 2);
}

/// A dual of duals keeps what it does not differentiate; a dual of base values drops it, even where
/// both have the same type.
TEST(Sweep, constants_lose_partials_of_another_derivative) {
  using D = Dual<double, 4>;
  D x(2.0);
  x.partials[1] = 5;
  EXPECT_EQ(constant<D>(x).partials[1], 0);
  EXPECT_EQ(constant<D>(x).value, 2);
  using Second = Dual<D, 3>;
  EXPECT_EQ(constant<Second>(x).value.partials[1], 5);
  Vector<D, 1> at;
  at[0] = x;
  Vector<Second, 1> lifted;
  Chunk<3>{0, 1}.seed(at, lifted);
  const Second square = lifted[0] * lifted[0];
  EXPECT_EQ(square.partials[0].value, 4);
  EXPECT_EQ(square.partials[0].partials[1], 10);
}

TEST(Scratch, is_told_apart_by_its_tag) {
  auto&& a = detail::scratch<double, dynamic, struct A>(5);
  auto&& b = detail::scratch<double, dynamic, struct B>(5);
  a.setConstant(1);
  b.setConstant(2);
  EXPECT_EQ(a[4], 1);
  EXPECT_NE(a.data(), b.data());
  // Where it is used again it is the same memory.
  const auto use = [] { return detail::scratch<double, dynamic, struct C>(5).data(); };
  const double* first = use();
  EXPECT_EQ(use(), first);
}

}  // namespace
}  // namespace rattleback

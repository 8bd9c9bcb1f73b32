// Random matrices with a given structure, and what their solution must be.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <vector>

#include "rattleback/problem/dual.hpp"
#include "rattleback/problem/pack.hpp"
#include "rattleback/problem/quad.hpp"
#include "rattleback/solve/factor_report.hpp"

namespace rattleback::reference {

using Scalars = ::testing::Types<double, Quad, Pack>;
inline constexpr int sizes[] = {1, 2, 3, 10, 101};

inline double uniform() {
  static std::mt19937 generator(20240229);
  return std::uniform_real_distribution<double>(-1, 1)(generator);
}

/// A random value, different in every lane; duals get random partials.
template <class S>
S random() {
  if constexpr (is_dual<S>) {
    S x;
    x.value = random<decltype(x.value)>();
    for (int i = 0; i < 3; ++i) x.partials[i] = random<decltype(x.value)>();
    return x;
  } else if constexpr (ScalarTraits<S>::lanes > 1) {
    S x;
    for (int i = 0; i < ScalarTraits<S>::lanes; ++i) x.set(i, uniform());
    return x;
  } else {
    return S(uniform());
  }
}

/// Whether rows i and j may be coupled.
using Coupled = std::function<bool(int, int)>;

template <class S>
struct Symmetric {
  int n;
  std::vector<S> values;
  const Coupled* pattern = nullptr;

  S& at(int i, int j) { return values[std::size_t(i) * n + j]; }
  const S& at(int i, int j) const { return values[std::size_t(i) * n + j]; }

  /// Entry as the solvers may call it: i >= j, inside the pattern.
  S operator()(int i, int j) const {
    EXPECT_GE(i, j);
    EXPECT_TRUE(i < n && j >= 0 && (i == j || !pattern || (*pattern)(i, j))) << i << ' ' << j;
    return at(i, j);
  }

  void set(int i, int j, const S& v) { at(i, j) = at(j, i) = v; }
};

/// Positive definite by a slight diagonal dominance.
template <class S>
Symmetric<S> positive(int n, const Coupled& pattern) {
  using std::abs;
  Symmetric<S> a{n, std::vector<S>(std::size_t(n) * n, S(0)), &pattern};
  for (int i = 0; i < n; ++i) a.at(i, i) = S(0.25);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) {
      if (!pattern(i, j)) continue;
      const S v = random<S>();
      a.set(i, j, v);
      a.at(i, i) += abs(v);
      a.at(j, j) += abs(v);
    }
  return a;
}

template <class S, class R>
std::vector<R> product(const Symmetric<S>& a, const std::vector<R>& x) {
  std::vector<R> b(a.n, R(S(0)));
  for (int i = 0; i < a.n; ++i)
    for (int j = 0; j < a.n; ++j) b[i] += a.at(i, j) * x[j];
  return b;
}

/// Solves A x = b for a known x, and compares x and the residual.
template <class R, class S, class Solver>
void expect_solves(const Symmetric<S>& a, const Solver& solver) {
  std::vector<R> x(a.n);
  for (auto& v : x) v = random<R>();
  const std::vector<R> b = product(a, x);
  std::vector<R> y = b;
  solver.solve(y);
  const std::vector<R> again = product(a, y);
  double error = 0, residual = 0;
  for (int i = 0; i < a.n; ++i) {
    error = larger(error, magnitude(R(y[i] - x[i])));
    residual = larger(residual, magnitude(R(again[i] - b[i])));
  }
  // Condition numbers are below about 100 n; measured worst 60 round-offs at n = 101 (dense).
  EXPECT_LT(error, 200 * (1 + a.n) * epsilon<S>);
  EXPECT_LT(residual, 50 * (1 + a.n) * epsilon<S>);
}

/// Factors and solves plain and dual right-hand sides.
template <class S, class Solver>
void expect_good(const Symmetric<S>& a, Solver& solver) {
  ASSERT_EQ(solver.size(), a.n);
  const FactorReport report = solver.factor(a);
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(report.row, -1);
  EXPECT_EQ(report.negative, 0);
  EXPECT_GT(report.smallest_pivot, 0.1);
  EXPECT_GE(report.largest_pivot, report.smallest_pivot);
  EXPECT_GE(report.cancellation, 1 - 1e-15);
  expect_solves<S>(a, solver);
  expect_solves<Dual<S, 3>>(a, solver);
}

/// The laws every symmetric solver obeys on its pattern: solutions, inertia, and what it refuses.
template <class S, class Make>
void check_solver(int n, const Coupled& pattern, Make&& make) {
  SCOPED_TRACE(n);
  auto solver = make(n);
  auto a = positive<S>(n, pattern);
  expect_good(a, solver);

  // Inertia: diagonal sign changes of a dominant matrix are its negative eigenvalues.
  auto indefinite = a;
  int flipped = 0;
  for (int i = 0; i < n; i += 3, ++flipped) indefinite.at(i, i) = -a.at(i, i);
  const FactorReport signs = solver.factor(indefinite);
  EXPECT_TRUE(signs.ok);
  EXPECT_EQ(signs.negative, flipped);
  expect_solves<S>(indefinite, solver);

  // A decoupled row with a zero on the diagonal is found and named.
  const int zero = n / 3;
  auto singular = a;
  for (int j = 0; j < n; ++j) singular.set(zero, j, S(0));
  const FactorReport rank = solver.factor(singular);
  EXPECT_FALSE(rank.ok);
  EXPECT_EQ(rank.row, zero);

  auto broken = a;
  for (int j = 0; j < n; ++j) broken.set(zero, j, S(0));
  broken.at(zero, zero) = S(std::numeric_limits<double>::quiet_NaN());
  const FactorReport nan = solver.factor(broken);
  EXPECT_FALSE(nan.ok);
  EXPECT_EQ(nan.row, zero);

  // Nothing of a failure stays behind.
  expect_good(a, solver);
}

/// Two equal rows: singular by cancellation, not by a zero on the diagonal.
template <class S, class Solver>
void expect_rank_loss(Solver& solver, const Coupled& pattern, int i, int j) {
  const int n = solver.size();
  Symmetric<S> a{n, std::vector<S>(std::size_t(n) * n, S(0)), &pattern};
  for (int k = 0; k < n; ++k) a.at(k, k) = S(3);
  a.at(i, i) = a.at(j, j) = S(0.1) * S(0.1) + S(0.7) * S(0.7);
  a.set(i, j, a.at(i, i));
  const FactorReport report = solver.factor(a);
  EXPECT_FALSE(report.ok);
  EXPECT_TRUE(report.row == i || report.row == j) << report.row;
}

}  // namespace rattleback::reference

// Implicit equations: one residual for every scalar, its matrix from duals or of one's own.
#include "rattleback/solve/implicit.hpp"

#include <gtest/gtest.h>

#include "rattleback/problem/pack.hpp"
#include "rattleback/problem/quad.hpp"

namespace rattleback {
namespace {

/// x_i^3 + x_i + sum_j w_ij x_j = a (i + 1), w small: one solution, whose derivative by a follows
/// from the matrix.
struct Cubic {
  template <class X, class A>
  static void residual(const X& x, const A& a, X& r) {
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      r[i] = x[i] * x[i] * x[i] + x[i] - a * (1.0 + i);
      for (Eigen::Index j = 0; j < x.size(); ++j) r[i] += x[j] * weight(i, j);
    }
  }
  static double weight(Eigen::Index i, Eigen::Index j) { return 0.1 * std::sin(1.0 + i + 2.0 * j); }
  template <class X, class Out>
  static void matrix(const X& x, Out& out) {
    for (Eigen::Index i = 0; i < x.size(); ++i)
      for (Eigen::Index j = 0; j < x.size(); ++j) {
        out(i, j) = weight(i, j);
        if (i == j) out(i, j) += base(x[i]) * base(x[i]) * 3 + 1;
      }
  }
};

/// |F(x)| after the solve, in units of round-off; `a` may carry partials.
template <int U, class S>
double solved(int n, const S& a, Vector<S, U>& x, bool own, int& iterations) {
  Implicit<S, U> equations(n);
  x.resize(n);
  x.setConstant(S(0));
  const auto residual = [&](auto on, const auto& y, auto& r) {
    Cubic::residual(y, on(a), r);
    return Status{};
  };
  const double floor = epsilon<S> * 0.1;
  const Status status =
      own ? equations.solve(x, floor, residual,
                            [](const Vector<S, U>& y, auto& out) { Cubic::matrix(y, out); })
          : equations.solve(x, floor, residual);
  EXPECT_TRUE(status);
  iterations = status.iterations;
  Vector<S, U> r(n);
  Cubic::residual(x, a, r);
  return largest_magnitude(r) / epsilon<S>;
}

// Measured: at most 28 units, of 34 terms that are as large as 17 (the last equation of 34); the
// solutions by either matrix are the same to the bit.
template <int U, class S>
void expect_solved(int n, const S& a) {
  Vector<S, U> by_duals, by_hand;
  int iterations = 0, own_iterations = 0;
  EXPECT_LE((solved<U, S>(n, a, by_duals, false, iterations)), 50) << n;
  EXPECT_LE((solved<U, S>(n, a, by_hand, true, own_iterations)), 50) << n;
  EXPECT_EQ(iterations, own_iterations) << n;
  EXPECT_LE(largest_magnitude(Vector<S, U>(by_duals - by_hand)), 4 * epsilon<S>) << n;
}

TEST(Implicit, solves_in_every_scalar_and_size) {
  expect_solved<1>(1, 0.7);
  expect_solved<3>(3, 0.7);
  expect_solved<dynamic>(7, 0.7);
  expect_solved<34>(34, 0.4);  // above what is factored with its size known
  expect_solved<dynamic>(34, 0.4);
  expect_solved<3>(3, Quad(0.7));
  expect_solved<dynamic>(7, Quad(0.7));
  Pack lanes;
  for (int i = 0; i < 8; ++i) lanes.set(i, 0.1 * (i + 1));
  expect_solved<3>(3, lanes);
}

/// The derivative of an implicitly defined x(a): F'(x) x_a = -F_a.
template <int U>
void expect_derivative(int n) {
  using D = Dual<double, 4>;
  D a(0.7);
  a.partials[0] = 1, a.partials[2] = -3;
  Vector<D, U> x;
  int iterations = 0;
  solved<U, D>(n, a, x, false, iterations);
  DenseLu<double> lu(n);
  Matrix<double, dynamic> matrix(n, n);
  Cubic::matrix(x, matrix);
  ASSERT_TRUE(lu.factor([&](int i, int j) { return matrix(i, j); }).ok);
  Vector<double, dynamic> slope(n);
  for (int i = 0; i < n; ++i) slope[i] = i + 1;
  lu.solve(slope);
  for (int i = 0; i < n; ++i) {
    EXPECT_NEAR(x[i].partials[0], slope[i], 1e-15) << n;       // measured: 4.4e-16
    EXPECT_NEAR(x[i].partials[2], -3 * slope[i], 3e-15) << n;  // measured: 1.3e-15
    EXPECT_EQ(x[i].partials[1], 0) << n;
  }
}
TEST(Implicit, carries_derivatives) {
  expect_derivative<3>(3);
  expect_derivative<dynamic>(7);  // here the unknowns and the duals of the matrix have one type
}

/// The matrix is made of base values: partials of what the residual holds constant are not in it.
TEST(Implicit, matrix_has_no_partials_of_constants) {
  using D = Dual<double, 4>;
  D a(0.7);
  a.partials[0] = 1;
  Vector<D, dynamic> x(2);
  x[0] = D(0.3), x[1] = D(-0.2);
  x[0].partials[1] = 8;
  Implicit<D, dynamic> equations(2);
  const auto residual = [&](auto on, const auto& y, auto& r) {
    r[0] = y[0] * on(a) * y[1];
    r[1] = y[0] - y[1] * on(a);
    return Status{};
  };
  ASSERT_TRUE(equations.factor(x, residual));
  EXPECT_DOUBLE_EQ(equations.matrix()(0, 0), 0.7 * -0.2);
  EXPECT_DOUBLE_EQ(equations.matrix()(0, 1), 0.3 * 0.7);
  EXPECT_DOUBLE_EQ(equations.matrix()(1, 0), 1);
  EXPECT_DOUBLE_EQ(equations.matrix()(1, 1), -0.7);
  Vector<double, dynamic> r(2);
  r << 0.3 * 0.7, -0.7;  // the second column
  equations.correct(r);
  EXPECT_NEAR(r[0], 0, 3e-16);  // measured: 0
  EXPECT_NEAR(r[1], 1, 3e-16);
}

template <class F>
Status solve_one(double start, F f, SolveOptions options = {}) {
  Implicit<double, 1> equations(1, options);
  Vector<double, 1> x;
  x[0] = start;
  return equations.solve(x, 1e-15, [&](auto, const auto& y, auto& r) {
    r[0] = f(y[0]);
    return Status{};
  });
}

TEST(Implicit, says_how_it_fails) {
  EXPECT_EQ(solve_one(0.0, [](const auto& x) { return x * x + 1; }).outcome, Outcome::rank_loss);
  EXPECT_EQ(solve_one(0.1, [](const auto& x) { return x * x + 1; }).outcome,
            Outcome::no_convergence);
  EXPECT_EQ(solve_one(-1.0,
                      [](const auto& x) {
                        using std::sqrt;
                        return sqrt(x) - 2;
                      })
                .outcome,
            Outcome::not_finite);
  EXPECT_EQ(solve_one(3.0, [](const auto& x) { return x * x - 2; }, {.max_iterations = 2}).outcome,
            Outcome::no_convergence);
  // A residual that fails ends the solve with its own status, on duals too.
  Implicit<double, dynamic> equations(2);
  Vector<double, dynamic> x(2);
  x.setZero();
  const auto failing = [](auto, const auto&, auto&) {
    return Status{Outcome::branch_jump, 3, 0.5};
  };
  EXPECT_EQ(equations.solve(x, 0, failing).outcome, Outcome::branch_jump);
  EXPECT_EQ(equations.factor(x, failing).outcome, Outcome::branch_jump);
}

TEST(Implicit, without_unknowns_there_is_nothing_to_do) {
  Implicit<double, dynamic> equations(0);
  Vector<double, dynamic> x(0);
  EXPECT_TRUE(equations.solve(x, 0, [](auto, const auto&, auto&) { return Status{}; }));
}

/// A matrix that contracts a hundredfold is kept: chord iterations cost no sweep.
TEST(Implicit, keeps_a_matrix_that_contracts) {
  int sweeps = 0, runs = 0;
  Implicit<double, 1> equations(1);
  Vector<double, 1> x;
  x[0] = 1.414;
  const Status status = equations.solve(x, 1e-15, [&](auto on, const auto& y, auto& r) {
    ++(std::is_same_v<decltype(on), OnDuals> ? sweeps : runs);
    r[0] = y[0] * y[0] - 2;
    return Status{};
  });
  EXPECT_TRUE(status);
  EXPECT_EQ(sweeps, 1);
  EXPECT_EQ(runs, status.iterations);
  EXPECT_NEAR(x[0], std::sqrt(2.0), 3e-16);  // measured: 0, a unit of the last place is 2.2e-16
}

/// Round-off: a stalled iteration ends inside the band, not outside.
TEST(Stopping, ends_at_round_off) {
  using Verdict = Stopping::Verdict;
  Stopping stopping(1e-15);
  EXPECT_EQ(stopping.judge(1e-3), Verdict::go_on);
  EXPECT_EQ(stopping.judge(9e-4), Verdict::go_on);  // stalls far above the floor
  EXPECT_EQ(stopping.judge(1e-12), Verdict::go_on);
  EXPECT_EQ(stopping.judge(8e-13), Verdict::done);  // within 1e4 of it
  EXPECT_EQ(Stopping(1e-15).judge(1e-15), Verdict::done);
  EXPECT_EQ(Stopping(1e-15).judge(NAN), Verdict::not_finite);
  Stopping wide(1e-15, 1e7);
  EXPECT_EQ(wide.judge(1e-8), Verdict::go_on);
  EXPECT_EQ(wide.judge(9e-9), Verdict::done);
}

}  // namespace
}  // namespace rattleback

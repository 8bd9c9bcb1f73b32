#include "rattleback/solve/broyden.hpp"

#include <gtest/gtest.h>

#include "rattleback/problem/dual.hpp"
#include "rattleback/problem/pack.hpp"

namespace rattleback {
namespace {

/// Five coupled equations, all solved by x_i = a. The kept matrix is the identity, which contracts
/// as little as the first equation says.
template <class S>
Vector<S, dynamic> residual(const Vector<S, dynamic>& x, const S& a) {
  const double slope[] = {0.005, 0.5, 0.9, 1.2, 1.0};
  Vector<S, dynamic> f(5);
  for (int i = 0; i < 5; ++i) {
    const S own = x[i] - a, next = x[(i + 1) % 5] - a;
    f[i] = own * slope[i] + own * own * 0.3 + next * own * 0.1 + next * next * 0.2;
  }
  return f;
}

/// x -= B^-1 F(x) until nothing is left; how many times.
template <class S>
int solve(Vector<S, dynamic>& x, const S& a, bool corrected) {
  Broyden<Vector<S, dynamic>> broyden(x.size());
  for (int k = 0; k < 20000; ++k) {
    Vector<S, dynamic> step = residual(x, a);
    if (largest_magnitude(step) < 1e-16) return k;
    if (corrected) broyden.correct(step);
    subtract_scaled(1.0, step, x);
  }
  return -1;
}

TEST(Broyden, ends_soon_where_the_kept_matrix_hardly_contracts) {
  Vector<double, dynamic> x = Vector<double, dynamic>::Constant(5, 0.02), y = x;
  const double a = 0.01;
  const int kept = solve(y, a, false), corrected = solve(x, a, true);
  EXPECT_GT(kept, 2000);  // measured: 5280
  EXPECT_GT(corrected, 0);
  EXPECT_LT(corrected, 48);  // measured: 24
  EXPECT_LT((x.array() - a).abs().maxCoeff(), 1e-14);
}

TEST(Broyden, derivatives_of_the_solution_converge_with_it) {
  using D = Dual<double, 2>;
  D a(0.01);
  a.partials[0] = 1, a.partials[1] = -3;
  Vector<D, dynamic> x = Vector<D, dynamic>::Constant(5, D(0.02));
  EXPECT_GT(solve(x, a, true), 0);
  for (const D& v : x) {
    EXPECT_NEAR(v.value, 0.01, 1e-14);
    EXPECT_NEAR(v.partials[0], 1, 1e-12);
    EXPECT_NEAR(v.partials[1], -3, 1e-12);
  }
}

TEST(Broyden, a_lane_that_has_converged_stays) {
  const Pack a(0.01);
  Pack start(0.01);
  for (int lane = 1; lane < Pack::lanes; lane += 2) start.set(lane, 0.02);
  Vector<Pack, dynamic> x = Vector<Pack, dynamic>::Constant(5, start);
  EXPECT_GT(solve(x, a, true), 0);
  for (int i = 0; i < 5; ++i) EXPECT_LT(magnitude(Pack(x[i] - a)), 1e-14);
}

}  // namespace
}  // namespace rattleback

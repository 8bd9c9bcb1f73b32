// {g, H} from gradients is dg along X_H, on every witness problem, and its slopes are differences.
#include "rattleback/geometry/hidden_constraint.hpp"

#include <gtest/gtest.h>

#include "rattleback/geometry/residuals.hpp"
#include "rattleback/testing/witness_systems.hpp"

namespace rattleback {
namespace {

using V = Vector<Quad, dynamic>;

/// Off the state manifold, so that {g, H} is not zero.
State<Quad> moved(const State<Quad>& z, const Quad& step) {
  State<Quad> y = z;
  for (Eigen::Index i = 0; i < z.q.size(); ++i) {
    y.q[i] += step * std::sin(1.0 + 3.1 * i);
    y.p[i] += step * std::cos(2.0 + 1.7 * i);
  }
  return y;
}
V hidden_at(const AnySystem& system, const State<Quad>& z) {
  HiddenConstraint<AnySystem, Quad> hidden(system);
  V rho(system.constraint_count());
  hidden.evaluate(system, z.q, z.p, rho);
  EXPECT_GE(hidden.size(), largest_magnitude(rho)) << system.name();
  return rho;
}

// Measured: 2e-34, one unit of the last place, of terms up to 4.
TEST(HiddenConstraint, is_the_rate_of_g) {
  double largest = 0;
  for (const auto& w : testing::witness_systems()) {
    const State<Quad> z = moved(w.start, Quad(0.1));
    const V rho = hidden_at(w.system, z);
    Residuals<AnySystem, Quad> residuals(w.system);
    residuals.evaluate(w.system, z);
    for (Eigen::Index i = 0; i < rho.size(); ++i)
      EXPECT_LE(magnitude(Quad(rho[i] - residuals.hidden(i))), 5e-34) << w.name() << ' ' << i;
    largest = larger(largest, largest_magnitude(rho));
  }
  EXPECT_GT(largest, 0.1);
}

// Central differences with 1e-11: their error is about 1e-22 times third derivatives. Measured:
// 1.2e-22.
TEST(HiddenConstraint, slopes_are_differences) {
  for (const auto& w : testing::witness_systems()) {
    const State<Quad> z = moved(w.start, Quad(0.1));
    const Quad d(1e-11);
    const V ahead = hidden_at(w.system, moved(z, d)), behind = hidden_at(w.system, moved(z, -d));
    HiddenSlopes<AnySystem, Quad, 4> slopes(w.system);
    const int m = w.system.constraint_count();
    Matrix<Quad, dynamic> slope(m, 6);
    // Direction 5, which is in the second chunk, is the one above; the others are zero.
    slopes.evaluate(
        w.system, z, 6, [](int j, int i) { return Quad(j == 5 ? std::sin(1.0 + 3.1 * i) : 0); },
        [](int j, int i) { return Quad(j == 5 ? std::cos(2.0 + 1.7 * i) : 0); }, slope);
    const V rho = hidden_at(w.system, z);
    for (int i = 0; i < m; ++i) {
      EXPECT_LE(magnitude(Quad(slope(i, 5) - (ahead[i] - behind[i]) / (2 * d))), 3e-22)
          << w.name() << ' ' << i;
      EXPECT_EQ(magnitude(slope(i, 0)) + magnitude(slope(i, 4)), 0) << w.name();
      EXPECT_LE(magnitude(Quad(slopes.value(i) - rho[i])), 5e-34) << w.name();  // measured: 0
    }
  }
}

}  // namespace
}  // namespace rattleback

// H_zz in compiled code is H_zz by dual numbers, with zeros where H has none.
#include <gtest/gtest.h>

#include <filesystem>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/problem/energy_hessian.hpp"
#include "rattleback/testing/witness_systems.hpp"
#include "rattleback/text/model.hpp"

namespace rattleback {
namespace {

using M = Matrix<double, dynamic>;

/// Of the witness problems: as text, and as C++ with automatic derivatives.
TEST(Hessian, of_every_witness_is_that_by_duals) {
  int compared = 0;
  for (const auto& w : testing::witness_systems()) {
    const std::string path = RATTLEBACK_SOURCE_DIR "/examples/witness/" + w.name() + ".toml";
    if (!std::filesystem::exists(path)) continue;
    const AnySystem text = expression_system(read_model(path).system);
    const Vector<double, dynamic> q = w.start.q.cast<double>(), p = w.start.p.cast<double>();
    const int d = 2 * static_cast<int>(q.size());
    M by_duals(d, d), compiled(d, d), through_the_function(d, d);
    energy_hessian(w.system, q, p, by_duals);
    if (!text.energy_hessian(q, p, compiled)) continue;  // H by Newton
    energy_hessian(text, q, p, through_the_function);
    const double size = 1e-13 * (1 + by_duals.cwiseAbs().maxCoeff());
    EXPECT_LT((compiled - by_duals).cwiseAbs().maxCoeff(), size) << w.name();
    EXPECT_TRUE(compiled == compiled.transpose()) << w.name();
    EXPECT_TRUE(compiled == through_the_function) << w.name();
    ++compared;

    // The same at a point with partial derivatives, and in quad precision.
    using D = Dual<double, 4>;
    Vector<D, dynamic> x(q.size()), y(q.size());
    for (int i = 0; i < d / 2; ++i) x[i] = D(q[i]), y[i] = D(p[i]);
    x[0].partials[0] = 1;
    energy_hessian(text, x, y, through_the_function);
    EXPECT_TRUE(compiled == through_the_function) << w.name();
    Matrix<Quad, dynamic> exact(d, d);
    const Vector<Quad, dynamic> a = q.cast<Quad>(), b = p.cast<Quad>();
    ASSERT_TRUE(text.energy_hessian(a, b, exact));
    EXPECT_LT((exact.cast<double>() - compiled).cwiseAbs().maxCoeff(), size) << w.name();
  }
  EXPECT_GT(compared, 15);
}

/// A chain of springs: two neighbours each, and straight-line code no longer than that.
TEST(Hessian, has_the_sparsity_of_h) {
  SystemDescription d;
  d.form = SystemDescription::Form::hamiltonian;
  Graph& g = *d.graph;
  const int n = 30;
  for (int i = 0; i < n; ++i) d.coordinates.push_back("x" + std::to_string(i));
  Expression h = g.constant(0);
  for (int i = 0; i < n; ++i) {
    h = g.add(h, g.power(g.input(n + i), g.constant(2)));
    if (i > 0) h = g.add(h, g.power(g.subtract(g.input(i), g.input(i - 1)), g.constant(4)));
  }
  d.hamiltonian = h;
  const AnySystem springs = expression_system(d);
  M h_zz(2 * n, 2 * n);
  Vector<double, dynamic> q(n), p(n);
  for (int i = 0; i < n; ++i) q[i] = std::sin(1.0 + i), p[i] = 0.1 * i;
  ASSERT_TRUE(springs.energy_hessian(q, p, h_zz));
  for (int i = 0; i < 2 * n; ++i)
    for (int j = 0; j < 2 * n; ++j) {
      const bool coupled = i == j || (i < n && j < n && std::abs(i - j) == 1);
      EXPECT_EQ(h_zz(i, j) != 0, coupled) << i << ' ' << j;
    }
}

}  // namespace
}  // namespace rattleback

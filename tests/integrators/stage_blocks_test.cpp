// The blocks of Gauss-Legendre stages: their matrix is that of the equations.
#include "rattleback/integrators/stage_blocks.hpp"

#include <gtest/gtest.h>

#include "integrators/sparse_models.hpp"
#include "rattleback/expression/expression_system.hpp"
#include "rattleback/integrators/sparse_driven.hpp"

namespace rattleback::sparse_models::blocks {
namespace {

/// The stage equations from their field alone, in quad precision.
class Equations {
 public:
  using Values = Vector<Quad, dynamic>;
  Equations(const AnySystem& system, Formulation form, int stages, Quad h)
      : h(h),
        kappa(form == Formulation::index3 ? h : Quad(1)),
        tableau(gauss_tableau<Quad>(stages)),
        system_(system),
        n_(system.dimension()),
        field_(system, form, tableau, {}),
        slopes_(stages, Values(2 * n_)) {}

  Quad h, kappa;
  Tableau<Quad> tableau;
  int multipliers() const { return field_.multipliers(); }
  int unknowns() const { return tableau.stages() * width(); }
  /// (Q, P) of stage j.
  Values point(const State<double>& z, const Values& x, int j) const {
    Values at(2 * n_);
    for (int i = 0; i < n_; ++i) {
      at[i] = Quad(z.q[i]) + x[j * width() + i];
      at[n_ + i] = Quad(z.p[i]) + x[j * width() + n_ + i] / kappa;
    }
    return at;
  }
  const Quad* multipliers_of(const Values& x, int j) const {
    return x.data() + j * width() + 2 * n_;
  }
  Values operator()(const State<double>& z, const Values& x) {
    Values r(unknowns());
    for (int j = 0; j < tableau.stages(); ++j)
      EXPECT_TRUE(field_.evaluate(system_, h, kappa, point(z, x, j), multipliers_of(x, j),
                                  slopes_[j], r.data() + j * width() + 2 * n_));
    for (int i = 0; i < tableau.stages(); ++i)
      for (int c = 0; c < 2 * n_; ++c) {
        Quad sum = x[i * width() + c];
        for (int j = 0; j < tableau.stages(); ++j)
          sum -= tableau.a(i, j) * (c < n_ ? slopes_[j][n_ + c] : Quad(-slopes_[j][c - n_]));
        r[i * width() + c] = sum;
      }
    return r;
  }

 private:
  int width() const { return 2 * n_ + field_.multipliers(); }
  const AnySystem& system_;
  int n_;
  SparseDriven<Quad> field_;
  std::vector<Values> slopes_;
};

/// |M^-1 F'(x) d - d| for some x and d, F' d by differences.
double defect_of_matrix(const AnySystem& system, Formulation form, const State<double>& z,
                        int stages) {
  using Values = Vector<Quad, dynamic>;
  Equations f(system, form, stages, Quad(0.3));
  const auto energy = sparse_derivatives(system);
  const auto drive = driven_derivatives(system, form);
  StageBlocks<Quad> blocks(*energy, *drive, stages);
  Values x(f.unknowns()), d(f.unknowns());
  for (int i = 0; i < f.unknowns(); ++i) x[i] = 0.1 * std::sin(7 * i + 1), d[i] = std::cos(5 * i);
  const Quad eps = 1e-13;
  Values r = (f(z, x + eps * d) - f(z, x - eps * d)) / (2 * eps);
  const int n = system.dimension();
  for (int j = 0; j < stages; ++j) {
    const Values at = f.point(z, x, j);
    Values p_and_l(n + f.multipliers());
    for (int i = 0; i < n; ++i) p_and_l[i] = at[n + i];
    for (int k = 0; k < f.multipliers(); ++k) p_and_l[n + k] = f.multipliers_of(x, j)[k];
    auto& v = blocks.values(j);
    energy->hessian(at.data(), p_and_l.data(), v.energy.data(), v.energy.data());
    drive->slopes(at.data(), p_and_l.data(), v.drive.data(), v.kept.data());
  }
  blocks.assemble(f.tableau, f.h, f.kappa, form == Formulation::unconstrained ? f.h : Quad(1));
  EXPECT_TRUE(blocks.lu().factor().ok);
  Values ordered(r.size()), room(blocks.lu().widest());
  blocks.gather(r, ordered);
  blocks.lu().solve(ordered.data(), room.data());
  blocks.subtract(ordered, d);
  return largest_magnitude(d);
}

// Products of constants are rounded to doubles: measured up to 7e-17, whatever the difference.
TEST(StageBlocks, have_the_matrix_of_their_equations) {
  for (const Example& e : examples()) {
    const AnySystem system = expression_system(e.description);
    for (const Formulation form : formulations)
      for (int s = 1; s <= 3; ++s)
        if (fits(form, system)) {
          EXPECT_LE(defect_of_matrix(system, form, e.start, s), 1e-15)
              << e.name << ' ' << int(form) << ' ' << s;
        }
  }
}

}  // namespace
}  // namespace rattleback::sparse_models::blocks

#include "rattleback/geometry/point_report.hpp"

#include <cstdio>

#include "rattleback/solve/rank_revealing.hpp"

namespace rattleback {

void detail::measure_ranks(const Matrix<double, dynamic>& dg,
                           const Matrix<double, dynamic>& n_matrix, double hessian_scale,
                           PointReport& report) {
  const Eigen::Index n = dg.cols() / 2;
  const Matrix<double, dynamic> product = dg.leftCols(n) * dg.rightCols(n).transpose();
  report.bracket = (product - product.transpose()).cwiseAbs().maxCoeff();
  const auto of_dg = extreme_singular_values(dg);
  report.jacobian_rank = of_dg.largest > 0 ? of_dg.smallest / of_dg.largest : 0;
  // N is of the size |dg|^2 |H_zz| where it does not vanish.
  const double scale = of_dg.largest * of_dg.largest * hessian_scale;
  report.nondegeneracy = scale > 0 ? extreme_singular_values(n_matrix).smallest / scale : 0;
  report.ranks_known = true;
}

bool PointReport::finite() const {
  for (double x : {constraint, hidden, bracket, jacobian_rank, nondegeneracy})
    if (!std::isfinite(x)) return false;
  return true;
}

std::string PointReport::text() const {
  char line[300];
  int length =
      std::snprintf(line, sizeof line, "max|g| = %.3g, max|{g,H}| = %.3g", constraint, hidden);
  if (ranks_known)
    std::snprintf(line + length, sizeof line - length,
                  ", max|{g_i,g_j}| = %.3g, relative smallest singular value of dg %.3g, of N = "
                  "{{g,H},g} %.3g",
                  bracket, jacobian_rank, nondegeneracy);
  return line;
}

}  // namespace rattleback

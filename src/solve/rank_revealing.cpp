#include "rattleback/solve/rank_revealing.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace rattleback {

namespace {

constexpr double keep_fraction = 0.1;

/// Smallest pivot of the chosen rows alone.
double smallest_pivot(const Eigen::Ref<const Eigen::MatrixXd>& matrix,
                      const std::vector<int>& rows) {
  if (rows.empty()) return std::numeric_limits<double>::infinity();
  Eigen::MatrixXd chosen(matrix.cols(), Eigen::Index(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k)
    chosen.col(Eigen::Index(k)) = matrix.row(rows[k]).transpose();
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(chosen);
  return qr.matrixQR().diagonal().cwiseAbs().minCoeff();
}

bool valid(const std::vector<int>& rows, Eigen::Index count) {
  return std::all_of(rows.begin(), rows.end(), [&](int r) { return r >= 0 && r < count; });
}

}  // namespace

struct RankRevealing::Decomposition {
  // Of the transpose: its pivoting then selects rows of the matrix.
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> transposed;
  Eigen::Index rows = -1, columns = 0;
};

RankRevealing::RankRevealing(double tolerance)
    : decomposition_(std::make_unique<Decomposition>()), tolerance_(tolerance) {}
RankRevealing::~RankRevealing() = default;
RankRevealing::RankRevealing(RankRevealing&&) noexcept = default;
RankRevealing& RankRevealing::operator=(RankRevealing&&) noexcept = default;

RankReport RankRevealing::factor(const Eigen::Ref<const Eigen::MatrixXd>& matrix,
                                 const std::vector<int>& previous) {
  RankReport report;
  decomposition_->rows = -1;
  report.finite = matrix.allFinite();
  if (!report.finite || matrix.size() == 0) return report;
  auto& cod = decomposition_->transposed;
  report.tolerance = tolerance_ > 0 ? tolerance_
                                    : 4 * double(std::max(matrix.rows(), matrix.cols())) *
                                          std::numeric_limits<double>::epsilon();
  cod.setThreshold(report.tolerance);
  cod.compute(matrix.transpose());
  decomposition_->rows = matrix.rows();
  decomposition_->columns = matrix.cols();

  const int rank = report.rank = int(cod.rank());
  // Re-decomposed without the orthogonal completion, which overwrites the dropped pivots.
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(matrix.transpose());
  const Eigen::VectorXd pivots = qr.matrixQR().diagonal().cwiseAbs();
  const double infinity = std::numeric_limits<double>::infinity();
  const double dropped = rank < pivots.size() ? pivots[rank] : 0;
  report.gap = rank == 0 ? 0 : dropped > 0 ? pivots[rank - 1] / dropped : infinity;
  report.condition = rank == 0 ? infinity : pivots[0] / pivots[rank - 1];
  const auto& order = qr.colsPermutation().indices();
  report.independent.assign(order.data(), order.data() + rank);
  if (rank > 0 && int(previous.size()) == rank && valid(previous, matrix.rows()) &&
      smallest_pivot(matrix, previous) >= keep_fraction * pivots[rank - 1]) {
    report.independent = previous;
    report.kept_previous = true;
  }
  std::sort(report.independent.begin(), report.independent.end());
  return report;
}

Eigen::VectorXd RankRevealing::solve(const Eigen::Ref<const Eigen::VectorXd>& b) const {
  if (b.size() != decomposition_->rows)
    throw std::invalid_argument("RankRevealing: right-hand side of size " +
                                std::to_string(b.size()) + ", matrix factored with " +
                                std::to_string(decomposition_->rows) + " rows");
  if (decomposition_->transposed.rank() == 0) return Eigen::VectorXd::Zero(decomposition_->columns);
  return decomposition_->transposed.transpose().solve(b);
}

SingularValues extreme_singular_values(const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
  if (matrix.size() == 0) return {};
  if (!matrix.allFinite()) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan};
  }
  // One-sided Jacobi keeps small singular values accurate where a bidiagonal method would not.
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(matrix);
  return {svd.singularValues().tail(1)[0], svd.singularValues()[0]};
}

}  // namespace rattleback

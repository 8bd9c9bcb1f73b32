// Redundant or dependent constraints: numerical rank, an independent selection, least-norm solves.
#pragma once

#include <memory>
#include <vector>

#include "rattleback/problem/eigen.hpp"

namespace rattleback {

/// What a rank decision rests on. A gap near 1 means the rank is a matter of taste.
struct [[nodiscard]] RankReport {
  int rank = 0;
  bool finite = true;    ///< false: the matrix has an entry that is not finite, nothing was done
  double tolerance = 0;  ///< pivots below tolerance times the largest count as zero
  double gap = 0;  ///< last kept over first dropped pivot; infinite if none is dropped or it is 0
  double condition = 0;  ///< first over last kept pivot: a lower bound of the condition number
  std::vector<int> independent;  ///< `rank` independent rows, ascending
  bool kept_previous = false;    ///< the previous selection was still good and was kept
};

/// For a matrix G with rows that may depend on each other, or a singular A = G W G^T. Complete
/// orthogonal decomposition (column-pivoted QR of the transpose). Set-up and failure analysis, not
/// the inner loop: allocates.
class RankRevealing {
 public:
  /// tolerance 0: max(rows, columns) times round-off times 4.
  explicit RankRevealing(double tolerance = 0);
  ~RankRevealing();
  RankRevealing(RankRevealing&&) noexcept;
  RankRevealing& operator=(RankRevealing&&) noexcept;

  /// previous: rows selected last time. They are kept if they are as many as the rank, and their
  /// smallest pivot is at least a tenth of that of the fresh selection.
  RankReport factor(const Eigen::Ref<const Eigen::MatrixXd>& matrix,
                    const std::vector<int>& previous = {});

  /// Moore-Penrose solution of matrix x = b: least squares, of least norm.
  Eigen::VectorXd solve(const Eigen::Ref<const Eigen::VectorXd>& b) const;

 private:
  struct Decomposition;
  std::unique_ptr<Decomposition> decomposition_;
  double tolerance_;
};

/// Not numbers where the matrix has entries that are none; of an empty one zero.
struct SingularValues {
  double smallest = 0, largest = 0;
};
SingularValues extreme_singular_values(const Eigen::Ref<const Eigen::MatrixXd>& matrix);

}  // namespace rattleback

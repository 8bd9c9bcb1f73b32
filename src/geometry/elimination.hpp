// Row-by-row elimination of a sparse matrix whose entries know their round-off. Earlier rows are
// kept and later ones found dependent; the pivot of a row is chosen among its columns, so that this
// is elimination with partial pivoting of the transpose. Many rows are taken in an order that
// reduces fill, which decides nothing but which of several dependent rows are the dependent ones.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "sized.hpp"

namespace rattleback::detail {

using SizedRow = std::map<int, Sized>;

class Elimination {
 public:
  /// columns: those that may be pivots; entries beyond are carried along (right-hand sides).
  Elimination(int columns, double tolerance) : tolerance_(tolerance), pivot_of_(columns, -1) {}

  static constexpr int many = 200;  ///< rows; up to here they are taken as they come

  /// Rows in the order in which they are to be kept. preferred: for each row the column to take as
  /// pivot where its entry is not small (the diagonal of a symmetric matrix); -1 for any.
  /// rank_of: rows with a lower one are kept first, whatever the fill.
  void run(const std::vector<SizedRow>& rows, const std::vector<int>& preferred = {},
           const std::vector<int>& rank_of = {});

  struct Operation {
    int pivot;      ///< index into pivots()
    double factor;  ///< of the pivot row that was subtracted
  };
  struct Pivot {
    int row, column;
  };
  struct Dependent {
    int row;
    bool vanishes;  ///< it was zero to begin with
    SizedRow rest;  ///< what the elimination left in the columns that are carried along
  };
  int rank() const { return static_cast<int>(pivots_.size()); }
  const std::vector<Pivot>& pivots() const { return pivots_; }
  const std::vector<Dependent>& dependent() const { return dependent_; }
  const std::vector<Operation>& operations(int row) const { return operations_[row]; }
  /// Least |value|/size that was kept, and most that was taken for zero.
  double least_kept() const { return least_kept_; }
  double most_dropped() const { return most_dropped_; }
  /// A dependent row as combination of kept ones: (row, factor).
  std::vector<std::pair<int, double>> combination(int row) const;
  bool is_pivot(int row) const { return is_pivot_[row]; }
  /// Solves A x = b in place for a regular square matrix.
  void solve(std::vector<double>& b) const;

 private:
  void reduce(int i, SizedRow& row);
  void take_all(std::vector<int> open, const std::vector<SizedRow>& rows,
                const std::vector<int>& preferred, std::vector<int>& later);
  bool take(int i, const SizedRow& given, std::vector<int>& later, int preferred, double least);
  double weight(const SizedRow& row, int column) const;
  int heaviest(const SizedRow& row) const;
  int choose(const SizedRow& row, double largest, const std::vector<int>& later,
             int preferred) const;
  bool is_zero(const Sized& x);

  double tolerance_;
  std::vector<int> pivot_of_;  // of each column: which pivot, -1 none yet
  std::vector<double> scale_;  // of each column: its largest size
  std::vector<double> size_;   // of each row: its largest entry, in units of the columns
  std::vector<Pivot> pivots_;
  std::vector<SizedRow> kept_;  // of each pivot
  std::vector<bool> is_pivot_;  // of each row
  std::vector<std::vector<Operation>> operations_;
  std::vector<Dependent> dependent_;
  double least_kept_ = 1, most_dropped_ = 0;
};

/// Singular values, descending, by one-sided Jacobi rotations. Dense: for small matrices.
std::vector<double> singular_values(const std::vector<SizedRow>& rows, int columns);
/// Eigenvalues of the symmetric part, by Jacobi rotations, ascending.
std::vector<double> symmetric_eigenvalues(std::vector<double> a, int n);

}  // namespace rattleback::detail

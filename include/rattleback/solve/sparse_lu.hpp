// Sparse LU for any scalar, of a fixed pattern in a given order, without pivoting: symbolic work
// once, then no allocation. For Newton matrices of steps, whose diagonal comes first in an order
// that leaves no multiplier before what it acts on.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "rattleback/solve/factor_report.hpp"
#include "rattleback/solve/ordering.hpp"

namespace rattleback {

/// Where a matrix may have an entry.
struct MatrixPlace {
  int row, column;
};

/// values()[k] stands at places[k]; what is given twice is added. The patterns of L and U are those
/// of a symmetric matrix with all of these entries and their mirror images. Row by row: row k of L
/// and U comes from the rows of U above it.
template <class T>
class SparseLu {
 public:
  SparseLu(int size, const std::vector<MatrixPlace>& places, std::vector<int> order)
      : layout_(detail::sparse_layout(coupling(size, places), std::move(order))),
        values_(places.size(), T(0)),
        lower_(layout_.column_row.size()),
        upper_(layout_.column_row.size()),
        inverse_(size),
        row_(size, T(0)),
        filled_(size) {
    arrange(places);
  }
  int size() const { return static_cast<int>(inverse_.size()); }
  std::size_t entries_of_factor() const { return lower_.size() + upper_.size(); }
  std::vector<T>& values() { return values_; }

  /// A pivot is compared with the terms that it is the sum of.
  FactorReport factor() {
    FactorReport report;
    const double limit = rank_threshold<T>(size());
    std::copy_n(layout_.column_start.begin(), size(), filled_.begin());
    for (int k = 0; k < size(); ++k) {
      for (std::size_t p = scatter_start_[k]; p < scatter_start_[k + 1]; ++p)
        row_[scatter_[p].column] += values_[scatter_[p].value];
      double terms = magnitude(row_[k]);
      eliminate(k, terms);
      const T pivot = row_[k];
      row_[k] = T(0);
      for (std::size_t p = layout_.column_start[k]; p < layout_.column_start[k + 1]; ++p)
        upper_[p] = std::exchange(row_[layout_.column_row[p]], T(0));
      inverse_[k] = T(1) / pivot;
      report.negative += smallest(pivot) < 0 ? 1 : 0;
      report.largest_pivot = larger(report.largest_pivot, magnitude(pivot));
      const double size = 1 / magnitude(inverse_[k]);  // packs: the smallest lane
      report.smallest_pivot = std::min(report.smallest_pivot, size);
      if (!(size > limit * terms) && report.ok) report.ok = false, report.row = layout_.order[k];
    }
    return report;
  }

  /// b <- A^-1 b
  template <class Vec>
  void solve(Vec& b) const {
    const int* order = layout_.order.data();
    const int* unknown = layout_.column_constraint.data();
    const std::size_t* start = layout_.column_start.data();
    for (int j = 0; j < size(); ++j) {
      const auto t = b[order[j]];
      for (std::size_t p = start[j]; p < start[j + 1]; ++p) b[unknown[p]] -= t * lower_[p];
    }
    for (int j = size() - 1; j >= 0; --j) {
      auto t = b[order[j]];
      for (std::size_t p = start[j]; p < start[j + 1]; ++p) t -= b[unknown[p]] * upper_[p];
      b[order[j]] = t * inverse_[j];
    }
  }

 private:
  static CouplingPattern coupling(int size, const std::vector<MatrixPlace>& places) {
    CouplingPattern pattern(size);
    for (const MatrixPlace& at : places)
      if (at.row != at.column) pattern[at.row].push_back(at.column);
    return normalised(pattern);
  }
  /// The places row by row, in the order of elimination.
  void arrange(const std::vector<MatrixPlace>& places) {
    std::vector<int> rank(size());
    for (int k = 0; k < size(); ++k) rank[layout_.order[k]] = k;
    scatter_start_.assign(size() + 1, 0);
    for (const MatrixPlace& at : places) ++scatter_start_[rank[at.row] + 1];
    for (int k = 0; k < size(); ++k) scatter_start_[k + 1] += scatter_start_[k];
    scatter_.resize(places.size());
    std::vector<std::size_t> next(scatter_start_.begin(), scatter_start_.end() - 1);
    for (int v = 0; v < static_cast<int>(places.size()); ++v)
      scatter_[next[rank[places[v].row]]++] = {rank[places[v].column], v};
  }
  /// row_ -= row k of L times U, and that row of L into its columns.
  void eliminate(int k, double& terms) {
    const int* columns = layout_.column_row.data();
    for (std::size_t q = layout_.row_start[k]; q < layout_.row_start[k + 1]; ++q) {
      const int j = layout_.row_column[q];
      const T l = row_[j] * inverse_[j];
      row_[j] = T(0);
      const std::size_t own = filled_[j]++;  // of (k, j) in L and (j, k) in U
      lower_[own] = l;
      terms += magnitude(T(l * upper_[own]));
      for (std::size_t p = layout_.column_start[j]; p < layout_.column_start[j + 1]; ++p)
        row_[columns[p]] -= upper_[p] * l;
    }
  }

  struct Scatter {
    int column, value;
  };
  detail::SparseLayout layout_;
  std::vector<std::size_t> scatter_start_;
  std::vector<Scatter> scatter_;
  std::vector<T> values_, lower_, upper_, inverse_, row_;
  std::vector<std::size_t> filled_;
};

}  // namespace rattleback

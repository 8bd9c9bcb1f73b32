// Sparse LDL^T for any scalar: symbolic work once, then no allocation. Trees of links are
// eliminated leaves first without fill, everything else in a fill-reducing order.
#pragma once

#include <algorithm>
#include <vector>

#include "rattleback/solve/factor_report.hpp"
#include "rattleback/solve/ordering.hpp"

namespace rattleback {

/// Symmetric matrix with a given pattern, without pivoting. Up-looking: row k of L solves a
/// triangular system with the rows above it (as LDL of T. Davis, and Eigen's SimplicialLDLT).
/// Written here because Eigen's allocates in every factorisation and takes no packs.
template <class S>
class SparseLdlt {
 public:
  explicit SparseLdlt(const CouplingPattern& pattern)
      : SparseLdlt(pattern, fill_reducing_ordering(pattern)) {}

  SparseLdlt(const CouplingPattern& pattern, std::vector<int> order)
      : layout_(detail::sparse_layout(pattern, std::move(order))),
        lower_(layout_.column_row.size()),
        inverse_(layout_.order.size()),
        row_(layout_.order.size(), S(0)),
        filled_(layout_.order.size()) {}

  int size() const { return static_cast<int>(inverse_.size()); }
  std::size_t entries_of_factor() const { return lower_.size(); }
  const std::vector<int>& order() const { return layout_.order; }

  template <class Entry>
  FactorReport factor(Entry&& entry) {
    const int* order = layout_.order.data();
    const int n = size();
    detail::PivotMonitor<S> monitor;
    std::copy_n(layout_.column_start.begin(), n, filled_.begin());
    for (int k = 0; k < n; ++k) {
      const int row = order[k];
      for (std::size_t p = layout_.entry_start[k]; p < layout_.entry_start[k + 1]; ++p) {
        const int column = layout_.entry_column[p], other = order[column];
        row_[column] = row > other ? entry(row, other) : entry(other, row);
      }
      const S a = entry(row, row);
      inverse_[k] = S(1) / eliminate(k, a);
      monitor.add(a, inverse_[k]);
    }
    const FactorReport report = detail::conclude(
        monitor, n, [&](int k) { return inverse_[k]; }, [&](int i) { return S(entry(i, i)); },
        [&](int k) { return order[k]; });
    if (!report.ok) std::fill(row_.begin(), row_.end(), S(0));
    return report;
  }

  template <class Vec>
  void solve(Vec&& b) const {
    const int* order = layout_.order.data();
    const int* constraint = layout_.column_constraint.data();
    const std::size_t* start = layout_.column_start.data();
    const int n = size();
    for (int j = 0; j < n; ++j) {
      const auto t = b[order[j]];
      for (std::size_t p = start[j]; p < start[j + 1]; ++p) b[constraint[p]] -= lower_[p] * t;
    }
    for (int j = n - 1; j >= 0; --j) {
      auto t = b[order[j]];
      t = t * inverse_[j];
      for (std::size_t p = start[j]; p < start[j + 1]; ++p) t -= lower_[p] * b[constraint[p]];
      b[order[j]] = t;
    }
  }

 private:
  /// Row k of L from row_ (which it leaves zero); returns the pivot.
  S eliminate(int k, S pivot) {
    const int* rows = layout_.column_row.data();
    for (std::size_t q = layout_.row_start[k]; q < layout_.row_start[k + 1]; ++q) {
      const int j = layout_.row_column[q];
      const S u = row_[j];
      row_[j] = S(0);
      const std::size_t end = filled_[j]++;
      for (std::size_t p = layout_.column_start[j]; p < end; ++p) row_[rows[p]] -= lower_[p] * u;
      lower_[end] = u * inverse_[j];
      pivot -= lower_[end] * u;
    }
    return pivot;
  }

  detail::SparseLayout layout_;
  std::vector<S> lower_, inverse_, row_;
  std::vector<std::size_t> filled_;  // end of the part of each column computed so far
};

}  // namespace rattleback

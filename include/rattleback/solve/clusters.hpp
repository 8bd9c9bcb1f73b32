// Block-diagonal LDL^T: many small independent groups of constraints (molecules, separate bodies).
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "rattleback/solve/factor_report.hpp"
#include "rattleback/solve/ldlt_kernels.hpp"

namespace rattleback {

/// Cluster c holds the rows first(c) ... first(c) + sizes[c] - 1; entry is called inside one only.
template <class S>
class ClusterLdlt {
 public:
  explicit ClusterLdlt(const std::vector<int>& sizes) {
    int row = 0, widest = 0;
    std::size_t packed = 0;
    for (int n : sizes) {
      if (n < 1) throw std::invalid_argument("ClusterLdlt: cluster size is " + std::to_string(n));
      if (runs_.empty() || runs_.back().rows != n) runs_.push_back({n, 0, row, packed});
      ++runs_.back().count;
      row += n;
      packed += detail::packed_size(n);
      widest = std::max(widest, n);
    }
    lower_.resize(packed);
    inverse_.resize(row);
    scratch_.resize(2 * widest);
  }

  int size() const { return static_cast<int>(inverse_.size()); }

  template <class Entry>
  FactorReport factor(Entry&& entry) {
    detail::PivotMonitor<S> monitor;
    for (const Run& run : runs_)
      detail::with_fixed_size(run.rows, [&]<int M>() {
        const int n = detail::rows<M>(run.rows);
        S* l = lower_.data() + run.packed;
        for (int c = 0, row = run.row; c < run.count; ++c, row += n, l += detail::packed_size(n))
          factor_one<M>(n, row, l, entry, monitor);
      });
    return detail::conclude(
        monitor, size(), [&](int k) { return inverse_[k]; }, [&](int i) { return S(entry(i, i)); },
        [](int k) { return k; });
  }

  template <class Vec>
  void solve(Vec&& b) const {
    for (const Run& run : runs_)
      detail::with_fixed_size(run.rows, [&]<int M>() {
        const int n = detail::rows<M>(run.rows);
        const S* l = lower_.data() + run.packed;
        for (int c = 0, row = run.row; c < run.count; ++c, row += n, l += detail::packed_size(n))
          detail::ldlt_solve<M>(n, l, inverse_.data() + row, b, row);
      });
  }

 private:
  struct Run {  // neighbouring clusters of equal size share one loop
    int rows, count, row;
    std::size_t packed;
  };

  template <int M, class Entry>
  void factor_one(int n, int row, S* l, Entry& entry, detail::PivotMonitor<S>& monitor) {
    auto local = [&](int i, int j) { return S(entry(row + i, row + j)); };
    if constexpr (M == dynamic)
      detail::ldlt_factor_dynamic(n, l, inverse_.data() + row, scratch_.data(), scratch_.data() + n,
                                  local, monitor);
    else
      detail::ldlt_factor<M>(n, l, inverse_.data() + row, local, monitor);
  }

  std::vector<Run> runs_;
  std::vector<S> lower_, inverse_, scratch_;
};

}  // namespace rattleback

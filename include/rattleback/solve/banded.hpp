// Symmetric band LDL^T, half bandwidth chosen at run time.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "rattleback/solve/factor_report.hpp"
#include "rattleback/solve/ldlt_kernels.hpp"

namespace rattleback {

/// Entries with |i - j| <= half_bandwidth. No pivoting.
template <class S>
class BandedLdlt {
 public:
  BandedLdlt(int size, int half_bandwidth)
      : size_(size), width_(std::min(half_bandwidth, size - 1)) {
    if (size < 1) throw std::invalid_argument("BandedLdlt: size is " + std::to_string(size));
    if (half_bandwidth < 0)
      throw std::invalid_argument("BandedLdlt: half bandwidth is " +
                                  std::to_string(half_bandwidth));
    columns_.resize(std::size_t(size) * (width_ + 1));
    multipliers_.resize(width_ + 1);
    inverse_.resize(size);
  }

  int size() const { return size_; }
  int half_bandwidth() const { return width_; }

  template <class Entry>
  FactorReport factor(Entry&& entry) {
    detail::PivotMonitor<S> monitor;
    detail::with_fixed_size(width_, [&]<int W>() { factor_as<W>(entry, monitor); });
    return detail::conclude(
        monitor, size_, [&](int k) { return inverse_[k]; }, [&](int i) { return S(entry(i, i)); },
        [](int k) { return k; });
  }

  template <class Vec>
  void solve(Vec&& b) const {
    detail::with_fixed_size(width_, [&]<int W>() { solve_as<W>(b); });
  }

 private:
  // W: the half bandwidth where it is small, so that the loops over full columns are unrolled.
  template <int W>
  S* column(int j) {
    return columns_.data() + std::size_t(j) * (detail::rows<W>(width_) + 1);
  }

  template <int W, class Entry>
  void factor_as(Entry& entry, detail::PivotMonitor<S>& result) {
    detail::PivotMonitor<S> monitor = result;  // a copy can live in registers
    const int n = size_, w = detail::rows<W>(width_);
    auto fill = [&](int j, int reach) {
      for (int i = 0; i <= reach; ++i) column<W>(j)[i] = entry(j + i, j);
    };
    for (int j = 0; j < w; ++j) fill(j, std::min(w, n - 1 - j));
    for (int k = 0; k < n; ++k) {
      if (k + w < n) fill(k + w, std::min(w, n - 1 - k - w));  // enters the window now
      if (k + w < n)
        eliminate<W, W>(k, w);
      else
        eliminate<W, dynamic>(k, n - 1 - k);
      monitor.add(S(entry(k, k)), inverse_[k]);
    }
    result = monitor;
  }

  /// Pivot k, and its rank-one update of the next `full` columns.
  template <int W, int R>
  void eliminate(int k, int full) {
    const int reach = detail::rows<R>(full);
    S* u = column<W>(k);
    S* l = multipliers_.data();
    const S inverse = inverse_[k] = S(1) / u[0];
    for (int i = 1; i <= reach; ++i) l[i] = u[i] * inverse;
    for (int j = 1; j <= reach; ++j) {
      S* target = column<W>(k + j) - j;
      const S uj = u[j];
      for (int i = j; i <= reach; ++i) target[i] -= l[i] * uj;
    }
    std::copy(l + 1, l + 1 + reach, u + 1);
  }

  template <int W, class Vec>
  void solve_as(Vec& b) const {
    const int n = size_, w = detail::rows<W>(width_);
    const S* columns = columns_.data();
    auto forward = [&](int k, int reach) {
      const S* l = columns + std::size_t(k) * (w + 1);
      const auto t = b[k];
      for (int i = 1; i <= reach; ++i) b[k + i] -= l[i] * t;
    };
    auto backward = [&](int k, int reach) {
      const S* l = columns + std::size_t(k) * (w + 1);
      auto t = b[k];
      t = t * inverse_[k];
      for (int i = reach; i >= 1; --i) t -= l[i] * b[k + i];  // the newest value last
      b[k] = t;
    };
    int k = 0;
    for (; k + w < n; ++k) forward(k, w);
    for (; k < n; ++k) forward(k, n - 1 - k);
    for (k = n - 1; k >= 0 && k + w >= n; --k) backward(k, n - 1 - k);
    for (; k >= 0; --k) backward(k, w);
  }

  int size_, width_;
  std::vector<S> columns_;  // column j: (j, j), (j + 1, j), ..., (j + width, j)
  std::vector<S> multipliers_, inverse_;
};

}  // namespace rattleback

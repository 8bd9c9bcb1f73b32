// Symmetric band LDL^T, half bandwidth chosen at run time.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "rattleback/solve/factor_report.hpp"

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
    const int n = size_, w = width_;
    auto fill = [&](int j) {
      for (int i = j; i <= std::min(j + w, n - 1); ++i) column(j)[i - j] = entry(i, j);
    };
    for (int j = 0; j < std::min(w, n); ++j) fill(j);
    for (int k = 0; k < n; ++k) {
      if (k + w < n) fill(k + w);  // enters the window now, while its neighbours are in cache
      eliminate(k, std::min(w, n - 1 - k));
      monitor.add(S(entry(k, k)), inverse_[k]);
    }
    return detail::conclude(
        monitor, n, [&](int k) { return inverse_[k]; }, [&](int i) { return S(entry(i, i)); },
        [](int k) { return k; });
  }

  template <class Vec>
  void solve(Vec&& b) const {
    const int n = size_;
    for (int k = 0; k < n; ++k) {
      const auto t = b[k];
      const int reach = std::min(width_, n - 1 - k);
      for (int i = 1; i <= reach; ++i) b[k + i] -= column(k)[i] * t;
    }
    for (int k = n - 1; k >= 0; --k) {
      auto t = b[k];
      t = t * inverse_[k];
      const int reach = std::min(width_, n - 1 - k);
      for (int i = 1; i <= reach; ++i) t -= column(k)[i] * b[k + i];
      b[k] = t;
    }
  }

 private:
  S* column(int j) { return columns_.data() + std::size_t(j) * (width_ + 1); }
  const S* column(int j) const { return columns_.data() + std::size_t(j) * (width_ + 1); }

  /// Pivot k, and its rank-one update of the next `reach` columns.
  void eliminate(int k, int reach) {
    S* u = column(k);
    S* l = multipliers_.data();
    const S inverse = inverse_[k] = S(1) / u[0];
    for (int i = 1; i <= reach; ++i) l[i] = u[i] * inverse;
    for (int j = 1; j <= reach; ++j) {
      S* target = column(k + j) - j;
      const S uj = u[j];
      for (int i = j; i <= reach; ++i) target[i] -= l[i] * uj;
    }
    std::copy(l + 1, l + 1 + reach, u + 1);
  }

  int size_, width_;
  std::vector<S> columns_;  // column j: (j, j), (j + 1, j), ..., (j + width, j)
  std::vector<S> multipliers_, inverse_;
};

}  // namespace rattleback

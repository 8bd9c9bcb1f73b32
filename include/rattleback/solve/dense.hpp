// Dense solvers: symmetric without pivoting (small and fast, packs too), and general with partial
// pivoting.
#pragma once

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/problem/dual.hpp"
#include "rattleback/solve/factor_report.hpp"
#include "rattleback/solve/ldlt_kernels.hpp"

namespace rattleback {

namespace detail {

/// Room for n values: an array where the number is known, else a vector sized once.
template <class S, int Count>
struct Room : std::array<S, Count> {
  explicit Room(int) {}
};
template <class S>
struct Room<S, 0> {
  explicit Room(int) {}
  S* data() { return nullptr; }
  const S* data() const { return nullptr; }
};
template <class S>
struct Room<S, dynamic> : std::vector<S> {
  explicit Room(int n) : std::vector<S>(n) {}
};

inline int checked_size(const char* who, int fixed, int size) {
  if (fixed == dynamic ? size < 1 : size != fixed)
    throw std::invalid_argument(std::string(who) + ": size is " + std::to_string(size));
  return size;
}

}  // namespace detail

/// Symmetric, possibly indefinite, without pivoting: a zero leading minor is reported, not
/// repaired.
template <class S, int M = dynamic>
class DenseLdlt {
 public:
  explicit DenseLdlt(int size = M)
      : size_(detail::checked_size("DenseLdlt", M, size)),
        lower_(detail::packed_size(size_)),
        inverse_(size_),
        scratch_(3 * size_) {}

  int size() const { return detail::rows<M>(size_); }

  template <class Entry>
  FactorReport factor(Entry&& entry)
    requires(M == dynamic)
  {
    for (int i = 0; i < size_; ++i) {
      for (int j = 0; j < i; ++j) lower_[detail::packed(i, j)] = entry(i, j);
      scratch_[i] = entry(i, i);
    }
    detail::PivotMonitor<S> monitor;
    factor_in_place(monitor);
    return report(entry, monitor);
  }
  /// Few rows: a call would cost more than the work, and keep all that is around it in memory.
  template <class Entry>
  RATTLEBACK_INLINE FactorReport factor(Entry&& entry)
    requires(M != dynamic)
  {
    detail::PivotMonitor<S> monitor;
    detail::ldlt_factor<M>(M, lower_.data(), inverse_.data(), entry, monitor);
    return report(entry, monitor);
  }

  template <class Vec>
  void solve(Vec&& b) const {
    if constexpr (M == dynamic)
      detail::with_fixed_size(
          size_, [&]<int K>() { detail::ldlt_solve<K>(size_, lower_.data(), inverse_.data(), b); });
    else
      detail::ldlt_solve<M>(M, lower_.data(), inverse_.data(), b);
  }

 private:
  template <class Entry>
  RATTLEBACK_INLINE FactorReport report(Entry& entry,
                                        const detail::PivotMonitor<S>& monitor) const {
    return detail::conclude(
        monitor, size(), [&](int k) { return inverse_[k]; }, [&](int i) { return S(entry(i, i)); },
        [](int k) { return k; });
  }
  /// Entries in lower_, diagonal in scratch_. Apart from who gives them: unrolled, it is long.
  void factor_in_place(detail::PivotMonitor<S>& monitor) {
    S* const l = lower_.data();
    S* const diagonal = scratch_.data();
    const auto entry = [=](int i, int j) { return i == j ? diagonal[i] : l[detail::packed(i, j)]; };
    detail::with_fixed_size(size_, [&]<int K>() {
      if constexpr (K == dynamic)
        detail::ldlt_factor_dynamic(size_, l, inverse_.data(), diagonal + size_,
                                    diagonal + 2 * size_, entry, monitor);
      else
        detail::ldlt_factor<K>(K, l, inverse_.data(), entry, monitor);
    });
  }

  int size_;
  detail::Room<S, M == dynamic ? dynamic : detail::packed_size(M)> lower_;
  detail::Room<S, M> inverse_;
  detail::Room<S, M == dynamic ? dynamic : 0> scratch_;
};

namespace detail {

/// Swap in the lanes where take is set.
template <class Mask, class R>
void swap_where(const Mask& take, R& a, R& b) {
  if constexpr (is_dual<R>) {
    swap_where(take, a.value, b.value);
    constexpr int count = sizeof(a.partials.d) / sizeof(a.partials[0]);
    for (int i = 0; i < count; ++i) swap_where(take, a.partials[i], b.partials[i]);
  } else {
    const R old = a;
    where(take, a) = b;
    where(take, b) = old;
  }
}

/// Which rows were exchanged. One lane: the pivot row of each column. Packs: every lane has its own
/// order, kept as one mask per comparison, so that no lane is ever taken apart.
template <class S, bool = Lanes<S>::packed>
struct Exchange {
  using type = int;
};
template <class S>
struct Exchange<S, true> {
  using type = typename S::mask_type;
};

/// Blocked LU of large matrices of doubles, in the compiled library. Row major, in place.
void blocked_lu(double* matrix, int size, int* pivot_row);

}  // namespace detail

/// General matrix, partial pivoting (in every lane of a pack separately). entry(i, j) for all i, j.
template <class S, int M = dynamic>
class DenseLu {
 public:
  explicit DenseLu(int size = M)
      : size_(detail::checked_size("DenseLu", M, size)),
        lu_(size_ * size_),
        inverse_(size_),
        exchange_(packed ? size_ * (size_ - 1) / 2 + 1 : size_) {}

  int size() const { return detail::rows<M>(size_); }

  template <class Entry>
  FactorReport factor(Entry&& entry) {
    const int n = size();
    S biggest = S(0);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const S a = at(i, j) = entry(i, j);
        biggest = detail::Lanes<S>::greater(detail::Lanes<S>::absolute(a), biggest);
      }
    eliminate(n);
    // Rank is judged against the largest entry: rows have changed places.
    detail::PivotMonitor<S> monitor;
    for (int k = 0; k < n; ++k) monitor.add(biggest, inverse_[k] = S(1) / at(k, k));
    return detail::conclude(
        monitor, n, [&](int k) { return inverse_[k]; }, [&](int) { return biggest; },
        [](int k) { return k; });
  }

  template <class Vec>
  void solve(Vec&& b) const {
    const int n = size();
    permute(b);
    for (int i = 1; i < n; ++i)
      for (int j = 0; j < i; ++j) b[i] -= at(i, j) * b[j];
    for (int i = n - 1; i >= 0; --i) {
      for (int j = i + 1; j < n; ++j) b[i] -= at(i, j) * b[j];
      b[i] = b[i] * inverse_[i];
    }
  }

 private:
  static constexpr bool packed = detail::Lanes<S>::packed;
  static constexpr int blocked_above = 32;

  S& at(int i, int j) { return lu_[i * size() + j]; }
  const S& at(int i, int j) const { return lu_[i * size() + j]; }

  void eliminate(int n) {
    if constexpr (std::is_same_v<S, double> && M == dynamic)
      if (n > blocked_above) return detail::blocked_lu(lu_.data(), n, exchange_.data());
    for (int k = 0, step = 0; k < n; ++k) {
      choose_pivot(k, n, step);
      const S inverse = S(1) / at(k, k);
      for (int i = k + 1; i < n; ++i) {
        const S m = at(i, k) = at(i, k) * inverse;
        for (int j = k + 1; j < n; ++j) at(i, j) -= m * at(k, j);
      }
    }
  }

  void choose_pivot(int k, int n, int& step) {
    using L = detail::Lanes<S>;
    if constexpr (packed) {
      for (int i = k + 1; i < n; ++i, ++step) {
        const auto take = L::absolute(at(i, k)) > L::absolute(at(k, k));
        exchange_[step] = take;
        for (int j = 0; j < n; ++j) detail::swap_where(take, at(i, j), at(k, j));
      }
    } else {
      int best = k;
      for (int i = k + 1; i < n; ++i)
        if (L::absolute(at(i, k)) > L::absolute(at(best, k))) best = i;
      exchange_[k] = best;
      if (best != k)
        for (int j = 0; j < n; ++j) std::swap(at(k, j), at(best, j));
    }
  }

  template <class Vec>
  void permute(Vec& b) const {
    const int n = size();
    for (int k = 0, step = 0; k < n; ++k) {
      if constexpr (packed) {
        for (int i = k + 1; i < n; ++i, ++step) detail::swap_where(exchange_[step], b[i], b[k]);
      } else if (exchange_[k] != k) {
        std::swap(b[k], b[exchange_[k]]);
      }
    }
  }

  using Exchange = typename detail::Exchange<S>::type;
  static constexpr int exchanges = packed ? M * (M - 1) / 2 + 1 : M;

  int size_;
  detail::Room<S, M == dynamic ? dynamic : M * M> lu_;
  detail::Room<S, M> inverse_;
  detail::Room<Exchange, M == dynamic ? dynamic : exchanges> exchange_;
};

}  // namespace rattleback

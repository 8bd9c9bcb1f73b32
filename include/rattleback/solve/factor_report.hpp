// What a factorisation says about itself: usable or not, where it broke, inertia, pivot range.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "rattleback/problem/scalar.hpp"

namespace rattleback {

/// Result of factor(). With packs every figure is the worst over the lanes.
struct [[nodiscard]] FactorReport {
  bool ok = true;    ///< false: a pivot is zero, not finite, or round-off only
  int negative = 0;  ///< negative pivots (inertia); packs: the most in any lane
  double smallest_pivot = std::numeric_limits<double>::infinity();  ///< by absolute value
  double largest_pivot = 0;                                         ///< by absolute value
  double cancellation = 0;  ///< largest |a_ii / d_i|: digits lost where the rows depend
  int row = -1;             ///< the first unusable row, -1 when ok
};

/// A pivot that kept less than this fraction of its diagonal entry is round-off: rank loss.
template <class S>
double rank_threshold(int size) {
  return 4 * std::max(size, 8) * epsilon<S>;
}

namespace detail {

/// Lane-wise minimum, maximum and counting. std::experimental names are found by their arguments.
template <class S>
struct Lanes {
  static constexpr bool packed = ScalarTraits<S>::lanes > 1;
  static S absolute(const S& x) {
    using std::abs;
    return abs(x);
  }
  static S smaller(const S& a, const S& b) {
    if constexpr (packed)
      return min(a, b);
    else
      return a < b ? a : b;
  }
  static S greater(const S& a, const S& b) {
    if constexpr (packed)
      return max(a, b);
    else
      return a > b ? a : b;
  }
  static double least(const S& a) {
    if constexpr (packed)
      return hmin(a);
    else
      return static_cast<double>(a);
  }
  static double most(const S& a) {
    if constexpr (packed)
      return hmax(a);
    else
      return static_cast<double>(a);
  }
};

/// Collects inverse pivots off the critical path of an elimination: no branch, no division.
template <class S>
class PivotMonitor {
 public:
  /// Inverse pivot of the row with diagonal entry a.
  void add(const S& a, const S& inverse) {
    using L = Lanes<S>;
    const S size = L::absolute(inverse);
    least_ = L::smaller(size, least_);
    most_ = L::greater(size, most_);
    lost_ = L::greater(L::absolute(S(a * inverse)), lost_);
    sum_ += inverse;  // a zero or broken pivot makes this infinite or not a number
    if constexpr (L::packed)
      where(inverse < S(0), negative_) += S(1);
    else
      negative_ += inverse < S(0) ? 1 : 0;
  }

  /// Many rows at once: least and most |1/d|, most |a/d|, sum of 1/d, number of negative ones.
  void add_range(const S& least, const S& most, const S& lost, const S& sum, int negative) {
    using L = Lanes<S>;
    least_ = L::smaller(least, least_);
    most_ = L::greater(most, most_);
    lost_ = L::greater(lost, lost_);
    sum_ += sum;
    negative_ += negative;
  }

  /// first_bad(limit) names the first row whose inverse pivot is not usable; called on failure
  /// only.
  template <class FirstBad>
  FactorReport report(int size, FirstBad&& first_bad) const {
    using L = Lanes<S>;
    FactorReport r;
    if (size == 0) return r;
    r.smallest_pivot = 1 / L::most(most_);
    r.largest_pivot = 1 / L::least(least_);
    r.cancellation = L::most(lost_);
    r.negative = static_cast<int>(L::most(S(negative_)));
    const double limit = 1 / rank_threshold<S>(size);
    // No division in what decides: callers that ask for nothing else do not pay for one.
    r.ok = std::isfinite(magnitude(sum_)) && r.cancellation < limit &&
           L::least(least_) > std::numeric_limits<double>::min();
    if (!r.ok) r.row = first_bad(limit);
    return r;
  }

 private:
  using Count = std::conditional_t<Lanes<S>::packed, S, int>;
  S least_ = S(std::numeric_limits<double>::infinity());
  S most_ = S(0);
  S lost_ = S(0);
  S sum_ = S(0);
  Count negative_ = Count(0);
};

/// Whether a row with diagonal entry a and inverse pivot has to be refused.
template <class S>
bool unusable(const S& a, const S& inverse, double limit) {
  const double m = magnitude(inverse);
  const double lost = magnitude(S(a * inverse));
  if constexpr (Lanes<S>::packed) {
    if (!(Lanes<S>::least(Lanes<S>::absolute(inverse)) > 0)) return true;
  }
  return !std::isfinite(m) || m == 0 || !(lost < limit);
}

/// report() for an elimination that stores inverse[k] for row(k), k in elimination order.
template <class S, class Inverse, class Diagonal, class Row>
RATTLEBACK_INLINE FactorReport conclude(const PivotMonitor<S>& monitor, int size, Inverse&& inverse,
                                        Diagonal&& diagonal, Row&& row) {
  return monitor.report(size, [&](double limit) {
    for (int k = 0; k < size; ++k)
      if (unusable<S>(diagonal(row(k)), inverse(k), limit)) return int(row(k));
    return int(row(0));
  });
}

}  // namespace detail
}  // namespace rattleback

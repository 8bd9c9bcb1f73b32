// A quantity at all stages of a step at once: in double the lanes of a pack, so that eight fields
// are evaluated as one; in other scalars an array.
#pragma once

#include <array>
#include <memory>
#include <type_traits>
#include <vector>

#include "rattleback/problem/pack.hpp"
#include "rattleback/solve/tableau.hpp"

namespace rattleback {

inline constexpr int most_stages = 8;

namespace detail {

template <class S>
struct StageArray {
  std::array<S, most_stages> lane{};
  const S& operator[](int i) const { return lane[i]; }
};

}  // namespace detail

/// Lanes beyond the last stage repeat it.
template <class S>
using StageLanes =
    std::conditional_t<std::is_same_v<S, double>, BasicPack<most_stages>, detail::StageArray<S>>;

/// f(lane) in every lane.
template <class S, class F>
RATTLEBACK_INLINE StageLanes<S> each_stage(F&& f) {
  StageLanes<S> r;
  for (int i = 0; i < most_stages; ++i)
    if constexpr (std::is_same_v<S, double>)
      r.set(i, f(i));
    else
      r.lane[i] = f(i);
  return r;
}

/// a + b x, with a the same at all stages.
template <class S>
RATTLEBACK_INLINE StageLanes<S> add_scaled_stages(const S& a, const S& b, const StageLanes<S>& x) {
  if constexpr (std::is_same_v<S, double>)
    return StageLanes<S>(a) + StageLanes<S>(b) * x;
  else
    return each_stage<S>([&](int i) { return S(a + b * x[i]); });
}
/// x y, stage by stage.
template <class S>
RATTLEBACK_INLINE StageLanes<S> multiply_stages(const StageLanes<S>& x, const StageLanes<S>& y) {
  if constexpr (std::is_same_v<S, double>)
    return x * y;
  else
    return each_stage<S>([&](int i) { return S(x[i] * y[i]); });
}
template <class S>
RATTLEBACK_INLINE StageLanes<S> subtract_stages(const StageLanes<S>& x, const StageLanes<S>& y) {
  if constexpr (std::is_same_v<S, double>)
    return x - y;
  else
    return each_stage<S>([&](int i) { return S(x[i] - y[i]); });
}
template <class S>
RATTLEBACK_INLINE StageLanes<S> invert_stages(const StageLanes<S>& x) {
  if constexpr (std::is_same_v<S, double>)
    return StageLanes<S>(1.0) / x;
  else
    return each_stage<S>([&](int i) { return S(S(Real<S>(1)) / x[i]); });
}

/// All stages combined into one number, halves with halves: in registers, and few instructions.
template <class Combine>
RATTLEBACK_INLINE double fold_stages(const StageLanes<double>& x, Combine&& f) {
  typedef double Four RATTLEBACK_VECTOR(32);
  typedef double Two RATTLEBACK_VECTOR(16);
  Four four;
  if constexpr (sizeof(x.part[0]) == 64)
    four = f(Four(__builtin_shufflevector(x.part[0], x.part[0], 0, 1, 2, 3)),
             Four(__builtin_shufflevector(x.part[0], x.part[0], 4, 5, 6, 7)));
  else
    four = f(x.part[0], x.part[1]);
  const Two two = f(Two(__builtin_shufflevector(four, four, 0, 1)),
                    Two(__builtin_shufflevector(four, four, 2, 3)));
  return f(two[0], two[1]);
}

/// The largest change of a quantity at any stage, over several quantities. What is not a number may
/// go unseen.
template <class S>
class LargestChange {
 public:
  RATTLEBACK_INLINE void add(const StageLanes<S>& a, const StageLanes<S>& b) {
    if constexpr (std::is_same_v<S, double>)
      most_ = max(abs(a - b), most_);
    else
      for (int i = 0; i < most_stages; ++i) most_ = larger(most_, magnitude(S(a[i] - b[i])));
  }
  /// Of two, times factors.
  RATTLEBACK_INLINE static double largest(const LargestChange& a, double times_a,
                                          const LargestChange& b, double times_b) {
    if constexpr (std::is_same_v<S, double>)
      return fold_stages(max(a.most_ * StageLanes<S>(times_a), b.most_ * StageLanes<S>(times_b)),
                         [](auto x, auto y) { return x > y ? x : y; });
    else
      return larger(a.most_ * times_a, b.most_ * times_b);
  }

 private:
  std::conditional_t<std::is_same_v<S, double>, StageLanes<double>, double> most_ = 0.0;
};

/// x_i -> sum_j a_ij x_j
template <class S>
class StageMap {
 public:
  StageMap() = default;
  /// By a(i, j), i and j below `stages`.
  template <class Entry>
  StageMap(int stages, Entry&& a) : stages_(stages) {
    for (int j = 0; j < stages; ++j)
      column_[j] =
          each_stage<Real<S>>([&](int i) { return Real<S>(a(std::min(i, stages - 1), j)); });
  }
  /// The same map times a factor. A copy in the caller's hands stays in registers.
  RATTLEBACK_INLINE StageMap times(const S& factor) const
    requires std::is_same_v<S, double>
  {
    StageMap map(*this);
    for (auto& column : map.column_) column *= StageLanes<S>(factor);
    return map;
  }
  RATTLEBACK_INLINE StageLanes<S> operator()(const StageLanes<S>& x) const {
    if constexpr (std::is_same_v<S, double>) {
      return plus(0.0, x);
    } else {
      return each_stage<S>([&](int i) {
        S r(Real<S>(0));
        for (int j = 0; j < stages_; ++j) r += x[j] * column_[j][i];
        return r;
      });
    }
  }

  /// The same at all stages, and what x is mapped to. Columns beyond the last stage are zero.
  RATTLEBACK_INLINE StageLanes<S> plus(double start, const StageLanes<S>& x) const
    requires std::is_same_v<S, double>
  {
    const double* lane = reinterpret_cast<const double*>(&x);
    return sum(start, lane, std::make_index_sequence<most_stages / 2>{});
  }

 private:
  /// Two sums: neither waits for the other.
  template <std::size_t... J>
  RATTLEBACK_INLINE StageLanes<S> sum(double start, const double* lane,
                                      std::index_sequence<J...>) const {
    return (StageLanes<S>(start) + ... + (column_[2 * J] * StageLanes<S>(lane[2 * J]))) +
           (... + (column_[2 * J + 1] * StageLanes<S>(lane[2 * J + 1])));
  }
  int stages_ = 0;
  std::array<StageLanes<Real<S>>, most_stages> column_;
};

/// The Gauss method of some stages, and the polynomial through its stages.
template <class S>
struct GaussStages {
  using R = Real<S>;
  int stages;
  StageMap<S> a;
  StageMap<S> ahead;  ///< values of the polynomial through them at the stages of the next step
  std::array<R, most_stages> b{};
  StageLanes<R> weights;  ///< b, and zero beyond the last stage

  /// One for all: 8 stages take 100 us to compute.
  static const GaussStages& of(int stages) {
    static const auto all = [] {
      std::array<std::unique_ptr<const GaussStages>, most_stages> made;
      for (int s = 1; s <= most_stages; ++s) made[s - 1] = std::make_unique<GaussStages>(s);
      return made;
    }();
    return *all.at(stages - 1);
  }
  explicit GaussStages(int s) : stages(s) {
    const Tableau<R> t = gauss_tableau<R>(s);
    a = StageMap<S>(s, [&](int i, int j) { return t.a(i, j); });
    for (int i = 0; i < s; ++i) b[i] = t.b[i];
    weights = each_stage<R>([&](int i) { return i < s ? t.b[i] : R(0); });
    // Legendre polynomials are orthogonal in the quadrature:
    //   x(c) = sum_k (2k+1) P_k(2c - 1) sum_j b_j P_k(2c_j - 1) x_j
    ahead = StageMap<S>(s, [&](int i, int j) {
      const auto at = detail::legendre<R>(s, R(2 * t.c[i] + 1));
      const auto from = detail::legendre<R>(s, R(2 * t.c[j] - 1));
      R sum(0);
      for (int k = 0; k < s; ++k) sum += R(2 * k + 1) * at[k] * from[k];
      return R(t.b[j] * sum);
    });
  }
  /// sum_j b_j x_j
  RATTLEBACK_INLINE S weigh(const StageLanes<S>& x) const {
    if constexpr (std::is_same_v<S, double>) {
      return fold_stages(weights * x, [](auto u, auto v) { return u + v; });
    }
    S sum = x[0] * b[0];
    for (int j = 1; j < stages; ++j) sum += x[j] * b[j];
    return sum;
  }
};

}  // namespace rattleback

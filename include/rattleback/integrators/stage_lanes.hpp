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
RATTLEBACK_INLINE StageLanes<S> invert_stages(const StageLanes<S>& x) {
  if constexpr (std::is_same_v<S, double>)
    return StageLanes<S>(1.0) / x;
  else
    return each_stage<S>([&](int i) { return S(S(Real<S>(1)) / x[i]); });
}

/// The largest change of a quantity at any stage, over several quantities, each in units of its
/// own. What is not a number may go unseen.
template <class S>
class LargestChange {
 public:
  RATTLEBACK_INLINE void add(const StageLanes<S>& a, const StageLanes<S>& b, double scale) {
    if constexpr (std::is_same_v<S, double>)
      most_ = max(abs(a - b) * StageLanes<S>(scale), most_);
    else
      for (int i = 0; i < most_stages; ++i)
        most_ = larger(most_, magnitude(S(a[i] - b[i])) * scale);
  }
  RATTLEBACK_INLINE double value() const {
    if constexpr (std::is_same_v<S, double>)
      return hmax(most_);
    else
      return most_;
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
  RATTLEBACK_INLINE StageLanes<S> operator()(const StageLanes<S>& x) const {
    if constexpr (std::is_same_v<S, double>) {
      const double* lane = reinterpret_cast<const double*>(&x);
      if (stages_ == most_stages) return sum(lane, std::make_index_sequence<most_stages>{});
      StageLanes<S> r(0.0);
      for (int j = 0; j < stages_; ++j) r += column_[j] * StageLanes<S>(lane[j]);
      return r;
    } else {
      return each_stage<S>([&](int i) {
        S r(Real<S>(0));
        for (int j = 0; j < stages_; ++j) r += x[j] * column_[j][i];
        return r;
      });
    }
  }

 private:
  template <std::size_t... J>
  RATTLEBACK_INLINE StageLanes<S> sum(const double* lane, std::index_sequence<J...>) const {
    return ((column_[2 * (J / 2) + J % 2] * StageLanes<S>(lane[J])) + ...);
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
  std::vector<StageMap<S>> ahead;  ///< by degree: values at the stages of the next step
  std::array<R, most_stages> b{};

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
    // Of best fit in the quadrature, in which Legendre polynomials are orthogonal:
    //   x(c) = sum_{k <= degree} (2k+1) P_k(2c - 1) sum_j b_j P_k(2c_j - 1) x_j
    for (int degree = 0; degree < s; ++degree)
      ahead.emplace_back(s, [&](int i, int j) {
        const auto at = detail::legendre<R>(s, R(2 * t.c[i] + 1));
        const auto from = detail::legendre<R>(s, R(2 * t.c[j] - 1));
        R sum(0);
        for (int k = 0; k <= degree; ++k) sum += R(2 * k + 1) * at[k] * from[k];
        return R(t.b[j] * sum);
      });
  }
  /// sum_j b_j x_j
  S weigh(const StageLanes<S>& x) const {
    S sum = x[0] * b[0];
    for (int j = 1; j < stages; ++j) sum += x[j] * b[j];
    return sum;
  }
};

}  // namespace rattleback

// Sweeps of duals: a function runs on duals that carry K directions at a time, as often as it takes
// to differentiate it along all of them.
//
//   sweep<K>(n, [&](const auto& chunk) {
//     chunk.seed(x, lifted);      // or seed_along(x, direction, lifted)
//     f(lifted, y);
//     chunk.read(y, jacobian);    // jacobian(i, j) = dy_i/dx_j
//   });
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include "rattleback/problem/dual.hpp"

namespace rattleback {

/// Partials per sweep: all variables at once while they fit a register or two, else four by four.
template <int Variables>
inline constexpr int chunk_for = (Variables > 0 && Variables <= 8) ? Variables : 4;

/// How many variables (q, p) has.
template <int N>
inline constexpr int twice = N == dynamic ? dynamic : 2 * N;

/// x as a constant of the dual D: its partials stay where D differentiates them, else they go.
template <class D, class S>
RATTLEBACK_INLINE D constant(const S& x) {
  if constexpr (std::is_same_v<decltype(D::value), S>)
    return D(x);
  else
    return D(base(x));
}

/// Directions first, first + 1, ..., of which the partials 0, 1, ... are those of one run. Whole:
/// all directions at once, their number known at compile time.
template <int K, bool Whole = false>
struct Chunk {
  int first = 0;
  int count = K;

  /// Directions are variables; x[i] is variable number offset + i.
  template <class X, class Y>
  RATTLEBACK_INLINE void seed(const X& x, Y& lifted, int offset = 0) const {
    using D = std::decay_t<decltype(lifted[0])>;
    if constexpr (Whole) {  // with indices known at compile time
      [&]<std::size_t... I>(std::index_sequence<I...>) RATTLEBACK_INLINE_LAMBDA {
        ((lifted[I] = unit<D>(x[I], offset + static_cast<int>(I))), ...);
      }(std::make_index_sequence<X::SizeAtCompileTime>{});
    } else {
      for (int i = 0; i < static_cast<int>(x.size()); ++i) {
        const int k = offset + i - first;
        lifted[i] = (k >= 0 && k < count) ? unit<D>(x[i], k) : constant<D>(x[i]);
      }
    }
  }
  /// direction(j, i) is component i of direction j.
  template <class X, class Direction, class Y>
  void seed_along(const X& x, Direction&& direction, Y& lifted) const {
    using D = std::decay_t<decltype(lifted[0])>;
    for (int i = 0; i < static_cast<int>(x.size()); ++i) {
      lifted[i] = constant<D>(x[i]);
      for (int k = 0; k < count; ++k) lifted[i].partials[k] = direction(first + k, i);
    }
  }

  /// out(j) = derivative of y along direction j
  template <class T, class Out>
  RATTLEBACK_INLINE void read(const Dual<T, K>& y, Out&& out) const {
    for (int k = 0; k < (Whole ? K : count); ++k) out(first + k) = y.partials[k];
  }
  /// out(i, j) = derivative of y[i] along direction j
  template <class Y, class Out>
    requires requires(const Y& y) { y.size(); }
  RATTLEBACK_INLINE void read(const Y& y, Out&& out) const {
    for (int i = 0; i < static_cast<int>(y.size()); ++i)
      for (int k = 0; k < (Whole ? K : count); ++k) out(i, first + k) = y[i].partials[k];
  }

 private:
  template <class D, class S>
  RATTLEBACK_INLINE static D unit(const S& x, int k) {
    D y = constant<D>(x);
    y.partials[k] = decltype(D::value)(1);
    return y;
  }
};

/// run(chunk) for all chunks of `count` directions. Where run gives back something, a bool or a
/// status, the first that is false ends the sweep and is its result.
template <int K, int Count = dynamic, class Run>
RATTLEBACK_INLINE auto sweep(int count, Run&& run) {
  if constexpr (Count == K) {
    return run(Chunk<K, true>{});
  } else {
    using Result = decltype(run(Chunk<K>{}));
    for (int first = 0; first < count; first += K) {
      const Chunk<K> chunk{first, std::min(K, count - first)};
      if constexpr (std::is_void_v<Result>)
        run(chunk);
      else if (Result result = run(chunk); !result)
        return result;
    }
    if constexpr (std::is_same_v<Result, bool>)
      return true;
    else if constexpr (!std::is_void_v<Result>)
      return Result{};
  }
}

}  // namespace rattleback

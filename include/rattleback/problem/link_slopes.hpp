// One function of the two ends of a link, given once as a template in one of several forms, and its
// derivatives by duals.
#pragma once

#include <type_traits>
#include <utility>

#include "rattleback/problem/dual.hpp"

namespace rattleback {

namespace detail {

/// x, whose coordinates are variables from `offset` on, with the direction of one variable.
template <int Variable, class S, int D>
RATTLEBACK_INLINE Vector<Dual<S, 1>, D> lifted(const Vector<S, D>& x, int offset = 0) {
  Vector<Dual<S, 1>, D> y;
  for (int c = 0; c < D; ++c) y[c] = Dual<S, 1>(x[c]);
  if (Variable >= offset && Variable < offset + D) y[Variable - offset].partials[0] = S(1);
  return y;
}

}  // namespace detail

/// Of link k with ends a and b: f(a, b, k), f(a, b), f(d) with d = b - a, relative(f), Rods.
template <int D, class Function>
class LinkSlopes {
 public:
  template <class S>
  using Point = Vector<S, D>;

  explicit LinkSlopes(Function function) : function_(std::move(function)) {}

  const Function& function() const { return function_; }

  /// Whether it depends on d only.
  static constexpr bool is_relative = [] {
    if constexpr (requires(const Function& f) { f.f; }) return true;
    if constexpr (requires(const Function& f) { f.length; }) return true;
    return std::is_invocable_v<const Function&, const Point<double>&>;
  }();

  template <class S>
  RATTLEBACK_INLINE S value(const Point<S>& a, const Point<S>& b, int k) const {
    if constexpr (is_relative)
      return relative(difference(a, b), k);
    else if constexpr (std::is_invocable_v<const Function&, const Point<S>&, const Point<S>&, int>)
      return S(function_(a, b, k));
    else
      return S(function_(a, b));
  }
  /// The value; slope has D entries (by d) where it is relative, else 2D (by a, then by b).
  template <class S, class Slope>
  RATTLEBACK_INLINE S slope(const Point<S>& a, const Point<S>& b, int k, Slope&& slope) const {
    constexpr int K = is_relative ? D : 2 * D;
    S value;
    [&]<std::size_t... I>(std::index_sequence<I...>) RATTLEBACK_INLINE_LAMBDA {
      if constexpr (is_relative)
        ((value = directional<I>(difference(a, b), k, slope[I])), ...);
      else
        ((value = directional<I>(a, b, k, slope[I])), ...);
    }(std::make_index_sequence<K>{});
    return value;
  }

 private:
  /// Value and derivative by one variable. One partial at a time is plain arithmetic: the sweeps
  /// share the value, and the compiler takes four links at once.
  template <int Variable, class S, class Slope>
  RATTLEBACK_INLINE S directional(const Point<S>& a, const Point<S>& b, int k, Slope& slope) const {
    const Dual<S, 1> at = value(detail::lifted<Variable>(a), detail::lifted<Variable>(b, D), k);
    slope = at.partials[0];
    return at.value;
  }
  template <int Variable, class S, class Slope>
  RATTLEBACK_INLINE S directional(const Point<S>& d, int k, Slope& slope) const {
    const Dual<S, 1> at = relative(detail::lifted<Variable>(d), k);
    slope = at.partials[0];
    return at.value;
  }
  template <class S>
  RATTLEBACK_INLINE static Point<S> difference(const Point<S>& a, const Point<S>& b) {
    Point<S> d;
    for (int c = 0; c < D; ++c) d[c] = b[c] - a[c];
    return d;
  }
  template <class S>
  RATTLEBACK_INLINE S relative(const Point<S>& d, int k) const {
    if constexpr (requires { function_.f(d, k); })
      return S(function_.f(d, k));
    else if constexpr (requires { function_.f; })
      return S(function_.f(d));
    else if constexpr (requires { function_.length; })
      return S(function_(d, k));
    else
      return S(function_(d));
  }

  Function function_;
};

}  // namespace rattleback

// Mistakes in the functions of a system, said in words where it is made: otherwise the compiler
// tells of them from deep inside a derivative.
#pragma once

#include <type_traits>

#include "rattleback/problem/dual.hpp"

namespace rattleback::detail {

/// One call operator for one type of argument, such as [](const Eigen::Vector2d& q): no template.
template <class F>
concept TakesOneType = requires { &F::operator(); };

/// That F is called with so many vectors of N coordinates, in any scalar.
template <int N, int Vectors, class F>
constexpr void require_function() {
  static_assert(!TakesOneType<F>,
                "rattleback: this function takes one type of argument only. Write it for any, "
                "[](const auto& q) { ... }: derivatives come from calling it with dual numbers");
  if constexpr (!TakesOneType<F>) {
    using Q = const Vector<double, N>&;
    constexpr bool taken =
        Vectors == 1 ? std::is_invocable_v<const F&, Q> : std::is_invocable_v<const F&, Q, Q>;
    static_assert(taken,
                  "rattleback: this function does not take vectors of as many coordinates as the "
                  "system has, or not as many vectors: V(q), H(q, p), L(q, v), g(q) or g(q, p)");
  }
}

template <class T>
inline constexpr bool is_dual_number = false;
template <class T, int K>
inline constexpr bool is_dual_number<Dual<T, K>> = true;

}  // namespace rattleback::detail

// Functions of the standard library take no dual numbers. These are found by who writes
// std::sin(x), and only say so; sin(x) finds ours, which are more specialised, also after `using
// std::sin`.
namespace std {

#define RATTLEBACK_NOT_OF_STD(name)                                                               \
  template <class D, class... More>                                                               \
    requires(rattleback::detail::is_dual_number<D>)                                               \
  auto name(const D& x, const More&...) {                                                         \
    static_assert(!rattleback::detail::is_dual_number<D>,                                         \
                  "rattleback: write " #name "(x), not std::" #name                               \
                  "(x): the functions of std take no dual numbers, from which derivatives come"); \
    return x;                                                                                     \
  }
RATTLEBACK_NOT_OF_STD(sqrt)
RATTLEBACK_NOT_OF_STD(exp)
RATTLEBACK_NOT_OF_STD(log)
RATTLEBACK_NOT_OF_STD(sin)
RATTLEBACK_NOT_OF_STD(cos)
RATTLEBACK_NOT_OF_STD(tan)
RATTLEBACK_NOT_OF_STD(asin)
RATTLEBACK_NOT_OF_STD(acos)
RATTLEBACK_NOT_OF_STD(atan)
RATTLEBACK_NOT_OF_STD(sinh)
RATTLEBACK_NOT_OF_STD(cosh)
RATTLEBACK_NOT_OF_STD(tanh)
RATTLEBACK_NOT_OF_STD(pow)
RATTLEBACK_NOT_OF_STD(atan2)
#undef RATTLEBACK_NOT_OF_STD

}  // namespace std

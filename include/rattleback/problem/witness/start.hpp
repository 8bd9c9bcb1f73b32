// Numbers of witness problems that are exact in every scalar: decimals as text, fractions as
// integers.
#pragma once

#include <array>
#include <cstdlib>
#include <type_traits>

#include "rattleback/problem/scalar.hpp"

namespace rattleback::witness {

/// A decimal in the full precision of S.
template <class S>
S number(const char* text) {
  if constexpr (std::is_same_v<Real<S>, double>)
    return S(std::strtod(text, nullptr));
  else
    return S(Real<S>(text));
}

/// a/b in the precision of S: a literal such as 0.3 would be rounded to double before it meets S.
template <class S>
Real<S> ratio(int a, int b) {
  return Real<S>(a) / Real<S>(b);
}

/// A phase point with g = 0 and {g, H} = 0, for all scalars. N is the size that the system is typed
/// with, Count the number of coordinates.
template <int Count, int N = Count>
struct Start {
  std::array<const char*, Count> q, p;

  template <class S>
  State<S, N> in() const {
    State<S, N> z{Vector<S, N>(Count), Vector<S, N>(Count)};
    for (int i = 0; i < Count; ++i) z.q[i] = number<S>(q[i]), z.p[i] = number<S>(p[i]);
    return z;
  }
};

}  // namespace rattleback::witness

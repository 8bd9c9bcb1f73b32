// Vectors that are reused between calls, so that dynamic sizes cost no allocation in a step.
#pragma once

#include "rattleback/problem/scalar.hpp"

namespace rattleback::detail {

/// One in every thread. The tag is a type declared where the vector is used, so that no two uses
/// share one:
///   auto&& v = scratch<S, N, struct Velocity>(n);
/// OnStack is for small vectors in functions that are inlined, where they stay in registers.
template <class S, int N, class Tag, bool OnStack = false>
RATTLEBACK_INLINE decltype(auto) scratch(Eigen::Index n) {
  if constexpr (OnStack) {
    return Vector<S, N>();
  } else {
    thread_local Vector<S, N> v;
    if (v.size() != n) v.resize(n);
    return (v);
  }
}

}  // namespace rattleback::detail

// Batches of an ensemble: copies side by side in the lanes of a pack, and the system they have
// there.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "rattleback/problem/pack.hpp"

namespace rattleback::detail {

inline double lane(double x, int) { return x; }
template <int W>
double lane(const BasicPack<W>& x, int i) {
  return x[i];
}
inline void set_lane(double& x, int, double value) { x = value; }
template <int W>
void set_lane(BasicPack<W>& x, int i, double value) {
  x.set(i, value);
}

/// The copies that run together.
using Batch = std::vector<long>;

/// Vectors get(copy) of a batch as one vector of S; the last is repeated.
template <class S, int N, class Get>
Vector<S, N> gather(Eigen::Index size, const Batch& batch, Get&& get) {
  Vector<S, N> v(size);
  for (std::size_t l = 0; l < ScalarTraits<S>::lanes; ++l) {
    const auto& x = get(batch[std::min(l, batch.size() - 1)]);
    for (Eigen::Index i = 0; i < size; ++i) set_lane(v[i], static_cast<int>(l), x[i]);
  }
  return v;
}

/// One system for all copies.
template <class Sys>
struct SameSystem {
  const Sys& system;
  template <class S>
  const Sys* in(const Batch&) const {
    return &system;
  }
};
/// One system a copy, from its parameters.
template <class Make, int P>
struct SystemOfParameters {
  const Make& make;
  const std::vector<Vector<double, P>>& parameters;
  template <class S>
  auto in(const Batch& batch) const {
    return std::optional(
        make(gather<S, P>(parameters[batch[0]].size(), batch,
                          [&](long i) -> const Vector<double, P>& { return parameters[i]; })));
  }
};

}  // namespace rattleback::detail

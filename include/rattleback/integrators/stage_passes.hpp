// Loops over the coordinates for steps with stages (staged_natural.hpp): several at a time, each
// array read once.
#pragma once

#include "rattleback/problem/vector_ops.hpp"

namespace rattleback::stage_passes {

/// The largest |x - y|; not a number if one is.
template <class Position>
double difference(const Position& x, const Position& y) {
  if constexpr (std::is_same_v<typename Position::Scalar, double>)
    return (x - y).cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
  else
    return largest_magnitude(x - y);
}
template <class Position>
double largest(const Position& x) {
  if constexpr (std::is_same_v<typename Position::Scalar, double>)
    return x.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
  else
    return largest_magnitude(x);
}

/// out = q + c (q1 - q)
template <class Position, class R>
void put(const Position& from, const Position& to, const R& c, Position& out) {
  using S = typename Position::Scalar;
  const S* __restrict q = from.data();
  const S* __restrict q1 = to.data();
  S* __restrict place = out.data();
  for (Eigen::Index k = 0, n = out.size(); k < n; ++k) place[k] = q[k] + (q1[k] - q[k]) * c;
}
/// out = q + c (q1 - q) + d pull
template <class Position, class R>
void put(const Position& from, const Position& to, const R& c, const Position& pull, const R& d,
         Position& out) {
  using S = typename Position::Scalar;
  const S* __restrict q = from.data();
  const S* __restrict q1 = to.data();
  const S* __restrict f = pull.data();
  S* __restrict place = out.data();
  for (Eigen::Index k = 0, n = out.size(); k < n; ++k)
    place[k] = q[k] + (q1[k] - q[k]) * c + f[k] * d;
}
/// out = from - a pull
template <class Position, class R>
void drop(const Position& from, const R& a, const Position& pull, Position& out) {
  using S = typename Position::Scalar;
  const S* __restrict q = from.data();
  const S* __restrict f = pull.data();
  S* __restrict q1 = out.data();
  for (Eigen::Index k = 0, n = out.size(); k < n; ++k) q1[k] = q[k] - f[k] * a;
}
/// q -= a (next - pull), and pull = next
template <class Position, class R>
void pull_along(const Position& next, const R& a, Position& pull, Position& position) {
  using S = typename Position::Scalar;
  const S* __restrict to = next.data();
  S* __restrict f = pull.data();
  S* __restrict q = position.data();
  for (Eigen::Index k = 0, n = position.size(); k < n; ++k) {
    q[k] -= (to[k] - f[k]) * a;
    f[k] = to[k];
  }
}
/// The two change places, or `a` alone becomes the other where sizes are static.
template <class Position>
void exchange(Position& a, Position& b) {
  if constexpr (Position::SizeAtCompileTime == dynamic)
    a.swap(b);
  else
    copy(a, b);
}

}  // namespace rattleback::stage_passes

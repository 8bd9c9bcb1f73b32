// How a multistep method keeps its vectors: a few doubles in the lanes of vector registers, where
// what it sums is done for all components at once; larger vectors and other scalars as they are.
#pragma once

#include "rattleback/problem/scalar.hpp"
#include "rattleback/problem/vector_ops.hpp"

namespace rattleback {

/// x, in a register: a vector that is loaded from where its components were just stored one by one
/// waits until all are written, 10 ns of a step of 40.
RATTLEBACK_INLINE double loaded(double x) {
#if defined(__x86_64__)
  asm("" : "+x"(x));
#endif
  return x;
}

/// N doubles, filled up with zeros to whole registers. What is elementwise runs over the cells.
template <int N>
struct LaneRow {
  typedef double Scalar RATTLEBACK_VECTOR(32);
  static constexpr Eigen::Index cells = (N + 3) / 4;

  explicit LaneRow(Eigen::Index) {
    for (Scalar& c : cell) c = Scalar{};
  }
  RATTLEBACK_INLINE explicit LaneRow(const Vector<double, N>& v) {
    const auto at = [&](Eigen::Index i)
                        RATTLEBACK_INLINE_LAMBDA { return i < N ? loaded(v[i < N ? i : 0]) : 0.0; };
    for (Eigen::Index c = 0; c < cells; ++c)
      cell[c] = Scalar{at(4 * c), at(4 * c + 1), at(4 * c + 2), at(4 * c + 3)};
  }
  RATTLEBACK_INLINE double entry(Eigen::Index i) const { return cell[i / 4][i % 4]; }
  RATTLEBACK_INLINE Vector<double, N> vector() const {
    Vector<double, N> v;
    for (Eigen::Index i = 0; i < N; ++i) v[i] = entry(i);
    return v;
  }
  Eigen::Index size() const { return cells; }
  Scalar* data() { return cell; }
  const Scalar* data() const { return cell; }
  Scalar& operator[](Eigen::Index i) { return cell[i]; }
  const Scalar& operator[](Eigen::Index i) const { return cell[i]; }

  Scalar cell[cells];
};

namespace detail {
template <class Position>
struct RowOf {
  using type = Position;
};
template <int N>
  requires(N != dynamic && N > 0)
struct RowOf<Vector<double, N>> {
  using type = LaneRow<N>;
};
}  // namespace detail
template <class Position>
using RowOf = typename detail::RowOf<Position>::type;

// A vector as a row, and back: itself, where rows are vectors.
template <class Position>
RATTLEBACK_INLINE decltype(auto) as_row(const Position& v) {
  if constexpr (std::is_same_v<Position, RowOf<Position>>)
    return (v);
  else
    return RowOf<Position>(v);
}
template <class Row>
RATTLEBACK_INLINE decltype(auto) as_vector(const Row& row) {
  if constexpr (requires { row.vector(); })
    return row.vector();
  else
    return (row);
}
template <class Row>
RATTLEBACK_INLINE auto entry(const Row& row, Eigen::Index i) {
  if constexpr (requires { row.entry(i); })
    return row.entry(i);
  else
    return row[i];
}

/// a + b = sum + rest, in full.
template <class S>
RATTLEBACK_INLINE void add_in_full(const S& a, const S& b, S& sum, S& rest) {
  sum = a + b;
  const S seen = sum - a;
  rest = (a - (sum - seen)) + (b - seen);
}

/// The same where b is smaller than a: half the operations. Where it is not, as when a coordinate
/// passes zero, the rest is off by a rounding of b; over 10^7 steps of a pendulum the energy's
/// round-off is the same.
template <class S>
RATTLEBACK_INLINE void add_small(const S& a, const S& b, S& sum, S& rest) {
  sum = a + b;
  rest = b - (sum - a);
}

/// A position and the last difference behind it, with what rounding dropped.
template <class Row>
struct MultistepFront {
  explicit MultistepFront(Eigen::Index n) : q(n), q_low(n), d(n), d_low(n) {}
  Row q, q_low, d, d_low;
};

}  // namespace rattleback

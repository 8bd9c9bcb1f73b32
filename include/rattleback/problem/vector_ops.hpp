// The few vector operations of a step, as plain loops. Eigen's packet loads of small vectors that
// were just written component by component stall on store forwarding: with these loops the pendulum
// step took 63 ns while other Eigen packets were left in it and 40 ns without any.
#pragma once

#include "rattleback/problem/scalar.hpp"

namespace rattleback {

/// y = x, component by component
template <class X, class Y>
RATTLEBACK_INLINE void copy(const X& x, Y& y) {
  for (Eigen::Index i = 0; i < y.size(); ++i) y.data()[i] = x.data()[i];
}
/// The same for whatever has entries.
template <class X, class Y>
RATTLEBACK_INLINE void copy_entries(const X& x, Y& y) {
  for (Eigen::Index i = 0; i < y.size(); ++i) y[i] = x[i];
}
/// y += a x
template <class A, class X, class Y>
RATTLEBACK_INLINE void add_scaled(const A& a, const X& x, Y& y) {
  for (Eigen::Index i = 0; i < y.size(); ++i) y[i] += x[i] * a;
}
/// y -= a x
template <class A, class X, class Y>
RATTLEBACK_INLINE void subtract_scaled(const A& a, const X& x, Y& y) {
  for (Eigen::Index i = 0; i < y.size(); ++i) y[i] -= x[i] * a;
}
/// x *= a
template <class A, class X>
RATTLEBACK_INLINE void scale(const A& a, X& x) {
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = x[i] * a;
}
/// out = A x
template <class J, class X, class Y>
RATTLEBACK_INLINE void multiply(const J& a, const X& x, Y& out) {
  using S = typename Y::Scalar;
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    S sum = a(i, 0) * x[0];
    for (Eigen::Index k = 1; k < a.cols(); ++k) sum += a(i, k) * x[k];
    out[i] = sum;
  }
}
/// (A^T x)_i
template <class J, class X>
RATTLEBACK_INLINE auto transposed_product(const J& a, Eigen::Index i, const X& x) {
  typename X::Scalar sum = a(0, i) * x[0];
  for (Eigen::Index k = 1; k < a.rows(); ++k) sum += a(k, i) * x[k];
  return sum;
}
/// y -= A^T x
template <class J, class X, class Y>
RATTLEBACK_INLINE void subtract_transposed(const J& a, const X& x, Y& y) {
  for (Eigen::Index i = 0; i < a.cols(); ++i) y[i] -= transposed_product(a, i, x);
}
/// y += A^T x
template <class J, class X, class Y>
RATTLEBACK_INLINE void add_transposed(const J& a, const X& x, Y& y) {
  for (Eigen::Index i = 0; i < a.cols(); ++i) y[i] += transposed_product(a, i, x);
}

/// A coordinate that happens to be zero still carries the round-off of what it was computed from:
/// it counts with a quarter of the largest one.
template <class Q>
RATTLEBACK_INLINE double round_off_size(const Q& q) {
  double largest = 0;
  for (Eigen::Index i = 0; i < q.size(); ++i) largest = larger(largest, magnitude(base(q[i])));
  return largest / 4;
}

}  // namespace rattleback

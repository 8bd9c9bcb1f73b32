// Gradients and Jacobians of templated functions by dual numbers. A function object may bring its
// own derivative (a member `gradient` or `jacobian` callable with the scalar at hand); it then
// replaces the automatic one and check_derivatives() compares the two.
#pragma once

#include "rattleback/problem/scratch.hpp"
#include "rattleback/problem/sweep.hpp"

namespace rattleback {

/// f'(x) for scalar f of one vector.
template <class F, class S, int N>
RATTLEBACK_INLINE void automatic_gradient(const F& f, const Vector<S, N>& x, Vector<S, N>& out) {
  constexpr int K = chunk_for<N>;
  using D = Dual<S, K>;
  const int n = static_cast<int>(x.size());
  auto&& lifted = detail::scratch<D, N, struct GradientPoint, N == K>(n);
  sweep<K, N>(n, [&](const auto& chunk) RATTLEBACK_INLINE_LAMBDA {
    chunk.seed(x, lifted);
    const D value = f(lifted);
    chunk.read(value, [&](int j) -> S& { return out[j]; });
  });
}

/// Both partial gradients of scalar f(q, p).
template <class F, class S, int N>
RATTLEBACK_INLINE void automatic_gradient(const F& f, const Vector<S, N>& q, const Vector<S, N>& p,
                                          Vector<S, N>& f_q, Vector<S, N>& f_p) {
  constexpr int K = chunk_for<twice<N>>;
  using D = Dual<S, K>;
  const int n = static_cast<int>(q.size());
  auto&& lifted_q = detail::scratch<D, N, struct GradientQ, twice<N> == K>(n);
  auto&& lifted_p = detail::scratch<D, N, struct GradientP, twice<N> == K>(n);
  sweep<K, twice<N>>(2 * n, [&](const auto& chunk) RATTLEBACK_INLINE_LAMBDA {
    chunk.seed(q, lifted_q);
    chunk.seed(p, lifted_p, n);
    const D value = f(lifted_q, lifted_p);
    chunk.read(value, [&](int j) -> S& { return j < n ? f_q[j] : f_p[j - n]; });
  });
}

/// Value and Jacobian of f(q, out): out has M entries.
template <class F, class S, int N, int M>
RATTLEBACK_INLINE void automatic_jacobian(const F& f, const Vector<S, N>& q, Vector<S, M>& value,
                                          Matrix<S, M, N>& jacobian) {
  constexpr int K = chunk_for<N>;
  using D = Dual<S, K>;
  const int n = static_cast<int>(q.size());
  constexpr bool small = N == K && M != dynamic;
  auto&& lifted = detail::scratch<D, N, struct JacobianPoint, small>(n);
  auto&& g = detail::scratch<D, M, struct JacobianValue, small>(value.size());
  sweep<K, N>(n, [&](const auto& chunk) RATTLEBACK_INLINE_LAMBDA {
    chunk.seed(q, lifted);
    f(lifted, g);
    chunk.read(g, jacobian);
  });
  for (Eigen::Index i = 0; i < value.size(); ++i) value[i] = g[i].value;
}

/// Value and both partial Jacobians of f(q, p, out).
template <class F, class S, int N, int M>
void automatic_jacobian(const F& f, const Vector<S, N>& q, const Vector<S, N>& p,
                        Vector<S, M>& value, Matrix<S, M, N>& g_q, Matrix<S, M, N>& g_p) {
  constexpr int K = chunk_for<twice<N>>;
  using D = Dual<S, K>;
  const int n = static_cast<int>(q.size());
  auto&& lifted_q = detail::scratch<D, N, struct JacobianQ>(n);
  auto&& lifted_p = detail::scratch<D, N, struct JacobianP>(n);
  auto&& g = detail::scratch<D, M, struct JacobianOfBoth>(value.size());
  sweep<K>(2 * n, [&](const auto& chunk) {
    chunk.seed(q, lifted_q);
    chunk.seed(p, lifted_p, n);
    f(lifted_q, lifted_p, g);
    chunk.read(g, [&](int i, int j) -> S& { return j < n ? g_q(i, j) : g_p(i, j - n); });
  });
  for (Eigen::Index i = 0; i < value.size(); ++i) value[i] = g[i].value;
}

}  // namespace rattleback

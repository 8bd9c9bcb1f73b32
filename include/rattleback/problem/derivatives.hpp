// Gradients and Jacobians of templated functions by dual numbers. A function object may bring its
// own derivative (a member `gradient` or `jacobian` callable with the scalar at hand); it then
// replaces the automatic one and check_derivatives() compares the two.
#pragma once

#include <type_traits>

#include "rattleback/problem/dual.hpp"

namespace rattleback {

/// Partials per sweep: all variables at once while they fit a register or two, else four by four.
template <int Variables>
inline constexpr int chunk_for = (Variables > 0 && Variables <= 8) ? Variables : 4;

namespace detail {

/// A vector that is reused between calls, so that dynamic sizes cost no allocation in a step.
template <class S, int N, int Slot>
Vector<S, N>& scratch(Eigen::Index n) {
  if constexpr (N == dynamic) {
    thread_local Vector<S, N> v;
    if (v.size() != n) v.resize(n);
    return v;
  } else {
    thread_local Vector<S, N> v;
    return v;
  }
}

/// Lifts x to duals whose variables first, first+1, ... carry partial 0, 1, ...
template <int K, int N, class X, class Lifted>
void seed(const X& x, int offset, int first, Lifted& lifted) {
  using D = typename Lifted::Scalar;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const int k = offset + static_cast<int>(i) - first;
    lifted[i] = (k >= 0 && k < K) ? D::variable(x[i], k) : D(x[i]);
  }
}

/// The same for static sizes that fit one sweep, with indices known at compile time.
template <int N, int Offset, class S, class D>
void seed_all(const Vector<S, N>& x, Vector<D, N>& lifted) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((lifted[I] = D::variable(x[I], Offset + static_cast<int>(I))), ...);
  }(std::make_index_sequence<N>{});
}

}  // namespace detail

/// f'(x) for scalar f of one vector.
template <class F, class S, int N>
RATTLEBACK_INLINE void automatic_gradient(const F& f, const Vector<S, N>& x, Vector<S, N>& out) {
  constexpr int K = chunk_for<N>;
  using D = Dual<S, K>;
  if constexpr (N == K) {
    Vector<D, N> lifted;
    detail::seed_all<N, 0>(x, lifted);
    const D value = f(lifted);
    for (int i = 0; i < N; ++i) out[i] = value.partials[i];
  } else {
    const int n = static_cast<int>(x.size());
    auto& lifted = detail::scratch<D, N, 0>(n);
    for (int first = 0; first < n; first += K) {
      detail::seed<K, N>(x, 0, first, lifted);
      const D value = f(lifted);
      for (int k = 0; k < K && first + k < n; ++k) out[first + k] = value.partials[k];
    }
  }
}

/// Both partial gradients of scalar f(q, p).
template <class F, class S, int N>
RATTLEBACK_INLINE void automatic_gradient(const F& f, const Vector<S, N>& q, const Vector<S, N>& p,
                                          Vector<S, N>& f_q, Vector<S, N>& f_p) {
  constexpr int K = chunk_for < N == dynamic ? dynamic : 2 * N > ;
  using D = Dual<S, K>;
  if constexpr (2 * N == K) {
    Vector<D, N> lifted_q, lifted_p;
    detail::seed_all<N, 0>(q, lifted_q);
    detail::seed_all<N, N>(p, lifted_p);
    const D value = f(lifted_q, lifted_p);
    for (int i = 0; i < N; ++i) f_q[i] = value.partials[i], f_p[i] = value.partials[N + i];
  } else {
    const int n = static_cast<int>(q.size());
    auto& lifted_q = detail::scratch<D, N, 1>(n);
    auto& lifted_p = detail::scratch<D, N, 2>(n);
    for (int first = 0; first < 2 * n; first += K) {
      detail::seed<K, N>(q, 0, first, lifted_q);
      detail::seed<K, N>(p, n, first, lifted_p);
      const D value = f(lifted_q, lifted_p);
      for (int k = 0; k < K && first + k < 2 * n; ++k)
        (first + k < n ? f_q[first + k] : f_p[first + k - n]) = value.partials[k];
    }
  }
}

/// Value and Jacobian of f(q, out): out has M entries.
template <class F, class S, int N, int M>
RATTLEBACK_INLINE void automatic_jacobian(const F& f, const Vector<S, N>& q, Vector<S, M>& value,
                                          Matrix<S, M, N>& jacobian) {
  constexpr int K = chunk_for<N>;
  using D = Dual<S, K>;
  const int m = static_cast<int>(value.size());
  if constexpr (N == K && M != dynamic) {
    Vector<D, N> lifted;
    Vector<D, M> g;
    detail::seed_all<N, 0>(q, lifted);
    f(lifted, g);
    for (int i = 0; i < M; ++i) {
      value[i] = g[i].value;
      for (int j = 0; j < N; ++j) jacobian(i, j) = g[i].partials[j];
    }
  } else {
    const int n = static_cast<int>(q.size());
    auto& lifted = detail::scratch<D, N, 3>(n);
    auto& g = detail::scratch<D, M, 4>(m);
    for (int first = 0; first < n; first += K) {
      detail::seed<K, N>(q, 0, first, lifted);
      f(lifted, g);
      for (int i = 0; i < m; ++i)
        for (int k = 0; k < K && first + k < n; ++k) jacobian(i, first + k) = g[i].partials[k];
    }
    for (int i = 0; i < m; ++i) value[i] = g[i].value;
  }
}

/// Value and both partial Jacobians of f(q, p, out).
template <class F, class S, int N, int M>
void automatic_jacobian(const F& f, const Vector<S, N>& q, const Vector<S, N>& p,
                        Vector<S, M>& value, Matrix<S, M, N>& g_q, Matrix<S, M, N>& g_p) {
  constexpr int K = chunk_for < N == dynamic ? dynamic : 2 * N > ;
  using D = Dual<S, K>;
  const int n = static_cast<int>(q.size());
  const int m = static_cast<int>(value.size());
  auto& lifted_q = detail::scratch<D, N, 5>(n);
  auto& lifted_p = detail::scratch<D, N, 6>(n);
  auto& g = detail::scratch<D, M, 7>(m);
  for (int first = 0; first < 2 * n; first += K) {
    detail::seed<K, N>(q, 0, first, lifted_q);
    detail::seed<K, N>(p, n, first, lifted_p);
    f(lifted_q, lifted_p, g);
    for (int i = 0; i < m; ++i)
      for (int k = 0; k < K && first + k < 2 * n; ++k)
        (first + k < n ? g_q(i, first + k) : g_p(i, first + k - n)) = g[i].partials[k];
  }
  for (int i = 0; i < m; ++i) value[i] = g[i].value;
}

}  // namespace rattleback

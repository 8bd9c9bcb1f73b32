// H_zz at the base values of a point, from the system's own code or from gradients at dual points:
// the matrix of every Newton iteration on a step of X_H.
#pragma once

#include "rattleback/problem/derivatives.hpp"
#include "rattleback/problem/system.hpp"

namespace rattleback {

namespace detail {

/// The vector without partial derivatives.
template <int Slot, class S, int N>
const Vector<Base<S>, N>& base_values(const Vector<S, N>& v) {
  if constexpr (std::is_same_v<S, Base<S>>) {
    return v;
  } else {
    auto& values = scratch<Base<S>, N, Slot>(v.size());
    for (Eigen::Index i = 0; i < v.size(); ++i) values[i] = base(v[i]);
    return values;
  }
}

}  // namespace detail

/// Rows and columns are q, then p; `hessian` has its size already.
template <class Sys, class S, int N, class Hessian>
void energy_hessian(const Sys& system, const Vector<S, N>& q, const Vector<S, N>& p,
                    Hessian& hessian) {
  using T = Base<S>;
  if constexpr (requires(const Vector<T, N>& x) { system.energy_hessian(x, x, hessian); })
    if (system.energy_hessian(detail::base_values<64>(q), detail::base_values<65>(p), hessian))
      return;
  constexpr int K = chunk_for < N == dynamic ? dynamic : 2 * N > ;
  using Lifted = Dual<T, K>;
  const int n = static_cast<int>(q.size());
  auto &x = detail::scratch<Lifted, N, 60>(n), &y = detail::scratch<Lifted, N, 61>(n);
  auto &h_q = detail::scratch<Lifted, N, 62>(n), &h_p = detail::scratch<Lifted, N, 63>(n);
  for (int first = 0; first < 2 * n; first += K) {
    for (int i = 0; i < n; ++i) x[i] = Lifted(base(q[i])), y[i] = Lifted(base(p[i]));
    for (int k = 0; k < K && first + k < 2 * n; ++k)
      (first + k < n ? x[first + k] : y[first + k - n]).partials[k] = T(1);
    system.energy_gradient(x, y, h_q, h_p);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < K && first + k < 2 * n; ++k) {
        hessian(i, first + k) = h_q[i].partials[k];
        hessian(n + i, first + k) = h_p[i].partials[k];
      }
  }
}

}  // namespace rattleback

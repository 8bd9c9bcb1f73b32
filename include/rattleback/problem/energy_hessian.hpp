// H_zz at the base values of a point, from the system's own code or from gradients at dual points:
// the matrix of every Newton iteration on a step of X_H.
#pragma once

#include "rattleback/problem/derivatives.hpp"
#include "rattleback/problem/system.hpp"

namespace rattleback {

/// Rows and columns are q, then p; `hessian` has its size already.
template <class Sys, class S, int N, class Hessian>
void energy_hessian(const Sys& system, const Vector<S, N>& q, const Vector<S, N>& p,
                    Hessian& hessian) {
  using T = Base<S>;
  constexpr int K = chunk_for<twice<N>>;
  using D = Dual<T, K>;
  const int n = static_cast<int>(q.size());
  if constexpr (requires(const Vector<T, N>& x) { system.energy_hessian(x, x, hessian); }) {
    auto&& x = detail::scratch<T, N, struct BaseQ>(n);
    auto&& y = detail::scratch<T, N, struct BaseP>(n);
    for (int i = 0; i < n; ++i) x[i] = base(q[i]), y[i] = base(p[i]);
    if (system.energy_hessian(x, y, hessian)) return;
  }
  auto&& x = detail::scratch<D, N, struct HessianQ>(n);
  auto&& y = detail::scratch<D, N, struct HessianP>(n);
  auto&& h_q = detail::scratch<D, N, struct HessianSlopeQ>(n);
  auto&& h_p = detail::scratch<D, N, struct HessianSlopeP>(n);
  sweep<K>(2 * n, [&](const auto& chunk) {
    chunk.seed(q, x);
    chunk.seed(p, y, n);
    system.energy_gradient(x, y, h_q, h_p);
    chunk.read(h_q, hessian);
    chunk.read(h_p, [&](int i, int j) -> auto& { return hessian(n + i, j); });
  });
}

}  // namespace rattleback

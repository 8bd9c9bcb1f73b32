// The endpoint multiplier of holonomic constraints, for any H:
//   p <- p - G(q)^T mu,   G(q) H_p(q, p) = 0                              [McLachlan12 5.1.3]
// mu by Newton with the matrix -G H_pp G^T, stopped at the round-off of p.
#pragma once

#include <algorithm>

#include "rattleback/problem/derivatives.hpp"
#include "rattleback/problem/system.hpp"
#include "rattleback/solve/dense.hpp"
#include "rattleback/solve/newton.hpp"

namespace rattleback {

template <class Sys, class S>
class MomentumProjection {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  using T = Base<S>;
  using Multiplier = Vector<S, M>;

  explicit MomentumProjection(const Sys& system, SolveOptions options = {})
      : n_(system.dimension()),
        m_(system.constraint_count()),
        options_(options),
        mu_(m_),
        r_(m_),
        jacobian_(m_, n_),
        unused_(m_, n_),
        p_(n_),
        h_q_(n_),
        h_p_(n_),
        matrix_(m_, m_),
        lu_(std::max(m_, 1)) {}

  const Multiplier& mu() const { return mu_; }

  /// Changes z.p only; on failure nothing.
  Status project(const Sys& system, State<S, N>& z) {
    if (m_ == 0) return {};
    system.linearise(z.q, z.p, r_, jacobian_, unused_);
    mu_.setConstant(S(0));
    double row = 0;
    for (int k = 0; k < m_; ++k)
      for (int i = 0; i < n_; ++i) row = larger(row, magnitude(base(jacobian_(k, i))));
    const double floor = 2 * epsilon<S> * std::max(largest_magnitude(z.p), 1e-3) / row;
    Status status = newton(
        mu_, r_, floor, options_,
        [&](const Multiplier& mu, Multiplier& r) {
          shift(z, mu);
          system.energy_gradient(z.q, p_, h_q_, h_p_);
          multiply(jacobian_, h_p_, r);
          return Status{};
        },
        [&](const Multiplier& mu) { return factor(system, z, mu); }, lu_);
    if (!status) return status;
    shift(z, mu_);
    copy(p_, z.p);
    return status;
  }

 private:
  static constexpr int K = chunk_for<M>;
  using Lifted = Dual<T, K>;

  void shift(const State<S, N>& z, const Multiplier& mu) {
    copy(z.p, p_);
    subtract_transposed(jacobian_, mu, p_);
  }
  /// -G H_pp G^T at p - G^T mu, from gradients at points dual along G^T.
  bool factor(const Sys& system, const State<S, N>& z, const Multiplier& mu) {
    auto& q = detail::scratch<Lifted, N, 80>(n_);
    auto& p = detail::scratch<Lifted, N, 81>(n_);
    auto& f_q = detail::scratch<Lifted, N, 82>(n_);
    auto& f_p = detail::scratch<Lifted, N, 83>(n_);
    shift(z, mu);
    for (int first = 0; first < m_; first += K) {
      for (int i = 0; i < n_; ++i) {
        q[i] = Lifted(base(z.q[i]));
        p[i] = Lifted(base(p_[i]));
        for (int k = 0; k < K && first + k < m_; ++k)
          p[i].partials[k] = -base(jacobian_(first + k, i));
      }
      system.energy_gradient(q, p, f_q, f_p);
      for (int l = 0; l < m_; ++l)
        for (int k = 0; k < K && first + k < m_; ++k) {
          T sum(0);
          for (int i = 0; i < n_; ++i) sum += base(jacobian_(l, i)) * f_p[i].partials[k];
          matrix_(l, first + k) = sum;
        }
    }
    return lu_.factor([&](int i, int j) { return matrix_(i, j); }).ok;
  }

  int n_, m_;
  SolveOptions options_;
  Multiplier mu_, r_;
  Matrix<S, M, N> jacobian_, unused_;
  Vector<S, N> p_, h_q_, h_p_;
  Matrix<T, dynamic> matrix_;
  DenseLu<T, dynamic> lu_;
};

}  // namespace rattleback

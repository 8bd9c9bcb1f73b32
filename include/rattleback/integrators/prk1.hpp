// The one-stage partitioned Runge-Kutta method for any H(q, p) and g(q)  [Reich93 (24)]:
//
//   p~ = p - h H_q(q, p~) - G(q)^T lambda,   q1 = q + h H_p(q, p~),   g(q1) = 0
//   p1 = p~ - G(q1)^T mu,                    G(q1) H_p(q1, p1) = 0
//
// lambda and mu are h times those of the paper. The map is that of RATTLE over euler-a; here p~ and
// lambda are found by one Newton iteration, not one inside the other.
#pragma once

#include <algorithm>
#include <string>

#include "rattleback/integrators/method_info.hpp"
#include "rattleback/integrators/momentum_projection.hpp"
#include "rattleback/problem/energy_hessian.hpp"
#include "rattleback/solve/predictor.hpp"
#include "rattleback/solve/structure.hpp"

namespace rattleback {

inline MethodInfo prk1_info() {
  return {.name = "prk1",
          .order = 1,
          .symmetric = false,
          .symplectic_on = SymplecticOn::state_manifold,
          .preserves_primary = true,
          .preserves_hidden = true,
          .applies = {.holonomic = true},
          .cite = "[Reich93 (24)]"};
}

/// A step that fails leaves the state as it was.
template <class Sys, class S>
class Prk1Stepper {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  static constexpr int U = N == dynamic || M == dynamic ? dynamic : N + M;
  using T = Base<S>;
  using State = StateOf<Sys, S>;
  using Unknown = Vector<S, U>;

  explicit Prk1Stepper(const Sys& system, SolveOptions options = {})
      : n_(system.dimension()),
        m_(system.constraint_count()),
        h_q_(n_),
        h_p_(n_),
        g_(m_),
        jacobian_(m_, n_),
        next_jacobian_(m_, n_),
        unused_(m_, n_),
        x_(n_ + m_),
        next_{Vector<S, N>(n_), Vector<S, N>(n_)},
        hessian_(2 * n_, 2 * n_),
        predictor_(n_ + m_),
        solver_(n_ + m_, options),
        projection_(system, options) {}

  void reset() { predictor_.reset(); }
  Status present(const Sys&, State&) { return {}; }
  auto lambda() const { return x_.tail(m_); }
  Projections projections(long steps, long) const { return {0, steps}; }
  std::string structure(const Sys&) const { return in_words(SolverKind::dense, n_ + m_); }

  Status step(const Sys& system, State& z, const Real<S>& h) {
    system.linearise(z.q, z.p, g_, jacobian_, unused_);
    // First guess: p~ - p and lambda are O(h) both, extrapolated from the last steps.
    predictor_.predict(h, x_);
    for (int i = 0; i < n_; ++i) x_[i] += z.p[i];
    // p~ is known to eps |q|/h only, along G^T; the projection removes that from p1.
    const double reach = largest_magnitude(z.q) / magnitude(h);
    const double size = std::max({largest_magnitude(z.p), reach, threshold::least_scale});
    Status status = solver_.solve(
        x_, 2 * epsilon<S> * size,
        [&](OnUnknowns, const Unknown& x, Unknown& r) { return residual(system, z, h, x, r); },
        [&](const Unknown& x, auto& out) { matrix(system, z, h, x, out); });
    if (!status) return status;
    advance(system, z, h, x_);
    if (Status s = projection_.project(system, next_); !s) return s;
    for (int i = 0; i < n_; ++i) x_[i] -= z.p[i];
    predictor_.record(h, x_);
    copy(next_.q, z.q), copy(next_.p, z.p);
    return status;
  }

 private:
  /// q1 and p~ of the unknowns, with the slopes of H at (q, p~).
  void advance(const Sys& system, const State& z, const Real<S>& h, const Unknown& x) {
    for (int i = 0; i < n_; ++i) next_.p[i] = x[i];
    system.energy_gradient(z.q, next_.p, h_q_, h_p_);
    for (int i = 0; i < n_; ++i) next_.q[i] = z.q[i] + h_p_[i] * h;
  }
  /// r = ( p~ - p + h H_q(q, p~) + G(q)^T lambda,  g(q1)/h )
  Status residual(const Sys& system, const State& z, const Real<S>& h, const Unknown& x,
                  Unknown& r) {
    advance(system, z, h, x);
    system.constraint(next_.q, next_.p, g_);
    for (int i = 0; i < n_; ++i) {
      r[i] = x[i] - z.p[i] + h_q_[i] * h;
      for (int k = 0; k < m_; ++k) r[i] += jacobian_(k, i) * x[n_ + k];
    }
    for (int k = 0; k < m_; ++k) r[n_ + k] = g_[k] * Real<S>(Real<S>(1) / h);
    return {};
  }
  /// [I + h H_qp  G(q)^T; G(q1) H_pp  0], which has a limit as h -> 0.
  template <class Square>
  void matrix(const Sys& system, const State& z, const Real<S>& h, const Unknown& x, Square& out) {
    advance(system, z, h, x);
    energy_hessian(system, z.q, next_.p, hessian_);
    system.linearise(next_.q, next_.p, g_, next_jacobian_, unused_);
    for (int i = 0; i < n_; ++i) {
      for (int j = 0; j < n_; ++j) out(i, j) = T(T(i == j) + T(h) * hessian_(i, n_ + j));
      for (int k = 0; k < m_; ++k) out(i, n_ + k) = base(jacobian_(k, i));
    }
    for (int k = 0; k < m_; ++k) {
      for (int j = 0; j < n_; ++j) {
        T sum(0);
        for (int i = 0; i < n_; ++i) sum += base(next_jacobian_(k, i)) * hessian_(n_ + i, n_ + j);
        out(n_ + k, j) = sum;
      }
      for (int j = 0; j < m_; ++j) out(n_ + k, n_ + j) = T(0);
    }
  }

  int n_, m_;
  Vector<S, N> h_q_, h_p_;
  Vector<S, M> g_;
  Matrix<S, M, N> jacobian_, next_jacobian_, unused_;
  Unknown x_;
  State next_;
  Matrix<T, dynamic> hessian_;
  MultiplierPredictor<Unknown> predictor_;
  Implicit<S, U> solver_;
  MomentumProjection<Sys, S> projection_;
};

/// [Reich93 (24)] as a method.
struct Prk1 {
  SolveOptions solve{};
  MethodInfo info() const { return prk1_info(); }
  template <class S, class Sys>
  auto stepper(const Sys& system) const {
    return Prk1Stepper<Sys, S>(system, solve);
  }
};

}  // namespace rattleback

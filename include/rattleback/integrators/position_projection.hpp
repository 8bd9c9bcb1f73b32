// The nearest point of g(q) = 0 in the metric of the mass, momenta as they are:
//   q1 = q - M^-1 G(q1)^T nu,   g(q1) = 0,   M^-1 = H_pp(q, p)
// (q1, nu) by Newton, stopped at the round-off of q.
#pragma once

#include <algorithm>

#include "rattleback/problem/energy_hessian.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/solve/implicit.hpp"

namespace rattleback {

template <class Sys, class S>
class PositionProjection {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  static constexpr int U = N == dynamic || M == dynamic ? dynamic : N + M;

  explicit PositionProjection(const Sys& system, SolveOptions options = {})
      : n_(system.dimension()),
        m_(system.constraint_count()),
        natural_(system.traits().natural),
        room_{Room<S>(n_, m_), Room<Lifted>(n_, m_)},
        x_(n_ + m_),
        hessian_(natural_ ? 0 : 2 * n_, natural_ ? 0 : 2 * n_),
        solver_(n_ + m_, options) {
    if (!natural_ && is_dual<S>)
      throw ModelError("the derivative of H_pp is not known: only natural systems are projected");
  }

  /// Changes z.q only; on failure nothing.
  Status project(const Sys& system, State<S, N>& z) {
    if (m_ == 0) return {};
    for (int i = 0; i < n_ + m_; ++i) x_[i] = i < n_ ? z.q[i] : S(0);
    if (!natural_) energy_hessian(system, z.q, z.p, hessian_);
    const double floor = 2 * epsilon<S> * std::max(largest_magnitude(z.q), threshold::least_scale);
    Status status = solver_.solve(x_, floor, [&](auto on, const auto& x, auto& r) {
      auto& w = room_[on];
      for (int i = 0; i < n_; ++i) w.q[i] = x[i];
      system.linearise(w.q, w.q, w.g, w.jacobian, w.unused);
      for (int i = 0; i < n_; ++i) {
        w.force[i] = w.jacobian(0, i) * x[n_];
        for (int k = 1; k < m_; ++k) w.force[i] += w.jacobian(k, i) * x[n_ + k];
      }
      move(system, w);
      for (int i = 0; i < n_; ++i) r[i] = w.q[i] - on(z.q[i]) + w.shift[i];
      for (int k = 0; k < m_; ++k) r[n_ + k] = w.g[k];
      return Status{};
    });
    if (status)
      for (int i = 0; i < n_; ++i) z.q[i] = x_[i];
    return status;
  }

 private:
  using Lifted = typename Implicit<S, U>::Lifted;
  template <class R>
  struct Room {
    Room(int n, int m) : q(n), force(n), shift(n), g(m), jacobian(m, n), unused(m, n) {}
    Vector<R, N> q, force, shift;
    Vector<R, M> g;
    Matrix<R, M, N> jacobian, unused;
  };

  /// shift = M^-1 force
  template <class R>
  void move(const Sys& system, Room<R>& w) const {
    if constexpr (NaturalForm<Sys>)
      if (natural_) return system.velocity(w.force, w.shift);
    for (int i = 0; i < n_; ++i) {
      w.shift[i] = w.force[0] * hessian_(n_ + i, n_);
      for (int j = 1; j < n_; ++j) w.shift[i] += w.force[j] * hessian_(n_ + i, n_ + j);
    }
  }

  int n_, m_;
  bool natural_;
  ForRuns<Room<S>, Room<Lifted>> room_;
  Vector<S, U> x_;
  Matrix<Base<S>, dynamic> hessian_;  ///< of H, where there is no constant mass
  Implicit<S, U> solver_;
};

}  // namespace rattleback

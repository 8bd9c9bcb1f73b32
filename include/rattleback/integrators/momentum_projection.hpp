// The endpoint multiplier of holonomic constraints, for any H:
//   p <- p - G(q)^T mu,   G(q) H_p(q, p) = 0                              [McLachlan12 5.1.3]
// mu by Newton with the matrix -G H_pp G^T, stopped at the round-off of p. From far away, where H
// is not quadratic in p, along G H_p = (1 - s) times its first value.
#pragma once

#include <algorithm>

#include "rattleback/problem/system.hpp"
#include "rattleback/solve/implicit.hpp"

namespace rattleback {

template <class Sys, class S>
class MomentumProjection {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  using Multiplier = Vector<S, M>;

  explicit MomentumProjection(const Sys& system, SolveOptions options = {})
      : m_(system.constraint_count()),
        mu_(m_),
        g_(m_),
        jacobian_(m_, system.dimension()),
        unused_(m_, system.dimension()),
        room_{Room<S>(system.dimension()), Room<Lifted>(system.dimension())},
        solver_(m_, options) {}

  const Multiplier& mu() const { return mu_; }

  /// Changes z.p only; on failure nothing.
  Status project(const Sys& system, State<S, N>& z) {
    if (m_ == 0) return {};
    system.linearise(z.q, z.p, g_, jacobian_, unused_);
    mu_.setConstant(S(0));
    Status status = solve(system, z, Real<S>(0));
    if (status) subtract_transposed(jacobian_, mu_, z.p);
    return status;
  }
  /// The same, and where Newton fails from mu = 0, by way of points between.
  Status project_from_afar(const Sys& system, State<S, N>& z) {
    Status status = project(system, z);
    if (status) return status;  // where Newton ran away H_pp may have become singular
    auto& w = room_.plain;
    copy(z.q, w.q), copy(z.p, w.p);
    system.energy_gradient(w.q, w.p, w.h_q, w.h_p);
    multiply(jacobian_, w.h_p, g_);  // the first value
    mu_.setConstant(S(0));
    for (int between = 15; between >= 0; --between)
      if (status = solve(system, z, Real<S>(between) / 16); !status) return status;
    subtract_transposed(jacobian_, mu_, z.p);
    return status;
  }

 private:
  using Lifted = typename Implicit<S, M>::Lifted;
  template <class R>
  using Room = EnergySlopes<R, N>;

  /// G H_p(q, p - G^T mu) = left times g_
  Status solve(const Sys& system, const State<S, N>& z, const Real<S>& left) {
    double row = 0;
    for (Eigen::Index i = 0; i < jacobian_.size(); ++i)
      row = larger(row, magnitude(base(jacobian_.data()[i])));
    const double floor =
        2 * epsilon<S> * std::max(largest_magnitude(z.p), threshold::least_scale) / row;
    return solver_.solve(mu_, floor, [&](auto on, const auto& mu, auto& r) {
      auto& w = room_[on];
      copy_entries(on(z.q), w.q);
      copy_entries(on(z.p), w.p);
      subtract_transposed(on(jacobian_), mu, w.p);
      system.energy_gradient(w.q, w.p, w.h_q, w.h_p);
      multiply(on(jacobian_), w.h_p, r);
      if (left != Real<S>(0))
        for (int k = 0; k < m_; ++k) r[k] -= on(g_)[k] * left;
      return Status{};
    });
  }

  int m_;
  Multiplier mu_, g_;
  Matrix<S, M, N> jacobian_, unused_;
  ForRuns<Room<S>, Room<Lifted>> room_;
  Implicit<S, M> solver_;
};

}  // namespace rattleback

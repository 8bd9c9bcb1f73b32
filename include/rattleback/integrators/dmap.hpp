// Integrators from discretization maps  [Barbero24 Theorem 4.5].
//
// R_d(q, v) = (q - theta v, q + (1 - theta) v): theta = 0 is Euler A, 1 Euler B, 1/2 midpoint. Its
// cotangent lift takes L at q = (1 - theta) q0 + theta q1 and v = (q1 - q0)/h:
//
//   p0 = L_v - (1 - theta) h L_q + G(q0)^T lambda,   g(q1) = 0
//   p1 = L_v + theta h L_q - G(q1)^T mu,             G(q1) H_p(q1, p1) = 0
//
// form = multipliers: the map of RATTLE over the base map theta, with the kernels of that.
// form = nullspace: the first line seen by the tangent vectors of g = 0 only, without lambda [4.2].
// With P the projector along the rows of G = G(q0) and v alone unknown,
//
//   F(v) = P (L_v - (1 - theta) h L_q - p0) + G^T (G G^T)^-1 g(q0 + h v)/h = 0;
//
// the two parts are orthogonal, so that each vanishes. First guess H_p(q0, p0).
//
// composition: the map of half a step, and then its adjoint, 1 - theta, of the other half
// [Barbero24 (5.7)-(5.10)]. Extrinsic carries the momentum on, intrinsic projects it in the middle:
// the same map, as the fibre in the middle is free (errata E1). It is not RATTLE, whose middle is
// off g = 0 (errata E2).
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "rattleback/integrators/branch.hpp"
#include "rattleback/integrators/discrete_lagrangian.hpp"
#include "rattleback/integrators/momentum_projection.hpp"
#include "rattleback/integrators/shake_rattle.hpp"
#include "rattleback/problem/small_ldlt.hpp"

namespace rattleback {

/// The standard name follows from the options.
inline MethodInfo dmap_info(double theta, bool composed) {
  const bool symmetric = composed || theta == 0.5;
  return {.name = {},
          .order = symmetric ? 2 : 1,
          .symmetric = symmetric,
          .symplectic_on = SymplecticOn::state_manifold,
          .preserves_primary = true,
          .preserves_hidden = true,
          .applies = {.lagrangian = true, .holonomic = true},
          .cite = "[Barbero24 Theorem 4.5]"};
}

/// form = nullspace, with full matrices.
template <class Sys, class S>
class NullSpaceStepper {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  using State = StateOf<Sys, S>;
  using Position = Vector<S, N>;

  NullSpaceStepper(const Sys& system, double theta, Projection project, SolveOptions options = {})
      : n_(system.dimension()),
        m_(system.constraint_count()),
        theta_(theta),
        project_(project),
        room_{Room<S>(system), Room<Lifted>(system)},
        branch_(system),
        normals_(n_, m_),
        gram_(m_, m_),
        factor_(m_, m_),
        unit_(m_),
        h_q_(n_),
        h_p_(n_),
        v_(n_),
        next_{Position(n_), Position(n_)},
        solver_(n_, options),
        projection_(system, options) {}

  void reset() {}
  std::string structure(const Sys&) const {
    return in_words(SolverKind::dense, n_) + " in the velocities";
  }
  Status present(const Sys& system, State& z) {
    return project_ == Projection::output ? projection_.project(system, z) : Status{};
  }
  Projections projections(long steps, long looks) const {
    return detail::projections(project_, steps, looks);
  }

  Status step(const Sys& system, State& z, const Real<S>& h) {
    branch_.begin(system, z);
    find_normals(branch_.jacobian());
    system.energy_gradient(z.q, z.p, h_q_, h_p_);
    copy(h_p_, v_);
    const Status status = solver_.solve(
        v_, 2 * epsilon<S> * detail::velocity_scale(z, h_p_, h),
        [&](auto on, const auto& v, auto& r) { return residual(system, z, h, on, v, r); });
    if (!status) return status;
    Room<S>& w = room_.plain;
    slopes(system, z.q, v_, h, OnUnknowns{});
    for (int i = 0; i < n_; ++i) {
      next_.q[i] = z.q[i] + v_[i] * h;
      next_.p[i] = w.l_v[i] + w.l_q[i] * Real<S>(h * Real<S>(theta_));
    }
    if (!branch_.same_branch(system, v_, h_p_, next_))
      return {Outcome::branch_jump, status.iterations, 0};
    if (project_ == Projection::every)
      if (Status s = projection_.project(system, next_); !s) return s;
    copy(next_.q, z.q);
    copy(next_.p, z.p);
    return status;
  }

 private:
  using Lifted = typename Implicit<S, N>::Lifted;
  template <class R>
  struct Room {
    explicit Room(const Sys& system)
        : q(system.dimension()),
          q1(system.dimension()),
          v(system.dimension()),
          l_q(system.dimension()),
          l_v(system.dimension()),
          g(system.constraint_count()),
          along(system.constraint_count()) {}
    Vector<R, N> q, q1, v, l_q, l_v;
    Vector<R, M> g, along;
  };

  /// G^T (G G^T)^-1, column by column.
  void find_normals(const Matrix<S, M, N>& jacobian) {
    for (int i = 0; i < m_; ++i)
      for (int j = 0; j < m_; ++j) {
        gram_(i, j) = S(0);
        for (int l = 0; l < n_; ++l) gram_(i, j) += jacobian(i, l) * jacobian(j, l);
      }
    for (int k = 0; k < m_; ++k) {
      for (int i = 0; i < m_; ++i) unit_[i] = S(i == k ? 1 : 0);
      factor_ = gram_;
      ldlt_solve<S, M>(factor_, unit_);
      for (int l = 0; l < n_; ++l) {
        normals_(l, k) = S(0);
        for (int i = 0; i < m_; ++i) normals_(l, k) += jacobian(i, l) * unit_[i];
      }
    }
  }
  template <class On, class Q, class V>
  void slopes(const Sys& system, const Q& q0, const V& v, const Real<S>& h, On on) {
    auto& w = room_[on];
    for (int i = 0; i < n_; ++i) {
      w.v[i] = v[i];
      w.q[i] = on(q0[i]) + w.v[i] * Real<S>(h * Real<S>(theta_));
    }
    system.lagrangian_gradient(w.q, w.v, w.l_q, w.l_v);
  }
  /// x - G^T (G G^T)^-1 (G x - g/h)  for  x = L_v - (1 - theta) h L_q - p0
  template <class On, class V, class R>
  Status residual(const Sys& system, const State& z, const Real<S>& h, On on, const V& v, R& r) {
    auto& w = room_[on];
    slopes(system, z.q, v, h, on);
    const Real<S> before = h * (Real<S>(1) - Real<S>(theta_)), inverse_h = Real<S>(1) / h;
    for (int i = 0; i < n_; ++i) {
      r[i] = w.l_v[i] - w.l_q[i] * before - on(z.p[i]);
      w.q1[i] = on(z.q[i]) + w.v[i] * h;
    }
    if (m_ == 0) return {};
    system.constraint(w.q1, w.q1, w.g);
    for (int k = 0; k < m_; ++k) {
      w.along[k] = -w.g[k] * inverse_h;
      for (int i = 0; i < n_; ++i) w.along[k] += r[i] * on(branch_.jacobian()(k, i));
    }
    for (int i = 0; i < n_; ++i)
      for (int k = 0; k < m_; ++k) r[i] -= w.along[k] * on(normals_(i, k));
    return {};
  }

  int n_, m_;
  double theta_;
  Projection project_;
  ForRuns<Room<S>, Room<Lifted>> room_;
  detail::BranchWatch<Sys, S> branch_;
  Matrix<S, N, M> normals_;
  Matrix<S, M> gram_, factor_;
  Vector<S, M> unit_;
  Position h_q_, h_p_, v_;
  State next_;
  Implicit<S, N> solver_;
  MomentumProjection<Sys, S> projection_;
};

}  // namespace rattleback

// The method that a discretization map of one's own makes  [Barbero24 Theorem 4.5].
//
// With A = R_d' at (q, h v), the cotangent lift of R_d makes of a regular Lagrangian
//
//   A^T (-p0 + G(q0)^T lambda, p1) = (h L_q, L_v),   R0(q, h v) = q0,   g(R1(q, h v)) = 0
//
// and then G(q1) H_p(q1, p1) = 0, by a projection along G(q1)^T. Unknowns q, v, p1 and lambda (h
// times the multiplier); equations for points are divided by h. First guess q0, H_p(q0, p0), p0, 0.
// Matrices are full: of 3n + m unknowns.
//
//   auto method = discretization_method(Map{}, q, v);   // a point, and a velocity to try
//   auto run = integrate(system, method, start, {.step = 0.01, .steps = 1000});
#pragma once

#include "rattleback/integrators/branch.hpp"
#include "rattleback/integrators/discretization_map.hpp"
#include "rattleback/integrators/method_info.hpp"
#include "rattleback/integrators/momentum_projection.hpp"

namespace rattleback {

template <class Map, class Sys, class S>
class DiscretizationStepper {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  using State = StateOf<Sys, S>;

  DiscretizationStepper(const Map& map, const Sys& system, const SolveOptions& options = {})
      : map_(map),
        n_(system.dimension()),
        m_(system.constraint_count()),
        room_{Room<S>(system), Room<Lifted>(system)},
        branch_(system),
        h_q_(n_),
        h_p_(n_),
        x_(3 * n_ + m_),
        next_{Vector<S, N>(n_), Vector<S, N>(n_)},
        solver_(3 * n_ + m_, options),
        projection_(system, options) {}

  void reset() {}
  Status present(const Sys&, State&) { return {}; }

  Status step(const Sys& system, State& z, const Real<S>& h) {
    branch_.begin(system, z);
    system.energy_gradient(z.q, z.p, h_q_, h_p_);
    for (int i = 0; i < n_; ++i) x_[i] = z.q[i], x_[n_ + i] = h_p_[i], x_[2 * n_ + i] = z.p[i];
    for (int k = 0; k < m_; ++k) x_[3 * n_ + k] = S(0);
    const Status status = solver_.solve(
        x_, 2 * epsilon<S> * detail::velocity_scale(z, h_p_, h),
        [&](auto on, const auto& x, auto& r) { return residual(system, z, h, on, x, r); });
    if (!status) return status;
    Room<S>& w = room_.plain;
    split(x_, h, w);
    map_(w.q, w.step, w.first, next_.q);
    for (int i = 0; i < n_; ++i) next_.p[i] = x_[2 * n_ + i];
    if (!branch_.same_branch(system, x_.segment(n_, n_), h_p_, next_))
      return {Outcome::branch_jump, status.iterations, 0};
    if (Status s = projection_.project(system, next_); !s) return s;
    std::swap(z, next_);
    return status;
  }

 private:
  using Lifted = typename Implicit<S, dynamic>::Lifted;
  template <class R>
  struct Room {
    explicit Room(const Sys& system)
        : q(system.dimension()),
          v(system.dimension()),
          step(system.dimension()),
          first(system.dimension()),
          second(system.dimension()),
          start(system.dimension()),
          l_q(system.dimension()),
          l_v(system.dimension()),
          g(system.constraint_count()),
          slopes(system.dimension()) {}
    Vector<R, N> q, v, step, first, second, start, l_q, l_v;
    Vector<R, M> g;
    detail::MapSlopes<Map, Vector<R, N>> slopes;
  };

  template <class X, class W>
  void split(const X& x, const Real<S>& h, W& w) const {
    for (int i = 0; i < n_; ++i) w.q[i] = x[i], w.v[i] = x[n_ + i], w.step[i] = w.v[i] * h;
  }
  template <class On, class X, class R>
  Status residual(const Sys& system, const State& z, const Real<S>& h, On on, const X& x, R& r) {
    auto& w = room_[on];
    const Real<S> inverse_h = Real<S>(1) / h;
    split(x, h, w);
    system.lagrangian_gradient(w.q, w.v, w.l_q, w.l_v);
    for (int i = 0; i < n_; ++i) {
      w.start[i] = -on(z.p[i]);
      for (int k = 0; k < m_; ++k) w.start[i] += on(branch_.jacobian()(k, i)) * x[3 * n_ + k];
    }
    for (int k = 0; k < 2 * n_; ++k) {
      w.slopes.column(map_, w.q, w.step, k);
      r[k] = k < n_ ? w.l_q[k] * (-h) : -w.l_v[k - n_];
      for (int i = 0; i < n_; ++i)
        r[k] += w.slopes.first(i) * w.start[i] + w.slopes.second(i) * x[2 * n_ + i];
    }
    map_(w.q, w.step, w.first, w.second);
    for (int i = 0; i < n_; ++i) r[2 * n_ + i] = (w.first[i] - on(z.q[i])) * inverse_h;
    if (m_ > 0) system.constraint(w.second, w.second, w.g);
    for (int k = 0; k < m_; ++k) r[3 * n_ + k] = w.g[k] * inverse_h;
    return {};
  }

  Map map_;
  int n_, m_;
  ForRuns<Room<S>, Room<Lifted>> room_;
  detail::BranchWatch<Sys, S> branch_;
  Vector<S, N> h_q_, h_p_;
  Vector<S, dynamic> x_;
  State next_;
  Implicit<S, dynamic> solver_;
  MomentumProjection<Sys, S> projection_;
};

/// A method, for integrate() and the laws: order 2 where the map is its own adjoint, else 1.
template <class Map>
struct DiscretizationMethod {
  Map map;
  bool symmetric = false;

  MethodInfo info() const {
    return {.name = "own discretization map",
            .order = symmetric ? 2 : 1,
            .symmetric = symmetric,
            .symplectic_on = SymplecticOn::state_manifold,
            .preserves_primary = true,
            .preserves_hidden = true,
            .applies = {.lagrangian = true, .holonomic = true},
            .cite = "[Barbero24 Theorem 4.5]"};
  }
  template <class S, class Sys>
  auto stepper(const Sys& system) const {
    return DiscretizationStepper<Map, Sys, S>(map, system);
  }
};

/// Checks at (q, v), v not small, that it is a discretization map, and whether it is symmetric.
/// Throws InputError where it is none.
template <class Map, int N>
DiscretizationMethod<Map> discretization_method(Map map, const Vector<double, N>& q,
                                                const Vector<double, N>& v) {
  const MapDefects defects = check_map(map, q, v);
  const double size = std::max(1.0, q.cwiseAbs().maxCoeff());
  constexpr double round_off = 1e-12;
  if (!(defects.at_rest <= round_off * size))
    throw InputError("map", "R_d(q, 0) is " + detail::quote(defects.at_rest) + " off (q, q)");
  if (!(defects.slope <= round_off * size))
    throw InputError("map", "the slope of R1 - R0 at v = 0 is " + detail::quote(defects.slope) +
                                " off the identity");
  return {std::move(map), defects.asymmetry <= round_off * size};
}

}  // namespace rattleback

// Constrained discrete Lagrangian with the endpoint multiplier  [Chapter, discrete mechanics].
//
//   L_d(q0,q1) = h sum_k w_k L(q0 + c_k (q1 - q0), v),   v = (q1 - q0)/h
//   p0 = -D1 L_d(q0,q1) + G(q0)^T lambda,   g(q1) = 0
//   p1 =  D2 L_d(q0,q1) - G(q1)^T mu,       G(q1) H_p(q1,p1) = 0
//
// Quadratures: trapezoid (c = 0, 1; w = 1/2, 1/2), midpoint (c = 1/2), left (c = 0), right (c = 1).
// mu is not a consequence of the discrete variational principle: it selects the representative on
// the fibre (errata S9).
//
// The same maps as RATTLE over a base map, for every regular L: left = euler-a, right = euler-b,
// midpoint = midpoint. trapezoid = verlet where L_v does not depend on q (constant mass) only
// (errata S6): the trapezoid has one velocity and two momenta, verlet one momentum and two
// velocities.
#pragma once

#include <optional>
#include <string>

#include "rattleback/integrators/branch.hpp"
#include "rattleback/integrators/discrete_lagrangian.hpp"
#include "rattleback/integrators/momentum_projection.hpp"
#include "rattleback/integrators/shake_rattle.hpp"
#include "rattleback/solve/histories.hpp"

namespace rattleback {

inline MethodInfo variational_info(Quadrature quadrature, Projection project = Projection::every) {
  const QuadratureInfo& rule = info(quadrature);
  std::string name = "variational:quadrature=" + std::string(rule.name);
  if (project == Projection::output) name += ",project=output";
  return {.name = std::move(name),
          .order = rule.order,
          .symmetric = rule.symmetric,
          .symplectic_on = SymplecticOn::state_manifold,
          .preserves_primary = true,
          .preserves_hidden = true,
          .applies = {.lagrangian = true, .holonomic = true},
          .cite = "[Chapter]"};
}

/// RATTLE over this base map is the same method where the mass is constant.
constexpr BaseMap base_map(Quadrature quadrature) {
  switch (quadrature) {
    case Quadrature::left:
      return BaseMap::euler_a;
    case Quadrature::right:
      return BaseMap::euler_b;
    case Quadrature::midpoint:
      return BaseMap::midpoint;
    default:
      return BaseMap::verlet;
  }
}

/// Any regular L, any holonomic constraint: Newton in (v, lambda).
template <class Sys, class S>
class VariationalStepper {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  static constexpr int U = N == dynamic || M == dynamic ? dynamic : N + M;
  using T = Base<S>;
  using State = StateOf<Sys, S>;
  using Position = Vector<S, N>;
  using Unknown = Vector<S, U>;

  VariationalStepper(const Sys& system, Quadrature quadrature,
                     Projection project = Projection::every, SolveOptions options = {})
      : n_(system.dimension()),
        m_(system.constraint_count()),
        project_(project),
        room_{Room<S>(system, quadrature), Room<Lifted>(system, quadrature)},
        h_q_(n_),
        h_p_(n_),
        speed_(n_),
        jacobian_(m_, n_),
        next_jacobian_(m_, n_),
        unused_(m_, n_),
        x_(n_ + m_),
        guess_(n_ + m_),
        predictor_(n_ + m_),
        solver_(n_ + m_, options),
        schur_(m_, m_),
        column_(n_ + m_),
        projection_(system, options) {
    if (m_ > 0) inertia_.emplace(m_);
  }

  void reset() { predictor_.reset(), histories_.reset(); }
  std::string structure(const Sys&) const {
    return in_words(SolverKind::dense, n_ + m_) + " with the velocities";
  }
  /// The next step is substep k of a composition: its first guess comes from its like.
  void select(std::size_t k) { histories_.select(k, predictor_); }
  Status present(const Sys& system, State& z) {
    return project_ == Projection::output ? projection_.project(system, z) : Status{};
  }
  auto lambda() const { return x_.tail(m_); }
  Projections projections(long steps, long looks) const {
    return detail::projections(project_, steps, looks);
  }

  Status step(const Sys& system, State& z, const Real<S>& h) {
    Room<S>& w = room_.plain;
    system.linearise(z.q, z.p, w.g, jacobian_, unused_);
    system.energy_gradient(z.q, z.p, h_q_, h_p_);
    // First guess: v - H_p(q0,p0) and lambda are O(h) both, extrapolated from the last steps.
    predictor_.predict(h, x_);
    for (int i = 0; i < n_; ++i) x_[i] += h_p_[i];
    guess_ = x_;
    // v is known to eps |q|/h only, along M^-1 G^T; the projection removes that from p1.
    const double size = detail::velocity_scale(z, h_p_, h);
    Status status =
        solver_.solve(x_, 2 * epsilon<S> * size, equations(system, z, h),
                      [&](const Unknown& x, auto& out) { matrix(system, z, h, x, out); });
    if (!status) return status;
    if (!same_branch(system, z, h)) return {Outcome::branch_jump, status.iterations, 0};
    copy(z.q, w.q0);
    for (int i = 0; i < n_; ++i) w.v[i] = x_[i];
    w.lagrangian.slopes(system, w.q0, w.v, h, w.minus_d1, next_.p);
    for (int i = 0; i < n_; ++i) next_.q[i] = z.q[i] + w.v[i] * h;
    if (project_ == Projection::every)
      if (Status s = projection_.project(system, next_); !s) return s;
    for (int i = 0; i < n_; ++i) x_[i] -= h_p_[i];
    predictor_.record(h, x_);
    copy(next_.q, z.q);
    copy(next_.p, z.p);
    return status;
  }

 private:
  using Lifted = typename Implicit<S, U>::Lifted;
  template <class R>
  struct Room {
    Room(const Sys& system, Quadrature quadrature)
        : lagrangian(system, quadrature),
          q0(system.dimension()),
          q1(system.dimension()),
          v(system.dimension()),
          minus_d1(system.dimension()),
          d2(system.dimension()),
          g(system.constraint_count()) {}
    detail::DiscreteLagrangian<Sys, R> lagrangian;
    Vector<R, N> q0, q1, v, minus_d1, d2;
    Vector<R, M> g;
  };

  //   r = ( -D1 L_d + G(q0)^T lambda - p0,  g(q0 + h v)/h )
  // Scaled so that the matrix tends to [L_vv G^T; G 0] as h -> 0, and is that for h = 0.
  auto equations(const Sys& system, const State& z, const Real<S>& h) {
    return [this, &system, &z, h](auto on, const auto& x, auto& r) {
      auto& w = room_[on];
      copy_entries(on(z.q), w.q0);
      for (int i = 0; i < n_; ++i) w.v[i] = x[i];
      w.lagrangian.slopes(system, w.q0, w.v, h, w.minus_d1, w.d2);
      for (int i = 0; i < n_; ++i) {
        r[i] = w.minus_d1[i] - on(z.p[i]);
        for (int k = 0; k < m_; ++k) r[i] += x[n_ + k] * on(jacobian_(k, i));
        w.q1[i] = w.q0[i] + w.v[i] * h;
      }
      if (m_ == 0) return Status{};
      if (h == 0) {
        multiply(on(jacobian_), w.v, w.g);
      } else {
        system.constraint(w.q1, w.q1, w.g);
        scale(Real<S>(Real<S>(1) / h), w.g);
      }
      for (int k = 0; k < m_; ++k) r[n_ + k] = w.g[k];
      return Status{};
    };
  }

  /// [-D_v D1 L_d  G(q0)^T; G(q0 + h v)  0]: only the first block needs duals, of n unknowns.
  template <class Square>
  void matrix(const Sys& system, const State& z, const Real<S>& h, const Unknown& x, Square& out) {
    auto& w = room_.lifted;
    copy_entries(OnDuals{}(z.q), w.q0);
    for (int i = 0; i < n_; ++i) speed_[i] = x[i], next_.q[i] = z.q[i] + x[i] * h;
    sweep<chunk_for<U>>(n_, [&](const auto& chunk) {
      chunk.seed(speed_, w.v);
      w.lagrangian.slopes(system, w.q0, w.v, h, w.minus_d1, w.d2);
      chunk.read(w.minus_d1, out);
    });
    system.linearise(next_.q, next_.q, room_.plain.g, next_jacobian_, unused_);
    for (int k = 0; k < m_; ++k) {
      for (int i = 0; i < n_; ++i) {
        out(i, n_ + k) = base(jacobian_(k, i));
        out(n_ + k, i) = base(next_jacobian_(k, i));
      }
      for (int j = 0; j < m_; ++j) out(n_ + k, n_ + j) = T(0);
    }
  }

  /// A root far from the first guess may lie on another branch: there G(q1) L_vv^-1 G(q0)^T has
  /// another inertia than G(q0) L_vv^-1 G(q0)^T.
  bool same_branch(const Sys& system, const State& z, const Real<S>& h) {
    if (m_ == 0 || detail::near_guess(x_, guess_.head(n_))) return true;
    if (!solver_.factor(guess_, equations(system, z, Real<S>(0)))) return false;
    const int expected = schur_inertia();
    return solver_.factor(x_, equations(system, z, h)) && schur_inertia() == expected;
  }
  /// Negative eigenvalues of the inverse Schur complement (symmetric part): the lower right block
  /// of the inverse of the factored matrix, up to sign.
  int schur_inertia() {
    for (int k = 0; k < m_; ++k) {
      column_.setConstant(T(0));
      column_[n_ + k] = T(1);
      solver_.correct(column_);
      for (int i = 0; i < m_; ++i) schur_(i, k) = -column_[n_ + i];
    }
    return inertia_->factor([&](int i, int j) { return T((schur_(i, j) + schur_(j, i)) * T(0.5)); })
        .negative;
  }

  int n_, m_;
  Projection project_;
  ForRuns<Room<S>, Room<Lifted>> room_;
  Position h_q_, h_p_, speed_;
  Matrix<S, M, N> jacobian_, next_jacobian_, unused_;
  Unknown x_, guess_;
  MultiplierPredictor<Unknown> predictor_;
  Histories<MultiplierPredictor<Unknown>> histories_;  // of the other substeps
  State next_{Position(n_), Position(n_)};
  Implicit<S, U> solver_;
  Matrix<T, M> schur_;
  Vector<T, U> column_;
  std::optional<DenseLdlt<T, dynamic>> inertia_;
  MomentumProjection<Sys, S> projection_;
};

/// Constrained discrete Lagrangian as a method; explicit kicks for constant mass.
template <Quadrature quadrature = Quadrature::trapezoid>
struct Variational {
  Projection project = Projection::every;
  SolveOptions solve{};
  MethodInfo info() const { return variational_info(quadrature, project); }
  template <class S, class Sys>
  auto stepper(const Sys& system) const {
    constexpr BaseMap base = base_map(quadrature);
    if constexpr (detail::natural_form<Sys>())
      return detail::plain_stepper<Sys, S, base>(system, 0.5, project, solve);
    else
      return VariationalStepper<Sys, S>(system, quadrature, project, solve);
  }
};

}  // namespace rattleback

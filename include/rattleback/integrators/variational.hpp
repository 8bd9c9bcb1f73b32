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

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "rattleback/integrators/momentum_projection.hpp"
#include "rattleback/integrators/shake_rattle.hpp"
#include "rattleback/solve/histories.hpp"

namespace rattleback {

enum class Quadrature { trapezoid, midpoint, left, right };

struct QuadratureInfo {
  Quadrature quadrature;
  std::string_view name;
  int nodes;
  std::array<double, 2> node, weight;
  int order;
  bool symmetric;
};
inline constexpr std::array<QuadratureInfo, 4> quadratures{
    {{Quadrature::trapezoid, "trapezoid", 2, {0, 1}, {0.5, 0.5}, 2, true},
     {Quadrature::midpoint, "midpoint", 1, {0.5}, {1}, 2, true},
     {Quadrature::left, "left", 1, {0}, {1}, 1, false},
     {Quadrature::right, "right", 1, {1}, {1}, 1, false}}};

constexpr const QuadratureInfo& info(Quadrature quadrature) {
  return quadratures[static_cast<std::size_t>(quadrature)];
}

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

namespace detail {

/// Both slopes of L_d, as functions of (q0, v).
template <class Sys, class S>
class DiscreteLagrangian {
 public:
  using Position = PositionOf<Sys, S>;

  DiscreteLagrangian(const Sys& system, Quadrature quadrature)
      : rule_(info(quadrature)),
        x_(system.dimension()),
        l_q_(system.dimension()),
        l_v_(system.dimension()) {}

  // -D1 L_d = sum_k w_k (L_v - (1 - c_k) h L_q)  at (q0 + c_k h v, v)
  //  D2 L_d = sum_k w_k (L_v + c_k h L_q)
  void slopes(const Sys& system, const Position& q0, const Position& v, const Real<S>& h,
              Position& minus_d1, Position& d2) {
    for (int k = 0; k < rule_.nodes; ++k) {
      const Real<S> w(rule_.weight[k]), c(rule_.node[k]), ch = c * h;
      const Real<S> before = w * h * (Real<S>(1) - c), after = w * h * c;
      for (Eigen::Index i = 0; i < x_.size(); ++i) x_[i] = q0[i] + v[i] * ch;
      system.lagrangian_gradient(x_, v, l_q_, l_v_);
      for (Eigen::Index i = 0; i < x_.size(); ++i) {
        const S momentum = l_v_[i] * w;
        const S first = momentum - l_q_[i] * before, second = momentum + l_q_[i] * after;
        minus_d1[i] = k == 0 ? first : S(minus_d1[i] + first);
        d2[i] = k == 0 ? second : S(d2[i] + second);
      }
    }
  }

 private:
  QuadratureInfo rule_;
  Position x_, l_q_, l_v_;
};

}  // namespace detail

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
        options_(options),
        project_(project),
        lagrangian_(system, quadrature),
        lifted_lagrangian_(system, quadrature),
        v_(n_),
        h_q_(n_),
        h_p_(n_),
        minus_d1_(n_),
        d2_(n_),
        g_(m_),
        jacobian_(m_, n_),
        next_jacobian_(m_, n_),
        unused_(m_, n_),
        x_(n_ + m_),
        r_(n_ + m_),
        guess_(n_ + m_),
        predictor_(n_ + m_),
        work_{Position(n_), Position(n_)},
        matrix_(n_ + m_, n_ + m_),
        lu_(n_ + m_),
        schur_(m_, m_),
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
    system.linearise(z.q, z.p, g_, jacobian_, unused_);
    system.energy_gradient(z.q, z.p, h_q_, h_p_);
    // First guess: v - H_p(q0,p0) and lambda are O(h) both, extrapolated from the last steps.
    predictor_.predict(h, x_);
    for (int i = 0; i < n_; ++i) x_[i] += h_p_[i];
    guess_ = x_;
    Status status = solve(system, z, h);
    if (!status) return status;
    if (!same_branch(system, z, h)) return {Outcome::branch_jump, status.iterations, 0};
    velocity_of(x_);
    lagrangian_.slopes(system, z.q, v_, h, minus_d1_, work_.p);
    for (int i = 0; i < n_; ++i) work_.q[i] = z.q[i] + v_[i] * h;
    if (project_ == Projection::every)
      if (Status s = projection_.project(system, work_); !s) return s;
    for (int i = 0; i < n_; ++i) x_[i] -= h_p_[i];
    predictor_.record(h, x_);
    copy(work_.q, z.q);
    copy(work_.p, z.p);
    return status;
  }

 private:
  static constexpr int K = chunk_for<N>;
  using Lifted = Dual<T, K>;

  void velocity_of(const Unknown& x) {
    for (int i = 0; i < n_; ++i) v_[i] = x[i];
  }

  //   r = ( -D1 L_d + G(q0)^T lambda - p0,  g(q0 + h v)/h )
  // Scaled so that the matrix tends to [L_vv G^T; G 0] as h -> 0.
  Status solve(const Sys& system, const State& z, const Real<S>& h) {
    // v is known to eps |q|/h only, along M^-1 G^T; the projection removes that from p1.
    const double reach = largest_magnitude(z.q) / magnitude(h);
    const double size = std::max({largest_magnitude(h_p_), largest_magnitude(z.p), reach, 1e-3});
    return newton(
        x_, r_, 2 * epsilon<S> * size, options_,
        [&](const Unknown& x, Unknown& r) {
          velocity_of(x);
          lagrangian_.slopes(system, z.q, v_, h, minus_d1_, d2_);
          for (int i = 0; i < n_; ++i) {
            S sum = minus_d1_[i] - z.p[i];
            for (int k = 0; k < m_; ++k) sum += jacobian_(k, i) * x[n_ + k];
            r[i] = sum;
            work_.q[i] = z.q[i] + v_[i] * h;
          }
          system.constraint(work_.q, z.p, g_);
          const Real<S> inverse_h = Real<S>(1) / h;
          for (int k = 0; k < m_; ++k) r[n_ + k] = g_[k] * inverse_h;
          return Status{};
        },
        [&](const Unknown& x) { return factor(system, z, h, x); }, lu_);
  }

  /// [d(-D1 L_d)/dv  G(q0)^T; G(q1)  0] at the base values of x.
  bool factor(const Sys& system, const State& z, const Real<S>& h, const Unknown& x) {
    auto& q0 = detail::scratch<Lifted, N, 50>(n_);
    auto& v = detail::scratch<Lifted, N, 51>(n_);
    auto& minus_d1 = detail::scratch<Lifted, N, 52>(n_);
    auto& d2 = detail::scratch<Lifted, N, 53>(n_);
    for (int i = 0; i < n_; ++i) {
      q0[i] = Lifted(base(z.q[i]));
      work_.q[i] = z.q[i] + x[i] * h;
    }
    for (int first = 0; first < n_; first += K) {
      for (int i = 0; i < n_; ++i) v[i] = Lifted(base(x[i]));
      for (int k = 0; k < K && first + k < n_; ++k) v[first + k].partials[k] = T(1);
      lifted_lagrangian_.slopes(system, q0, v, h, minus_d1, d2);
      for (int i = 0; i < n_; ++i)
        for (int k = 0; k < K && first + k < n_; ++k)
          matrix_(i, first + k) = minus_d1[i].partials[k];
    }
    system.linearise(work_.q, z.p, g_, next_jacobian_, unused_);
    for (int k = 0; k < m_; ++k) {
      for (int i = 0; i < n_; ++i) {
        matrix_(i, n_ + k) = base(jacobian_(k, i));
        matrix_(n_ + k, i) = base(next_jacobian_(k, i));
      }
      for (int l = 0; l < m_; ++l) matrix_(n_ + k, n_ + l) = T(0);
    }
    return lu_.factor([&](int i, int j) { return matrix_(i, j); }).ok;
  }

  /// A root far from the first guess may lie on another branch: there G(q1) L_vv^-1 G(q0)^T has
  /// another inertia than G(q0) L_vv^-1 G(q0)^T.
  bool same_branch(const Sys& system, const State& z, const Real<S>& h) {
    if (m_ == 0) return true;
    double moved = 0, speed = 0;
    for (int i = 0; i < n_; ++i) {
      moved = larger(moved, magnitude(T(base(x_[i]) - base(guess_[i]))));
      speed = larger(speed, magnitude(T(base(guess_[i]))));
    }
    if (moved <= 0.2 * speed) return true;
    r_ = guess_;
    if (!factor(system, z, Real<S>(0), r_)) return false;
    const int expected = schur_inertia();
    return factor(system, z, h, x_) && schur_inertia() == expected;
  }
  /// Negative eigenvalues of the inverse Schur complement (symmetric part): the lower right block
  /// of the inverse of the factored matrix, up to sign.
  int schur_inertia() {
    auto& column = detail::scratch<T, U, 54>(n_ + m_);
    for (int k = 0; k < m_; ++k) {
      column.setConstant(T(0));
      column[n_ + k] = T(1);
      lu_.solve(column);
      for (int i = 0; i < m_; ++i) schur_(i, k) = -column[n_ + i];
    }
    return inertia_->factor([&](int i, int j) { return T((schur_(i, j) + schur_(j, i)) * T(0.5)); })
        .negative;
  }

  int n_, m_;
  SolveOptions options_;
  Projection project_;
  detail::DiscreteLagrangian<Sys, S> lagrangian_;
  detail::DiscreteLagrangian<Sys, Lifted> lifted_lagrangian_;
  Position v_, h_q_, h_p_, minus_d1_, d2_;
  Vector<S, M> g_;
  Matrix<S, M, N> jacobian_, next_jacobian_, unused_;
  Unknown x_, r_, guess_;
  MultiplierPredictor<Unknown> predictor_;
  Histories<MultiplierPredictor<Unknown>> histories_;  // of the other substeps
  State work_;
  Matrix<T, U> matrix_;
  DenseLu<T, U> lu_;
  Matrix<T, M> schur_;
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
    if constexpr (detail::natural_core<Sys, base>())
      return NaturalStepper<Sys, S>(system, *kicks(base), project, solve);
    else
      return VariationalStepper<Sys, S>(system, quadrature, project, solve);
  }
};

}  // namespace rattleback

// What not to use, kept honest: the usual ways to run a constrained system without its structure.
//
//   velocity-verlet  explicit velocity Verlet on q'' = a(q,v), multipliers eliminated
//                    q1 = q + h v + h^2/2 a(q,v)
//                    v1 = v + h/2 (a(q,v) + a(q1, v + h a(q,v)))
//   rk4              the classical tableau on z' = X_H + sum lambda_i X_gi, lambda from
//                    d/dt {g,H} = 0
//   projection       an unconstrained verlet step, then the nearest point of g = 0 and the nearest
//                    momentum, in the metric of M:
//                    q1 = q~ - M^-1 G(q1)^T nu,  g(q1) = 0;  p1 = p~ - G(q1)^T mu,  G M^-1 p1 = 0
//
// The first two drift off the constraint; the third keeps it but projects across the fibres of the
// old point, loses order (1, not 2), the symplectic form and the energy (errata S1, S4, pitfall 8).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <type_traits>

#include "rattleback/integrators/base_map.hpp"
#include "rattleback/integrators/method_info.hpp"
#include "rattleback/integrators/momentum_projection.hpp"
#include "rattleback/problem/quad.hpp"
#include "rattleback/solve/structure.hpp"

namespace rattleback {

enum class Baseline { velocity_verlet, rk4, projection };

struct BaselineInfo {
  Baseline kind;
  std::string_view name;
  int order;
  bool keeps_constraints;
  Applies applies;
};
inline constexpr std::array<BaselineInfo, 3> baselines{
    {{Baseline::velocity_verlet,
      "velocity-verlet",
      2,
      false,
      {.lagrangian = true, .holonomic = true}},
     {Baseline::rk4, "rk4", 4, false, {}},
     {Baseline::projection, "projection", 1, true, {.natural = true, .holonomic = true}}}};

constexpr const BaselineInfo& info(Baseline kind) {
  return baselines[static_cast<std::size_t>(kind)];
}

inline MethodInfo baseline_info(Baseline kind) {
  const BaselineInfo& b = info(kind);
  return {.name = "baseline:kind=" + std::string(b.name),
          .order = b.order,
          .symmetric = false,
          .symplectic_on = SymplecticOn::nothing,
          .preserves_primary = b.keeps_constraints,
          .preserves_hidden = b.keeps_constraints,
          .applies = b.applies,
          .cite = "[Chapter], what not to use"};
}

/// The eliminated equations z' = X_H + sum lambda_i X_gi with d/dt {g,H} = 0:
///   sum_j N_ij lambda_j = -d rho_i . X_H,   N_ij = d rho_i . X_gj,   rho = {g,H}.
template <class Sys, class S>
class EliminatedField {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  using Position = Vector<S, N>;
  static_assert(!is_dual<S>, "needs derivatives of its own; see DifferencedStepper");

  explicit EliminatedField(const Sys& system)
      : n_(system.dimension()),
        m_(system.constraint_count()),
        h_q_(n_),
        h_p_(n_),
        g_(m_),
        g_q_(m_, n_),
        g_p_(m_, n_),
        lambda_(std::max(m_, 1)),
        normal_(m_, m_),
        q_(n_),
        p_(n_),
        f_q_(n_),
        f_p_(n_),
        rho_(m_),
        j_q_(m_, n_),
        j_p_(m_, n_),
        lu_(std::max(m_, 1)) {}

  Status evaluate(const Sys& system, const Position& q, const Position& p, Position& dq,
                  Position& dp) {
    system.energy_gradient(q, p, h_q_, h_p_);
    for (int i = 0; i < n_; ++i) dq[i] = h_p_[i], dp[i] = -h_q_[i];
    if (m_ == 0) return {};
    system.linearise(q, p, g_, g_q_, g_p_);
    // Directions 0: X_H, 1 + j: X_gj.
    for (int first = 0; first <= m_; first += K) {
      for (int i = 0; i < n_; ++i) {
        q_[i] = Lifted(q[i]);
        p_[i] = Lifted(p[i]);
        for (int k = 0; k < K && first + k <= m_; ++k) {
          q_[i].partials[k] = direction_q(system, first + k, i);
          p_[i].partials[k] = direction_p(first + k, i);
        }
      }
      hidden(system);
      for (int r = 0; r < m_; ++r)
        for (int k = 0; k < K && first + k <= m_; ++k)
          (first + k == 0 ? lambda_[r] : normal_(r, first + k - 1)) = rho_[r].partials[k];
    }
    const FactorReport report = lu_.factor([&](int i, int j) { return normal_(i, j); });
    if (!report.ok) return {Outcome::rank_loss, 0, report.smallest_pivot};
    lu_.solve(lambda_);
    for (int j = 0; j < m_; ++j)
      for (int i = 0; i < n_; ++i) {
        dq[i] -= lambda_[j] * direction_q(system, 1 + j, i);
        dp[i] -= lambda_[j] * direction_p(1 + j, i);
      }
    return {};
  }

  /// q'' = d/dt H_p along (dq, dp), for constraints on positions.
  void acceleration(const Sys& system, const Position& q, const Position& p, const Position& dq,
                    const Position& dp, Position& a) {
    for (int i = 0; i < n_; ++i) {
      q_[i] = Lifted(q[i]);
      p_[i] = Lifted(p[i]);
      q_[i].partials[0] = dq[i];
      p_[i].partials[0] = dp[i];
    }
    system.energy_gradient(q_, p_, f_q_, f_p_);
    for (int i = 0; i < n_; ++i) a[i] = f_p_[i].partials[0];
  }

 private:
  static constexpr int K = 4;
  using Lifted = Dual<S, K>;

  S direction_q(const Sys& system, int k, int i) const {
    if (k == 0) return h_p_[i];
    return system.traits().holonomic ? S(0) : g_p_(k - 1, i);
  }
  S direction_p(int k, int i) const { return k == 0 ? S(-h_q_[i]) : S(-g_q_(k - 1, i)); }
  /// rho = g_q H_p - g_p H_q at the lifted point.
  void hidden(const Sys& system) {
    system.linearise(q_, p_, rho_, j_q_, j_p_);
    system.energy_gradient(q_, p_, f_q_, f_p_);
    for (int r = 0; r < m_; ++r) {
      Lifted sum(S(0));
      for (int i = 0; i < n_; ++i) sum += j_q_(r, i) * f_p_[i];
      if (!system.traits().holonomic)
        for (int i = 0; i < n_; ++i) sum -= j_p_(r, i) * f_q_[i];
      rho_[r] = sum;
    }
  }

  int n_, m_;
  Position h_q_, h_p_;
  Vector<S, M> g_;
  Matrix<S, M, N> g_q_, g_p_;
  Vector<S, dynamic> lambda_;
  Matrix<S, dynamic> normal_;
  Vector<Lifted, N> q_, p_, f_q_, f_p_;
  Vector<Lifted, M> rho_;
  Matrix<Lifted, M, N> j_q_, j_p_;
  DenseLu<S, dynamic> lu_;
};

/// The explicit methods on the eliminated equations.
template <class Sys, class S>
class EliminatedStepper {
 public:
  using State = StateOf<Sys, S>;
  using Position = PositionOf<Sys, S>;

  EliminatedStepper(const Sys& system, Baseline kind, SolveOptions = {})
      : kind_(kind), n_(system.dimension()), field_(system), work_(sized()), sum_(sized()) {
    if (kind == Baseline::velocity_verlet && !system.traits().lagrangian)
      throw ModelError("baseline velocity-verlet: needs the momentum of a velocity, a Lagrangian");
    for (auto* v : {&dq_, &dp_, &v_, &a_, &a1_, &v1_, &unused_}) v->resize(n_);
  }
  void reset() {}
  Status present(const Sys&, State&) { return {}; }
  static std::string structure(const Sys& system) {
    return "by elimination, " + in_words(SolverKind::dense, system.constraint_count());
  }

  Status step(const Sys& system, State& z, const Real<S>& h) {
    Status status;
    if constexpr (LagrangianForm<Sys>)
      status = kind_ == Baseline::rk4 ? rk4(system, z, h) : velocity_verlet(system, z, h);
    else
      status = rk4(system, z, h);
    if (!status) return status;
    const double size = larger(largest_magnitude(sum_.q), largest_magnitude(sum_.p));
    if (!(size < 1e150)) return {Outcome::not_finite, 0, size};
    copy(sum_.q, z.q);
    copy(sum_.p, z.p);
    return status;
  }

 private:
  State sized() const { return {Position(n_), Position(n_)}; }

  // k1 = f(z), k2 = f(z + h/2 k1), k3 = f(z + h/2 k2), k4 = f(z + h k3)
  // z1 = z + h/6 (k1 + 2 k2 + 2 k3 + k4)
  Status rk4(const Sys& system, const State& z, const Real<S>& h) {
    const Real<S> stage[] = {h / 2, h / 2, h}, weight[] = {h / 6, h / 3, h / 3, h / 6};
    copy(z.q, work_.q), copy(z.p, work_.p);
    copy(z.q, sum_.q), copy(z.p, sum_.p);
    for (int i = 0; i < 4; ++i) {
      if (Status s = field_.evaluate(system, work_.q, work_.p, dq_, dp_); !s) return s;
      add_scaled(weight[i], dq_, sum_.q);
      add_scaled(weight[i], dp_, sum_.p);
      if (i == 3) break;
      copy(z.q, work_.q), copy(z.p, work_.p);
      add_scaled(stage[i], dq_, work_.q);
      add_scaled(stage[i], dp_, work_.p);
    }
    return {};
  }

  Status velocity_verlet(const Sys& system, const State& z, const Real<S>& h) {
    if (Status s = field_.evaluate(system, z.q, z.p, v_, dp_); !s) return s;
    field_.acceleration(system, z.q, z.p, v_, dp_, a_);
    copy(z.q, sum_.q);
    add_scaled(h, v_, sum_.q);
    add_scaled(Real<S>(h * h / 2), a_, sum_.q);
    copy(v_, v1_);
    add_scaled(h, a_, v1_);
    system.lagrangian_gradient(sum_.q, v1_, unused_, work_.p);  // p = L_v(q1, v + h a)
    if (Status s = field_.evaluate(system, sum_.q, work_.p, dq_, dp_); !s) return s;
    field_.acceleration(system, sum_.q, work_.p, dq_, dp_, a1_);
    for (int i = 0; i < n_; ++i) v1_[i] = v_[i] + (a_[i] + a1_[i]) * Real<S>(h / 2);
    system.lagrangian_gradient(sum_.q, v1_, unused_, sum_.p);
    return {};
  }

  Baseline kind_;
  int n_;
  EliminatedField<Sys, S> field_;
  State work_, sum_;
  Position dq_, dp_, v_, a_, a1_, v1_, unused_;
};

/// The step on duals of double, where the step itself already takes second derivatives of H and g:
/// the value in double, each partial a central difference in quad precision,
///   (step(z + d w) - step(z - d w))/(2 d),  |d w| = 1e-11,
/// whose error, about 1e-22, is nothing in double.
template <class Sys, class S>
class DifferencedStepper {
 public:
  using State = StateOf<Sys, S>;
  static_assert(std::is_same_v<Base<S>, double>, "differences in quad precision are for double");

  DifferencedStepper(const Sys& system, Baseline kind, SolveOptions options = {})
      : n_(system.dimension()),
        value_(system, kind, options),
        fine_(system, kind, options),
        z_{PositionOf<Sys, double>(n_), PositionOf<Sys, double>(n_)},
        plus_{PositionOf<Sys, Quad>(n_), PositionOf<Sys, Quad>(n_)},
        minus_(plus_),
        result_{PositionOf<Sys, S>(n_), PositionOf<Sys, S>(n_)} {}
  void reset() {}
  Status present(const Sys&, State&) { return {}; }
  std::string structure(const Sys& system) const { return value_.structure(system); }

  Status step(const Sys& system, State& z, const Real<S>& h) {
    for (int i = 0; i < n_; ++i) z_.q[i] = z.q[i].value, z_.p[i] = z.p[i].value;
    Status status = value_.step(system, z_, h);
    if (!status) return status;
    for (int i = 0; i < n_; ++i) result_.q[i] = S(z_.q[i]), result_.p[i] = S(z_.p[i]);
    for (int k = 0; k < partials; ++k) {
      double size = 0;
      for (int i = 0; i < n_; ++i)
        size = larger(size, larger(std::abs(z.q[i].partials[k]), std::abs(z.p[i].partials[k])));
      if (size == 0) continue;
      const Quad d = Quad(1e-11) / Quad(size);
      for (int i = 0; i < n_; ++i) {
        plus_.q[i] = Quad(z.q[i].value) + d * z.q[i].partials[k];
        plus_.p[i] = Quad(z.p[i].value) + d * z.p[i].partials[k];
        minus_.q[i] = Quad(z.q[i].value) - d * z.q[i].partials[k];
        minus_.p[i] = Quad(z.p[i].value) - d * z.p[i].partials[k];
      }
      if (Status s = fine_.step(system, plus_, Quad(h)); !s) return s;
      if (Status s = fine_.step(system, minus_, Quad(h)); !s) return s;
      for (int i = 0; i < n_; ++i) {
        const Quad q = (plus_.q[i] - minus_.q[i]) / (2 * d);
        const Quad p = (plus_.p[i] - minus_.p[i]) / (2 * d);
        result_.q[i].partials[k] = static_cast<double>(q);
        result_.p[i].partials[k] = static_cast<double>(p);
      }
    }
    copy(result_.q, z.q);
    copy(result_.p, z.p);
    return status;
  }

 private:
  static constexpr int partials = []<class T, int K>(std::type_identity<Dual<T, K>>) {
    return K;
  }(std::type_identity<S>{});

  int n_;
  EliminatedStepper<Sys, double> value_;
  EliminatedStepper<Sys, Quad> fine_;
  StateOf<Sys, double> z_;
  StateOf<Sys, Quad> plus_, minus_;
  State result_;
};

/// An unconstrained step, then the nearest consistent state.
template <class Sys, class S>
class NaiveProjectionStepper {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  using T = Base<S>;
  using State = StateOf<Sys, S>;
  using Position = Vector<S, N>;
  using Unknown = Vector<S, dynamic>;

  NaiveProjectionStepper(const Sys& system, SolveOptions options = {})
      : n_(system.dimension()),
        m_(system.constraint_count()),
        options_(options),
        base_(system, BaseMap::verlet, options),
        work_{Position(n_), Position(n_)},
        q_(n_),
        force_(n_),
        shift_(n_),
        g_(m_),
        jacobian_(m_, n_),
        unused_(m_, n_),
        lifted_jacobian_(m_, n_),
        lifted_unused_(m_, n_),
        x_(n_ + m_),
        r_(n_ + m_),
        matrix_(n_ + m_, n_ + m_),
        lu_(n_ + m_),
        projection_(system, options) {}
  void reset() {}
  Status present(const Sys&, State&) { return {}; }
  std::string structure(const Sys&) const {
    return "after the step, " + in_words(SolverKind::dense, n_ + m_);
  }
  Projections projections(long steps, long) const { return {steps, steps}; }

  Status step(const Sys& system, State& z, const Real<S>& h) {
    copy(z.q, work_.q);
    copy(z.p, work_.p);
    Status status = base_.apply(system, h, work_);
    if (status && m_ > 0) status = nearest(system);
    if (status && m_ > 0) {
      for (int i = 0; i < n_; ++i) work_.q[i] = x_[i];
      const int iterations = status.iterations;
      status = projection_.project(system, work_);
      status.iterations += iterations;
    }
    if (!status) return status;
    copy(work_.q, z.q);
    copy(work_.p, z.p);
    return status;
  }

 private:
  static constexpr int K = chunk_for<N>;
  using Lifted = Dual<T, K>;

  // q1 - q~ + M^-1 G(q1)^T nu = 0,  g(q1) = 0
  Status nearest(const Sys& system) {
    for (int i = 0; i < n_ + m_; ++i) x_[i] = i < n_ ? work_.q[i] : S(0);
    return newton(
        x_, r_, 2 * epsilon<S> * std::max(largest_magnitude(work_.q), 1e-3), options_,
        [&](const Unknown& x, Unknown& r) {
          for (int i = 0; i < n_; ++i) q_[i] = x[i], force_[i] = S(0);
          system.linearise(q_, q_, g_, jacobian_, unused_);
          for (int k = 0; k < m_; ++k)
            for (int i = 0; i < n_; ++i) force_[i] += jacobian_(k, i) * x[n_ + k];
          system.velocity(force_, shift_);
          for (int i = 0; i < n_; ++i) r[i] = q_[i] - work_.q[i] + shift_[i];
          for (int k = 0; k < m_; ++k) r[n_ + k] = g_[k];
          return Status{};
        },
        [&](const Unknown& x) { return factor(system, x); }, lu_);
  }
  /// [I + M^-1 d(G^T nu)/dq  M^-1 G^T; G  0] at the base values of x.
  bool factor(const Sys& system, const Unknown& x) {
    auto& q = detail::scratch<Lifted, N, 70>(n_);
    auto& force = detail::scratch<Lifted, N, 71>(n_);
    auto& shift = detail::scratch<Lifted, N, 72>(n_);
    auto& g = detail::scratch<Lifted, M, 73>(m_);
    for (int first = 0; first < n_ + m_; first += K) {
      for (int i = 0; i < n_; ++i) q[i] = seeded(x, i, first);
      system.linearise(q, q, g, lifted_jacobian_, lifted_unused_);
      for (int i = 0; i < n_; ++i) {
        force[i] = Lifted(T(0));
        for (int k = 0; k < m_; ++k) force[i] += lifted_jacobian_(k, i) * seeded(x, n_ + k, first);
      }
      system.velocity(force, shift);
      for (int k = 0; k < K && first + k < n_ + m_; ++k) {
        for (int i = 0; i < n_; ++i)
          matrix_(i, first + k) = T(q[i].partials[k] + shift[i].partials[k]);
        for (int i = 0; i < m_; ++i) matrix_(n_ + i, first + k) = g[i].partials[k];
      }
    }
    return lu_.factor([&](int i, int j) { return matrix_(i, j); }).ok;
  }
  static Lifted seeded(const Unknown& x, int i, int first) {
    const int k = i - first;
    return k >= 0 && k < K ? Lifted::variable(base(x[i]), k) : Lifted(base(x[i]));
  }

  int n_, m_;
  SolveOptions options_;
  BaseStepper<Sys, S> base_;
  State work_;
  Position q_, force_, shift_;
  Vector<S, M> g_;
  Matrix<S, M, N> jacobian_, unused_;
  Matrix<Lifted, M, N> lifted_jacobian_, lifted_unused_;
  Unknown x_, r_;
  Matrix<T, dynamic> matrix_;
  DenseLu<T, dynamic> lu_;
  MomentumProjection<Sys, S> projection_;
};

/// One of the baselines as a method.
template <Baseline kind = Baseline::rk4>
struct NaiveMethod {
  SolveOptions solve{};
  MethodInfo info() const { return baseline_info(kind); }
  template <class S, class Sys>
  auto stepper(const Sys& system) const {
    if constexpr (kind == Baseline::projection)
      return NaiveProjectionStepper<Sys, S>(system, solve);
    else if constexpr (is_dual<S>)
      return DifferencedStepper<Sys, S>(system, kind, solve);
    else
      return EliminatedStepper<Sys, S>(system, kind, solve);
  }
};

}  // namespace rattleback

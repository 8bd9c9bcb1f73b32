// Index-1 constraints: H(q, p, beta) with the constraint alpha = 0 on the coordinates alpha that
// beta is conjugate to  [McLachlan12 5.3]. A symplectic Runge-Kutta method directly on
//
//   q' = H_p(q,p,beta),   p' = -H_q(q,p,beta),   0 = H_beta(q,p,beta)              [McLachlan12
//   (18)]
//
//   Z_i = z + h sum_j a_ij X_H(Z_j, B_j),   0 = H_beta(Z_i, B_i),   z1 = z + h sum_i b_i X_H(Z_i,
//   B_i) beta1 from 0 = H_beta(z1, beta1)
//
// that is, the method on the reduced H(q, p, B(q,p)), at its full order. With one stage (midpoint)
// it is SHAKE/RATTLE over the midpoint rule on the extended phase space; with more stages it is
// not: there beta is constant along the base map and the order stays 2.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "rattleback/integrators/base_map.hpp"
#include "rattleback/integrators/method_info.hpp"
#include "rattleback/problem/energy_hessian.hpp"
#include "rattleback/solve/structure.hpp"

namespace rattleback {

inline MethodInfo index1_info(BaseMap base) {
  const BaseMapInfo b = info(base);
  return {.name = "index1:base=" + std::string(b.name),
          .order = b.order,
          .symmetric = true,
          .symplectic_on = SymplecticOn::state_manifold,
          .preserves_primary = true,
          .preserves_hidden = true,
          .applies = {.holonomic = true},
          .cite = "[McLachlan12 5.3]"};
}

/// The constraint that keeps a system from the form of index1. The message counts it from 1; who
/// knows its name says `reason` of that.
class NotIndex1 : public ModelError {
 public:
  NotIndex1(int constraint, const std::string& reason)
      : ModelError("index1: constraint " + std::to_string(constraint + 1) + ' ' + reason),
        constraint(constraint),
        reason(reason) {}

  int constraint;  ///< from 0
  std::string reason;
};

/// The coordinates that the constraints name: g_i = q[alpha_i] and H does not depend on them.
/// Throws ModelError that says what is not so. Probed at fixed points.
template <class Sys>
std::vector<int> index1_coordinates(const Sys& system) {
  constexpr int N = Sys::dimension_at_compile_time;
  const int n = system.dimension(), m = system.constraint_count();
  if (!system.traits().holonomic || m == 0)
    throw ModelError("index1: the constraints must be coordinates alpha = 0, but " +
                     std::string(m == 0 ? "there are none" : "they contain momenta"));
  Vector<double, N> q(n), p(n), h_q(n), h_p(n);
  Vector<double, Sys::constraints_at_compile_time> g(m);
  JacobianOf<Sys, double> jacobian(m, n), unused(m, n);
  std::vector<int> alpha(m, -1);
  bool probed = false;
  for (int probe = 0; probe < 4; ++probe) {
    for (int i = 0; i < n; ++i) {
      q[i] = 0.8 + 0.17 * std::sin(1.0 + 2.3 * i + 5.1 * probe);
      p[i] = 0.4 * std::cos(0.7 + 1.9 * i + 3.7 * probe);
    }
    system.linearise(q, p, g, jacobian, unused);
    for (int k = 0; k < m; ++k) {
      for (int i = 0; i < n; ++i)
        if (jacobian(k, i) == 1 && (alpha[k] < 0 || alpha[k] == i)) alpha[k] = i;
      for (int i = 0; i < n; ++i)
        if (alpha[k] < 0 || jacobian(k, i) != (i == alpha[k] ? 1 : 0) ||
            std::abs(g[k] - q[alpha[k]]) > 1e-15)
          throw NotIndex1(k, "is not a coordinate itself; use rattle");
    }
    system.energy_gradient(q, p, h_q, h_p);
    for (int k = 0; k < m; ++k) {
      if (!std::isfinite(h_q[alpha[k]])) continue;
      probed = true;
      if (std::abs(h_q[alpha[k]]) > 1e-14)
        throw NotIndex1(k, "fixes a coordinate that H depends on (derivative " +
                               detail::quote(h_q[alpha[k]]) + " at a probe); use rattle");
    }
  }
  if (!probed) throw ModelError("index1: H is not finite at any probe");
  return alpha;
}

template <class Sys, class S>
class Index1Stepper {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  using T = Base<S>;
  using State = StateOf<Sys, S>;
  using Unknown = Vector<S, dynamic>;

  Index1Stepper(const Sys& system, int stages, SolveOptions options = {})
      : n_(system.dimension()),
        m_(system.constraint_count()),
        d_(2 * n_ - m_),
        tableau_(gauss_tableau<Real<S>>(stages)),
        alpha_(index1_coordinates(system)),
        room_{Room<S>(n_), Room<Lifted>(n_)},
        x_(stages * d_),
        beta_(m_),
        next_{Vector<S, N>(n_), Vector<S, N>(n_)},
        hessian_(2 * n_, 2 * n_),
        stages_(stages * d_, options),
        hidden_(m_, options) {
    std::vector<bool> constrained(n_, false);
    for (int a : alpha_) constrained[a] = true;
    // Variables of a stage: q and p of the free pairs, then beta; `index_` points into (q, p).
    for (int half = 0; half < 2; ++half)
      for (int i = 0; i < n_; ++i)
        if (!constrained[i]) index_.push_back(half * n_ + i);
    for (int a : alpha_) index_.push_back(n_ + a);
  }

  void reset() {}
  Status present(const Sys&, State&) { return {}; }
  std::string structure(const Sys&) const {
    return in_words(SolverKind::dense, static_cast<int>(x_.size())) + " with the stages";
  }

  Status step(const Sys& system, State& z, const Real<S>& h) {
    const int s = tableau_.stages(), free = d_ - m_;
    Room<S>& w = room_.plain;
    x_.setConstant(S(0));
    const double size =
        std::max({largest_magnitude(z.q), largest_magnitude(z.p), threshold::least_scale});
    const double floor = 2 * epsilon<S> * size;
    Status status = stages_.solve(
        x_, floor,
        [&](OnUnknowns, const Unknown& x, Unknown& r) {
          // Unknown increments from (z, beta); r = Z_i - z - h sum_j a_ij X_H(Z_j), H_beta(Z_i).
          r = x;
          for (int j = 0; j < s; ++j) {
            stage(system, z, x, j);
            for (int i = 0; i < s; ++i)
              for (int k = 0; k < free; ++k)
                r[i * d_ + k] -= slope(k) * Real<S>(h * tableau_.a(i, j));
            for (int k = 0; k < m_; ++k) r[j * d_ + free + k] = w.h_p[alpha_[k]];
          }
          return Status{};
        },
        [&](const Unknown& x, auto& matrix) { stage_matrix(system, z, h, x, matrix); });
    if (!status) return status;
    copy(z.q, next_.q);
    copy(z.p, next_.p);
    for (int j = 0; j < s; ++j) {
      stage(system, z, x_, j);
      for (int k = 0; k < free; ++k)
        component(next_, index_[k]) += slope(k) * Real<S>(h * tableau_.b[j]);
    }
    // Start of the last solve: beta of the last stage.
    for (int k = 0; k < m_; ++k) beta_[k] = w.p[alpha_[k]];
    Status hidden = solve_beta(system, floor);
    if (!hidden) return hidden;
    copy(next_.q, z.q);
    copy(next_.p, z.p);
    status.iterations += hidden.iterations;
    return status;
  }

 private:
  using Lifted = typename Implicit<S, M>::Lifted;
  template <class R>
  using Room = EnergySlopes<R, N>;

  S& component(State& z, int i) const { return i < n_ ? z.q[i] : z.p[i - n_]; }
  /// X_H of the free variable k, from the gradient of the stage last visited.
  S slope(int k) const {
    const Room<S>& w = room_.plain;
    return index_[k] < n_ ? w.h_p[index_[k]] : S(-w.h_q[index_[k] - n_]);
  }

  void stage_point(const State& z, const Unknown& x, int j) {
    Room<S>& w = room_.plain;
    copy(z.q, w.q);
    copy(z.p, w.p);
    for (int k = 0; k < d_; ++k)
      (index_[k] < n_ ? w.q[index_[k]] : w.p[index_[k] - n_]) += x[j * d_ + k];
  }
  void stage(const Sys& system, const State& z, const Unknown& x, int j) {
    Room<S>& w = room_.plain;
    stage_point(z, x, j);
    system.energy_gradient(w.q, w.p, w.h_q, w.h_p);
  }

  /// 0 = H_beta(z1, beta1), with z1 in next_
  Status solve_beta(const Sys& system, double floor) {
    Status status = hidden_.solve(beta_, floor, [&](auto on, const auto& beta, auto& r) {
      auto& w = room_[on];
      copy_entries(on(next_.q), w.q);
      copy_entries(on(next_.p), w.p);
      for (int k = 0; k < m_; ++k) w.p[alpha_[k]] = beta[k];
      system.energy_gradient(w.q, w.p, w.h_q, w.h_p);
      for (int k = 0; k < m_; ++k) r[k] = w.h_p[alpha_[k]];
      return Status{};
    });
    for (int k = 0; k < m_; ++k) next_.p[alpha_[k]] = beta_[k];
    return status;
  }

  /// [I - h a_ij J H_zz; H_beta z(Z_j)] in the stage variables: one Hessian for each stage.
  template <class Square>
  void stage_matrix(const Sys& system, const State& z, const Real<S>& h, const Unknown& x,
                    Square& matrix) {
    const int s = tableau_.stages(), free = d_ - m_;
    matrix.setConstant(T(0));
    for (int j = 0; j < s; ++j) {
      stage_point(z, x, j);
      energy_hessian(system, room_.plain.q, room_.plain.p, hessian_);
      for (int l = 0; l < d_; ++l) {
        for (int i = 0; i < s; ++i)
          for (int k = 0; k < free; ++k) {
            const bool position = index_[k] < n_;
            const T entry = hessian_(position ? n_ + index_[k] : index_[k] - n_, index_[l]);
            const T weight = T(Real<S>(h * tableau_.a(i, j)));
            matrix(i * d_ + k, j * d_ + l) =
                T(T(i == j && k == l) + (position ? T(-weight) : weight) * entry);
          }
        for (int k = 0; k < m_; ++k)
          matrix(j * d_ + free + k, j * d_ + l) = hessian_(n_ + alpha_[k], index_[l]);
      }
    }
  }

  int n_, m_, d_;
  Tableau<Real<S>> tableau_;
  std::vector<int> alpha_, index_;
  ForRuns<Room<S>, Room<Lifted>> room_;
  Unknown x_;
  Vector<S, M> beta_;
  State next_;
  Matrix<T, dynamic> hessian_;
  Implicit<S, dynamic> stages_;
  Implicit<S, M> hidden_;
};

/// Gauss collocation directly on the index-1 equations: midpoint, gauss2, gauss3.
template <BaseMap base = BaseMap::midpoint>
struct Index1 {
  static_assert(base == BaseMap::midpoint || base == BaseMap::gauss2 || base == BaseMap::gauss3);
  SolveOptions solve{};
  MethodInfo info() const { return index1_info(base); }
  template <class S, class Sys>
  auto stepper(const Sys& system) const {
    constexpr int stages = base == BaseMap::midpoint ? 1 : base == BaseMap::gauss2 ? 2 : 3;
    return Index1Stepper<Sys, S>(system, stages, solve);
  }
};

}  // namespace rattleback

// The constrained equations as an ordinary differential equation, multipliers eliminated.
#pragma once

#include "rattleback/geometry/hidden_constraint.hpp"
#include "rattleback/solve/dense.hpp"
#include "rattleback/solve/status.hpp"

namespace rattleback {

/// z' = X_H + sum lambda_i X_gi with d/dt {g,H} = 0:
///   sum_j N_ij lambda_j = -d rho_i . X_H,   N_ij = d rho_i . X_gj,   rho = {g,H}.
template <class Sys, class S>
class EliminatedField {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  using Position = Vector<S, N>;
  static_assert(!is_dual<S>, "needs derivatives of its own; see Differenced");

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
        hidden_(system),
        q_(n_),
        p_(n_),
        f_q_(n_),
        f_p_(n_),
        lu_(std::max(m_, 1)) {}

  Status evaluate(const Sys& system, const State<S, N>& z, Position& dq, Position& dp) {
    system.energy_gradient(z.q, z.p, h_q_, h_p_);
    for (int i = 0; i < n_; ++i) dq[i] = h_p_[i], dp[i] = -h_q_[i];
    if (m_ == 0) return {};
    system.linearise(z.q, z.p, g_, g_q_, g_p_);
    // Directions 0: X_H, 1 + j: X_gj.
    const bool holonomic = system.traits().holonomic;
    const auto direction_q = [&](int j, int i) {
      return j == 0 ? h_p_[i] : holonomic ? S(0) : g_p_(j - 1, i);
    };
    const auto direction_p = [&](int j, int i) {
      return j == 0 ? S(-h_q_[i]) : S(-g_q_(j - 1, i));
    };
    hidden_.evaluate(system, z, m_ + 1, direction_q, direction_p,
                     [&](int i, int j) -> S& { return j == 0 ? lambda_[i] : normal_(i, j - 1); });
    const FactorReport report = lu_.factor([&](int i, int j) { return normal_(i, j); });
    if (!report.ok) return {Outcome::rank_loss, 0, report.smallest_pivot};
    lu_.solve(lambda_);
    for (int j = 0; j < m_; ++j)
      for (int i = 0; i < n_; ++i) {
        dq[i] -= lambda_[j] * direction_q(1 + j, i);
        dp[i] -= lambda_[j] * direction_p(1 + j, i);
      }
    return {};
  }

  /// q'' = d/dt H_p along (dq, dp), for constraints on positions.
  void acceleration(const Sys& system, const State<S, N>& z, const Position& dq, const Position& dp,
                    Position& a) {
    const Chunk<K> along{0, 1};
    along.seed_along(
        z.q, [&](int, int i) { return dq[i]; }, q_);
    along.seed_along(
        z.p, [&](int, int i) { return dp[i]; }, p_);
    system.energy_gradient(q_, p_, f_q_, f_p_);
    along.read(f_p_, [&](int i, int) -> S& { return a[i]; });
  }

 private:
  static constexpr int K = 4;
  using Lifted = Dual<S, K>;

  int n_, m_;
  Position h_q_, h_p_;
  Vector<S, M> g_;
  Matrix<S, M, N> g_q_, g_p_;
  Vector<S, dynamic> lambda_;
  Matrix<S, dynamic> normal_;
  HiddenSlopes<Sys, S, K> hidden_;
  Vector<Lifted, N> q_, p_, f_q_, f_p_;
  DenseLu<S, dynamic> lu_;
};

}  // namespace rattleback

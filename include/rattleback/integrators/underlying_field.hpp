// Underlying equations of a constrained system: ordinary differential equations on all of phase
// space that are the constrained motion on g = {g,H} = 0, for any regular H(q, p) and g(q). Off
// that manifold they differ. With rho = {g,H}, X_F = (F_p, -F_q) and N_ij = {rho_i, g_j} = -(G H_pp
// G^T):
//
//   classical  X_H + lambda X_g,                N lambda = -{rho, H}                 [Seiler (15)]
//              rho is kept, g' = rho
//   total      the canonical equations of H + lambda(q,p).g, that is
//              X_H + lambda X_g + g X_lambda                                         [Seiler (17)]
//   dirac      z' = {z, H}_D, the Dirac bracket of (g, rho):                         [Seiler (21)]
//              Y + lambda X_g,  Y = X_H + nu X_rho,  N nu = rho,  N lambda = -{rho, Y}
//              g and rho are kept, whatever their values
//   impetus    the canonical equations of H*(q, p*) = H(q, p* - G^T lambda), where
//              G H_p(q, p* - G^T lambda) = 0 defines the striction lambda:           [Seiler (30)]
//              q' = H_p,  p*' = -H_q + (lambda.g)_qq H_p  at (q, p* - G^T lambda); g is kept
//
// [Seiler (16), (17)] have wrong signs; these are {rho, H + lambda.g} = 0 and X of H + lambda.g.
// H is used as given: what a multiple of g adds to it [Seiler (52)] matters off the manifold.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "rattleback/geometry/hidden_linearisation.hpp"
#include "rattleback/integrators/momentum_projection.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/solve/dense.hpp"

namespace rattleback {

enum class UnderlyingFormulation { dirac, classical, total, impetus };

/// S is double, Quad or a pack: on duals derivatives of a higher order would be needed; see
/// Differenced.
template <class Sys, class S>
class UnderlyingField {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  using Position = Vector<S, N>;
  using Point = State<S, N>;

  /// Throws ModelError for constraints on momenta, and where `total` finds no third derivatives:
  /// these come from expressions, as model files and record() make them.
  UnderlyingField(const Sys& system, UnderlyingFormulation formulation, SolveOptions options = {})
      : formulation_(formulation),
        n_(system.dimension()),
        m_(system.constraint_count()),
        at_(system),
        normal_(m_, m_),
        lu_(std::max(m_, 1)),
        lambda_(m_),
        weight_(m_),
        momenta_(system, options),
        physical_{Position(n_), Position(n_)},
        q_(n_),
        p_(n_),
        f_q_(n_),
        f_p_(n_),
        g_(m_),
        g_q_(m_, n_),
        unused_(m_, n_) {
    if (!system.traits().holonomic)
      throw ModelError("underlying: " + name_of(system) + " has constraints on momenta");
    if (formulation == UnderlyingFormulation::total && m_ > 0) prepare_third(system);
    if (at_.compiled()) bend_.resize(at_.compiled()->slope_places.size());
  }

  Status evaluate(const Sys& system, const Point& z, Position& dq, Position& dp) {
    if (formulation_ == UnderlyingFormulation::impetus && m_ > 0) return impetus(system, z, dq, dp);
    at_.evaluate(system, z);
    for (int i = 0; i < n_; ++i) dq[i] = at_.h_p[i], dp[i] = -at_.h_q[i];
    if (m_ == 0) return {};
    if (Status s = factor_normal(); !s) return s;
    if (formulation_ == UnderlyingFormulation::dirac) {  // X_H + nu X_rho
      copy(at_.rho, weight_);
      lu_.solve(weight_);
      add_transposed(at_.rho_p, weight_, dq);
      subtract_transposed(at_.rho_q, weight_, dp);
    }
    constrain(dq, dp);
    if (formulation_ == UnderlyingFormulation::total) add_multiplier_field(system, z, dq, dp);
    return {};
  }

 private:
  static constexpr int K = 4;
  using Lifted = Dual<S, K>;
  static constexpr Chunk<K> along{0, 1};  ///< one direction
  using Multiplier = Vector<S, M>;

  static std::string name_of(const Sys& system) {
    if constexpr (requires { system.name(); })
      return system.name();
    else
      return "the system";
  }

  /// N_ij = {rho_i, g_j}
  Status factor_normal() {
    at_.normal_matrix(normal_);
    const FactorReport report = lu_.factor([&](int i, int j) { return normal_(i, j); });
    if (!report.ok) return {Outcome::rank_loss, 0, report.smallest_pivot};
    return {};
  }
  /// (dq, dp) + lambda X_g, so that rho stays as it is along it.
  void constrain(const Position& dq, Position& dp) {
    for (int k = 0; k < m_; ++k) {
      S sum = at_.rho_q(k, 0) * dq[0] + at_.rho_p(k, 0) * dp[0];
      for (int i = 1; i < n_; ++i) sum += at_.rho_q(k, i) * dq[i] + at_.rho_p(k, i) * dp[i];
      lambda_[k] = -sum;
    }
    lu_.solve(lambda_);
    subtract_transposed(at_.jacobian, lambda_, dp);
  }

  Status impetus(const Sys& system, const Point& z, Position& dq, Position& dp) {
    copy(z.q, physical_.q), copy(z.p, physical_.p);
    if (Status s = momenta_.project_from_afar(system, physical_); !s) return s;
    system.energy_gradient(physical_.q, physical_.p, dp, dq);
    for (int i = 0; i < n_; ++i) dp[i] = -dp[i];
    const auto& striction = momenta_.mu();
    if (const SparseDerivatives* code = at_.compiled()) {  // which gives G_q H_p
      code->turning(physical_.q.data(), physical_.p.data(), bend_.data(), bend_.data());
      for (std::size_t k = 0; k < bend_.size(); ++k)
        dp[code->slope_places[k].column] += bend_[k] * striction[code->slope_places[k].row];
    } else {
      add_curvature(system, z, striction, dq, dp);
    }
    return {};
  }

  /// g X_lambda, to be added to the classical field X_K, K = H + lambda.g with lambda constant.
  /// With w = N^-1 g:  g.d lambda = -dF,  F = {Psi, K}, Psi = w.rho, w and lambda constant, and
  ///   dF = D^2 Psi X_K + (D X_K)^T d Psi
  void add_multiplier_field(const Sys& system, const Point& z, Position& dq, Position& dp) {
    copy(at_.g, weight_);
    lu_.solve(weight_);
    bend_hidden(system, z, dq, dp);
    Position &a = physical_.q, &b = physical_.p;  // (-Psi_p, Psi_q)
    a.setConstant(S(0)), b.setConstant(S(0));
    subtract_transposed(at_.rho_p, weight_, a);
    add_transposed(at_.rho_q, weight_, b);
    seed(z, a, b);
    system.energy_gradient(q_, p_, f_q_, f_p_);  // H_zz (a, b)
    for (int i = 0; i < n_; ++i) {
      bent_[i] += f_q_[i].partials[0];
      bent_[n_ + i] += f_p_[i].partials[0];
    }
    add_curvature(system, z, lambda_, a, bent_);
    for (int i = 0; i < n_; ++i) {
      dq[i] -= bent_[n_ + i];
      dp[i] += bent_[i];
    }
  }

  void seed(const Point& z, const Position& a, const Position& b) {
    along.seed_along(
        z.q, [&](int, int i) { return a[i]; }, q_);
    along.seed_along(
        z.p, [&](int, int i) { return b[i]; }, p_);
  }
  /// out += (w.g)_qq d
  template <class Out>
  void add_curvature(const Sys& system, const Point& z, const Multiplier& w, const Position& d,
                     Out& out) {
    seed(z, d, d);
    system.linearise(q_, p_, g_, g_q_, unused_);
    for (int k = 0; k < m_; ++k)
      for (int i = 0; i < n_; ++i) out[i] += g_q_(k, i).partials[0] * w[k];
  }

  void prepare_third(const Sys& system) {
    if (!at_.compiled())
      throw ModelError("underlying: formulation=total needs third derivatives, which " +
                       name_of(system) +
                       " does not give: write it as a model file, or record() it");
    bent_.resize(2 * n_), sum_.resize(2 * n_), force_.resize(n_);
    hessian_.resize(at_.compiled()->hessian_places.size());
    turning_.resize(at_.compiled()->slope_places.size());
  }
  /// bent_ = D^2 Psi (dq, dp): the derivative of (Psi_q, Psi_p) along the field.
  void bend_hidden(const Sys& system, const Point& z, const Position& dq, const Position& dp) {
    seed(z, dq, dp);
    const SparseDerivatives& code = *at_.compiled();
    system.linearise(q_, p_, g_, g_q_, unused_);
    code.hessian(q_.data(), p_.data(), hessian_.data(), hessian_.data());
    code.turning(q_.data(), p_.data(), turning_.data(), turning_.data());
    for (Lifted& x : sum_) x = Lifted(0.0);
    for (int i = 0; i < n_; ++i) {
      force_[i] = g_q_(0, i) * weight_[0];
      for (int k = 1; k < m_; ++k) force_[i] += g_q_(k, i) * weight_[k];
    }
    // H_zp G^T w from the lower half of H_zz, and w.(G_q H_p)
    for (std::size_t k = 0; k < hessian_.size(); ++k) {
      const auto [row, column] = code.hessian_places[k];
      if (column >= n_) sum_[row] += hessian_[k] * force_[column - n_];
      if (row >= n_ && row != column) sum_[column] += hessian_[k] * force_[row - n_];
    }
    for (std::size_t k = 0; k < turning_.size(); ++k) {
      const auto [row, column] = code.slope_places[k];
      sum_[column] += turning_[k] * weight_[row];
    }
    for (int i = 0; i < 2 * n_; ++i) bent_[i] = sum_[i].partials[0];
  }

  UnderlyingFormulation formulation_;
  int n_, m_;
  HiddenLinearisation<Sys, S> at_;
  Matrix<S, M> normal_;
  DenseLu<S, M == 0 ? 1 : M> lu_;
  Multiplier lambda_, weight_;
  MomentumProjection<Sys, S> momenta_;
  Point physical_;  ///< with the momentum of an impetus
  Vector<Lifted, N> q_, p_, f_q_, f_p_;
  Vector<Lifted, M> g_;
  Matrix<Lifted, M, N> g_q_, unused_;
  std::vector<S> bend_;                                  ///< of `impetus`
  std::vector<Lifted> hessian_, turning_, sum_, force_;  ///< of `total`
  Vector<S, dynamic> bent_;
};

}  // namespace rattleback

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

#include <memory>
#include <vector>

#include "rattleback/expression/sparse_derivatives.hpp"
#include "rattleback/integrators/eliminated_field.hpp"
#include "rattleback/integrators/momentum_projection.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {

enum class Formulation { dirac, classical, total, impetus };

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
  UnderlyingField(const Sys& system, Formulation formulation, SolveOptions options = {})
      : formulation_(formulation),
        n_(system.dimension()),
        m_(system.constraint_count()),
        eliminated_(system),
        momenta_(system, options),
        physical_{Position(n_), Position(n_)},
        weight_(m_),
        psi_q_(n_),
        psi_p_(n_),
        q_(n_),
        p_(n_),
        f_q_(n_),
        f_p_(n_),
        g_(m_),
        g_q_(m_, n_),
        unused_(m_, n_) {
    if (!system.traits().holonomic)
      throw ModelError("underlying: " + name_of(system) + " has constraints on momenta");
    if (formulation == Formulation::total && m_ > 0) prepare_third(system);
  }

  Status evaluate(const Sys& system, const Point& z, Position& dq, Position& dp) {
    if (m_ == 0) return eliminated_.evaluate(system, z, dq, dp);
    switch (formulation_) {
      case Formulation::classical:
        return eliminated_.evaluate(system, z, dq, dp);
      case Formulation::dirac:
        return dirac(system, z, dq, dp);
      case Formulation::total:
        return total(system, z, dq, dp);
      case Formulation::impetus:
        return impetus(system, z, dq, dp);
    }
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

  Status dirac(const Sys& system, const Point& z, Position& dq, Position& dp) {
    if (Status s = eliminated_.factor_normal(system, z); !s) return s;
    for (int k = 0; k < m_; ++k) weight_[k] = eliminated_.rho(k);
    eliminated_.solve(weight_);
    hidden_gradient(system, z);
    for (int i = 0; i < n_; ++i) {
      dq[i] = eliminated_.h_p()[i] + psi_p_[i];
      dp[i] = -eliminated_.h_q()[i] - psi_q_[i];
    }
    eliminated_.constrain(system, z, dq, dp);
    return {};
  }

  Status impetus(const Sys& system, const Point& z, Position& dq, Position& dp) {
    copy(z.q, physical_.q), copy(z.p, physical_.p);
    if (Status s = momenta_.project_from_afar(system, physical_); !s) return s;
    system.energy_gradient(physical_.q, physical_.p, dp, dq);
    for (int i = 0; i < n_; ++i) dp[i] = -dp[i];
    add_curvature(system, z, momenta_.mu(), dq, dp);
    return {};
  }

  /// X of H + lambda.g is K = X_H + lambda X_g, as in the classical equations, and g X_lambda. With
  /// w = N^-1 g:  g.d lambda = -dF,  F = {w.rho, K}, where w and lambda are held constant.
  Status total(const Sys& system, const Point& z, Position& dq, Position& dp) {
    if (Status s = eliminated_.evaluate(system, z, dq, dp); !s) return s;
    for (int k = 0; k < m_; ++k) weight_[k] = eliminated_.g()[k];
    eliminated_.solve(weight_);
    hidden_gradient(system, z);
    // dF = D^2 Psi K + DK^T d Psi,  Psi = w.rho
    bend_hidden(system, z, dq, dp);
    for (int i = 0; i < n_; ++i) psi_p_[i] = -psi_p_[i];
    turn_energy(system, z, psi_p_, psi_q_);  // H_zz (-Psi_p, Psi_q)
    for (int k = 0; k < m_; ++k) weight_[k] = eliminated_.multiplier(k);
    for (int i = 0; i < n_; ++i) {
      bent_[i] += f_q_[i].partials[0];
      bent_[n_ + i] += f_p_[i].partials[0];
    }
    add_curvature(system, z, weight_, psi_p_, bent_);
    for (int i = 0; i < n_; ++i) {
      dq[i] -= bent_[n_ + i];
      dp[i] += bent_[i];
    }
    return {};
  }

  /// Psi_q and Psi_p of Psi = sum_k w_k rho_k = w.G H_p, w = weight_:
  ///   Psi_q = (w.g)_qq H_p + H_qp G^T w,   Psi_p = H_pp G^T w
  void hidden_gradient(const Sys& system, const Point& z) {
    psi_q_.setConstant(S(0)), psi_p_.setConstant(S(0));
    add_transposed(eliminated_.g_q(), weight_, psi_q_);
    turn_energy(system, z, psi_p_, psi_q_);
    for (int i = 0; i < n_; ++i) psi_q_[i] = f_q_[i].partials[0], psi_p_[i] = f_p_[i].partials[0];
    add_curvature(system, z, weight_, eliminated_.h_p(), psi_q_);
  }
  /// H_zz (a, b), as partial 0 of f_q_ and f_p_.
  void turn_energy(const Sys& system, const Point& z, const Position& a, const Position& b) {
    along.seed_along(
        z.q, [&](int, int i) { return a[i]; }, q_);
    along.seed_along(
        z.p, [&](int, int i) { return b[i]; }, p_);
    system.energy_gradient(q_, p_, f_q_, f_p_);
  }
  /// out += (w.g)_qq d
  template <class Out>
  void add_curvature(const Sys& system, const Point& z, const Multiplier& w, const Position& d,
                     Out& out) {
    along.seed_along(
        z.q, [&](int, int i) { return d[i]; }, q_);
    system.linearise(q_, q_, g_, g_q_, unused_);
    for (int k = 0; k < m_; ++k)
      for (int i = 0; i < n_; ++i) out[i] += g_q_(k, i).partials[0] * w[k];
  }

  void prepare_third(const Sys& system) {
    if constexpr (std::is_same_v<Sys, AnySystem>)
      third_ = ScalarTraits<S>::lanes > 1 ? packed_derivatives(system) : sparse_derivatives(system);
    if (!third_)
      throw ModelError("underlying: formulation=total needs third derivatives, which " +
                       name_of(system) +
                       " does not give: write it as a model file, or record() it");
    bent_.resize(2 * n_), sum_.resize(2 * n_), force_.resize(n_);
    hessian_.resize(third_->hessian_places.size());
    turning_.resize(third_->slope_places.size());
  }
  /// bent_ = D^2 Psi (dq, dp): the derivative of what hidden_gradient() is, along the field.
  void bend_hidden(const Sys& system, const Point& z, const Position& dq, const Position& dp) {
    along.seed_along(
        z.q, [&](int, int i) { return dq[i]; }, q_);
    along.seed_along(
        z.p, [&](int, int i) { return dp[i]; }, p_);
    system.linearise(q_, p_, g_, g_q_, unused_);
    third_->hessian(q_.data(), p_.data(), hessian_.data(), hessian_.data());
    third_->turning(q_.data(), p_.data(), turning_.data(), turning_.data());
    for (Lifted& x : sum_) x = Lifted(0.0);
    for (int i = 0; i < n_; ++i) {
      force_[i] = g_q_(0, i) * weight_[0];
      for (int k = 1; k < m_; ++k) force_[i] += g_q_(k, i) * weight_[k];
    }
    // H_zp G^T w from the lower half of H_zz, and w.(G_q H_p)
    for (std::size_t k = 0; k < hessian_.size(); ++k) {
      const auto [row, column] = third_->hessian_places[k];
      if (column >= n_) sum_[row] += hessian_[k] * force_[column - n_];
      if (row >= n_ && row != column) sum_[column] += hessian_[k] * force_[row - n_];
    }
    for (std::size_t k = 0; k < turning_.size(); ++k) {
      const auto [row, column] = third_->slope_places[k];
      sum_[column] += turning_[k] * weight_[row];
    }
    for (int i = 0; i < 2 * n_; ++i) bent_[i] = sum_[i].partials[0];
  }

  Formulation formulation_;
  int n_, m_;
  EliminatedField<Sys, S> eliminated_;
  MomentumProjection<Sys, S> momenta_;
  Point physical_;  ///< the momentum of an impetus
  Multiplier weight_;
  Position psi_q_, psi_p_;
  Vector<Lifted, N> q_, p_, f_q_, f_p_;
  Vector<Lifted, M> g_;
  Matrix<Lifted, M, N> g_q_, unused_;
  std::shared_ptr<const SparseDerivatives> third_;  ///< of `total`, and its room:
  std::vector<Lifted> hessian_, turning_, sum_, force_;
  Vector<S, dynamic> bent_;
};

}  // namespace rattleback

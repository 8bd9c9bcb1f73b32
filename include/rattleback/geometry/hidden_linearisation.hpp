// H_q, H_p, g, G and the hidden constraint rho = {g,H} = G H_p with its gradient at a point, for
// constraints on positions:
//   rho_q = (G_q H_p) + G H_pq,   rho_p = G H_pp
// from the compiled derivatives of systems made of expressions, else by dual numbers.
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include "rattleback/expression/sparse_derivatives.hpp"
#include "rattleback/geometry/hidden_constraint.hpp"

namespace rattleback {

/// The compiled derivatives that belong to a scalar; null where there are none.
template <class S, class Sys>
std::shared_ptr<const SparseDerivatives> compiled_derivatives(const Sys& system) {
  if constexpr (!std::is_same_v<Sys, AnySystem>)
    return nullptr;
  else
    return ScalarTraits<S>::lanes > 1 ? packed_derivatives(system) : sparse_derivatives(system);
}

template <class Sys, class S>
class HiddenLinearisation {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  static_assert(!is_dual<S>, "takes second derivatives itself");

  explicit HiddenLinearisation(const Sys& system)
      : h_q(system.dimension()),
        h_p(system.dimension()),
        g(system.constraint_count()),
        rho(system.constraint_count()),
        jacobian(system.constraint_count(), system.dimension()),
        rho_q(jacobian),
        rho_p(jacobian),
        n_(system.dimension()),
        m_(system.constraint_count()),
        unused_(jacobian),
        compiled_(compiled_derivatives<S>(system)),
        hidden_(system),
        q_(n_),
        p_(n_),
        lifted_(m_) {
    if (!compiled_) return;
    hessian_.resize(compiled_->hessian_places.size());
    turning_.resize(compiled_->slope_places.size());
  }

  void evaluate(const Sys& system, const State<S, N>& z) {
    system.energy_gradient(z.q, z.p, h_q, h_p);
    if (m_ == 0) return;
    system.linearise(z.q, z.p, g, jacobian, unused_);
    multiply(jacobian, h_p, rho);
    if (compiled_)
      from_code(z);
    else
      by_duals(system, z);
  }
  /// N = {rho, g} = -rho_p G^T, through the nonzeros of G where they are known.
  template <class Square>
  void normal_matrix(Square& out) const {
    out.setConstant(S(0));
    const auto add = [&](int j, int l) {
      for (int i = 0; i < m_; ++i) out(i, j) -= rho_p(i, l) * jacobian(j, l);
    };
    if (compiled_) {
      for (const auto& [row, column] : compiled_->slope_places) add(row, column);
    } else {
      for (int l = 0; l < n_; ++l)
        for (int j = 0; j < m_; ++j) add(j, l);
    }
  }
  const SparseDerivatives* compiled() const { return compiled_.get(); }

  Vector<S, N> h_q, h_p;
  Vector<S, M> g, rho;
  Matrix<S, M, N> jacobian, rho_q, rho_p;

 private:
  static constexpr int K = std::is_same_v<Sys, AnySystem> ? 4 : chunk_for<twice<N>>;

  void from_code(const State<S, N>& z) {
    compiled_->hessian(z.q.data(), z.p.data(), hessian_.data(), hessian_.data());
    compiled_->turning(z.q.data(), z.p.data(), turning_.data(), turning_.data());
    rho_q.setConstant(S(0)), rho_p.setConstant(S(0));
    for (std::size_t k = 0; k < turning_.size(); ++k)
      rho_q(compiled_->slope_places[k].row, compiled_->slope_places[k].column) = turning_[k];
    for (std::size_t k = 0; k < hessian_.size(); ++k) {  // of the lower half
      const auto [row, column] = compiled_->hessian_places[k];
      if (row < n_) continue;
      for (int i = 0; i < m_; ++i) {
        if (column < n_) {
          rho_q(i, column) += jacobian(i, row - n_) * hessian_[k];
        } else {
          rho_p(i, column - n_) += jacobian(i, row - n_) * hessian_[k];
          if (row != column) rho_p(i, row - n_) += jacobian(i, column - n_) * hessian_[k];
        }
      }
    }
  }
  void by_duals(const Sys& system, const State<S, N>& z) {
    sweep<K>(2 * n_, [&](const auto& chunk) {
      chunk.seed(z.q, q_);
      chunk.seed(z.p, p_, n_);
      hidden_.evaluate(system, q_, p_, lifted_);
      chunk.read(lifted_,
                 [&](int i, int j) -> S& { return j < n_ ? rho_q(i, j) : rho_p(i, j - n_); });
    });
  }

  int n_, m_;
  Matrix<S, M, N> unused_;
  std::shared_ptr<const SparseDerivatives> compiled_;
  std::vector<S> hessian_, turning_;
  HiddenConstraint<Sys, Dual<S, K>> hidden_;
  Vector<Dual<S, K>, N> q_, p_;
  Vector<Dual<S, K>, M> lifted_;
};

}  // namespace rattleback

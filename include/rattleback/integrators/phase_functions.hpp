// H and g of a run-time system with their fields on phase space, by the nonzeros of g_z.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "rattleback/integrators/step_matrix.hpp"
#include "rattleback/problem/any_system.hpp"

namespace rattleback {

/// The functions of a system at a point of phase space, in one array: z = (q, p).
template <class S>
class PhaseFunctions {
 public:
  using Values = Vector<S, dynamic>;

  PhaseFunctions(std::shared_ptr<const StepPattern> pattern,
                 std::shared_ptr<const SparseDerivatives> derivatives)
      : pattern_(std::move(pattern)),
        derivatives_(std::move(derivatives)),
        n_(pattern_->dimension()),
        q_(n_),
        p_(n_),
        h_q_(n_),
        h_p_(n_),
        g_(pattern_->constraints()),
        slopes_(derivatives_->slope_places.size()),
        base_q_(n_),
        base_p_(n_),
        base_g_(pattern_->constraints()) {}

  /// out = X_H(z)
  void flow_field(const AnySystem& system, const Values& z, Values& out) {
    split(z);
    system.energy_gradient(q_, p_, h_q_, h_p_);
    for (int i = 0; i < n_; ++i) out[i] = h_p_[i], out[n_ + i] = -h_q_[i];
  }
  void constraint(const AnySystem& system, const Values& z, Values& g) {
    split(z);
    system.constraint(q_, p_, g);
  }
  S energy(const AnySystem& system, const Values& z) {
    split(z);
    return system.energy(q_, p_);
  }
  /// g_z at z; out = sum_i lambda_i X_gi(z)
  void fibre_field(const Values& lambda, const Values& z, Values& out) {
    linearise(z);
    out.setConstant(S(0));
    for (int i = 0; i < pattern_->constraints(); ++i)
      for (const auto& e : pattern_->slopes(i))
        out[pattern_->conjugate(e.column)] +=
            slopes_[e.value] * lambda[i] * Real<S>(pattern_->sign(e.column));
  }
  void linearise(const Values& z) {
    split(z);
    derivatives_->linearise(q_.data(), p_.data(), g_.data(), slopes_.data());
  }
  /// {g, H}, with the size of its largest sum of absolute terms.
  double hidden(const AnySystem& system, const Values& z, Values& rho) {
    linearise(z);
    system.energy_gradient(q_, p_, h_q_, h_p_);
    double largest = 0;
    for (int i = 0; i < pattern_->constraints(); ++i) {
      S sum(0);
      double size = 0;
      for (const auto& e : pattern_->slopes(i)) {
        const S term = e.column < n_ ? S(slopes_[e.value] * h_p_[e.column])
                                     : S(-slopes_[e.value] * h_q_[e.column - n_]);
        sum += term;
        size += magnitude(term);
      }
      rho[i] = sum;
      largest = larger(largest, size);
    }
    return largest;
  }
  /// Of the last point linearised at.
  const Values& slopes() const { return slopes_; }

  /// The derivatives that matrices consist of, at the base values of a point.
  void hessian(const Values& z, std::vector<Base<S>>& out) {
    take_base(z);
    derivatives_->hessian(base_q_.data(), base_p_.data(), out.data(), out.data());
  }
  void slopes(const Values& z, std::vector<Base<S>>& out) {
    take_base(z);
    derivatives_->linearise(base_q_.data(), base_p_.data(), base_g_.data(), out.data());
  }
  void turning(const Values& z, std::vector<Base<S>>& out) {
    take_base(z);
    derivatives_->turning(base_q_.data(), base_p_.data(), out.data(), out.data());
  }

 private:
  void take_base(const Values& z) {
    for (int i = 0; i < n_; ++i) base_q_[i] = base(z[i]), base_p_[i] = base(z[n_ + i]);
  }
  void split(const Values& z) {
    for (int i = 0; i < n_; ++i) q_[i] = z[i], p_[i] = z[n_ + i];
  }

  std::shared_ptr<const StepPattern> pattern_;
  std::shared_ptr<const SparseDerivatives> derivatives_;
  int n_;
  Values q_, p_, h_q_, h_p_, g_, slopes_;
  Vector<Base<S>, dynamic> base_q_, base_p_, base_g_;
};

}  // namespace rattleback

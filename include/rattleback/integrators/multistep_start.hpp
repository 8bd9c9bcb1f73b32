// The bodies of MultistepStepper outside of its loop: how the memory begins, and what is shown.
#pragma once

#include "rattleback/integrators/multistep.hpp"

namespace rattleback {

template <class Sys, class S, class K>
[[gnu::noinline]] Status MultistepStepper<Sys, S, K>::show(const Sys& system, Point& z) {
  memory_.show(work_.front, z_.q, v_q_);
  scale(R(R(1) / h_), v_q_);
  inertia_.momentum(v_q_, z_.p);
  if (const Status s = rattle_.project(system, z_); !s) return s;
  ++projected_;
  copy(z_.q, z.q), copy(z_.p, z.p);
  copy(memory_.shown_multiplier(), shown_lambda_);
  scale(R(R(0.5) / h_), shown_lambda_);
  return {};
}

template <class Sys, class S, class K>
[[gnu::noinline]] Status MultistepStepper<Sys, S, K>::begin(const Sys& system, const Point& z,
                                                            const R& h) {
  started_ = stepped_ = fresh_ = false;
  h_ = h;
  memory_.clear();
  const int half = memory_.coefficients().order / 2;
  for (const int side : {-1, 1}) {
    copy(z.q, z_.q), copy(z.p, z_.p);
    rattle_.reset();
    for (int j = side > 0 ? 0 : 1; j < (side > 0 ? half + 1 : half); ++j) {
      if (j > 0)
        if (Status s = compose(system, R(side * h)); !s) return s;
      memory_.place(side * j, z_.q);
      if (Status s = drive_at_start(system, side * j); !s) return s;
    }
  }
  memory_.difference(work_.front);
  started_ = true;
  return {};
}

template <class Sys, class S, class K>
Status MultistepStepper<Sys, S, K>::compose(const Sys& system, const R& h) {
  for (std::size_t k = 0; k < substeps_.size(); ++k) {
    rattle_.select(k);
    const bool last = k + 1 == substeps_.size();
    if (Status s = rattle_.step(system, z_, R(h * substeps_[k]), last); !s) return s;
  }
  return {};
}

/// G M^-1 G^T lambda = g_qq(v, v) - G M^-1 V_q at z_.
template <class Sys, class S, class K>
Status MultistepStepper<Sys, S, K>::drive_at_start(const Sys& system, int j) {
  Multiplier& lambda = memory_.multiplier(j);
  curvature(system, lambda);
  kernel_.linearise(system, z_.q, work_.g, work_.jacobian);
  if (FactorReport f = kernel_.factor(system, work_.jacobian); !f.ok)
    return {Outcome::rank_loss, 0, f.smallest_pivot};
  system.potential_gradient(z_.q, v_q_);
  kernel_.hidden(system, work_.jacobian, v_q_, work_.g);
  subtract_scaled(R(1), work_.g, lambda);
  copy(lambda, work_.g);
  kernel_.solve(lambda);
  if constexpr (ScalarTraits<S>::is_dual) refine(system, lambda);
  scale(R(h_ * h_), lambda);
  system.velocity(v_q_, work_.w);
  scale(R(-h_ * h_), work_.w);
  kernel_.shift(system, work_.jacobian, lambda, true, work_.w, work_.g);
  memory_.drive(j, work_.w);
  return {};
}

/// The matrix is made of base values; solved once more, the partial derivatives are exact too. g is
/// the right side.
template <class Sys, class S, class K>
void MultistepStepper<Sys, S, K>::refine(const Sys& system, Multiplier& lambda) {
  for (Eigen::Index i = 0; i < work_.w.size(); ++i) work_.w[i] = S(0);
  kernel_.kick(work_.jacobian, lambda, work_.w);
  kernel_.hidden(system, work_.jacobian, work_.w, work_.lambda);
  add_scaled(R(1), work_.lambda, work_.g);
  kernel_.solve(work_.g);
  add_scaled(R(1), work_.g, lambda);
}

/// g_qq(v, v) at z_
template <class Sys, class S, class K>
void MultistepStepper<Sys, S, K>::curvature(const Sys& system, Multiplier& out) {
  const auto& c = memory_.coefficients();
  system.velocity(z_.p, work_.w);
  for (int i = 1; i <= c.order / 2; ++i)
    for (const int side : {-1, 1}) {
      copy(z_.q, work_.q);
      add_scaled(R(R(side * i) * h_), work_.w, work_.q);
      kernel_.linearise(system, work_.q, work_.g, work_.next);
      kernel_.hidden(system, work_.next, z_.p, work_.g);
      const R weight = c.derivative[i - 1] * R(side) / h_;
      for (Eigen::Index k = 0; k < out.size(); ++k)
        out[k] = i == 1 && side < 0 ? S(work_.g[k] * weight) : S(out[k] + work_.g[k] * weight);
    }
}

}  // namespace rattleback

// What kernels that serve multistep methods in passes of their own have more than others, and its
// laws (kernel_laws.hpp):
//   reach        q_1 = far + (near + beta w) with w = -W (hh V_q + G^T lambda), which follow gives,
//                g(q_1) and G_1, |g| <= floor
//   between      factor_between, then solve_between: x of (G_1 W G^T) x = b
//   left_over    with b = g(q_1): |g(q_1 - W G^T x)| <= left_over |x|^2
//   curvature    g_qq(v, v)
#pragma once

#include "rattleback/problem/dual.hpp"
#include "rattleback/testing/kernel_laws.hpp"

namespace rattleback::testing {

template <class K, class S, class Own, class Sys>
void KernelLaws<K, S, Own, Sys>::multistep() {
  kernel_.linearise(own_, z_.q, w_.g, w_.jacobian);
  if constexpr (requires(const Reach<S, K::N>& to, typename K::Floor floor) {
                  kernel_.reach(own_, w_.jacobian, w_.lambda, to, floor, w_.q, w_.g, w_.next);
                })
    reach();
  if constexpr (requires { kernel_.factor_between(own_, w_.jacobian, w_.next); }) between();
  if constexpr (requires { kernel_.left_over(own_, w_.jacobian); }) left_over();
  if constexpr (requires { kernel_.curvature(own_, w_.p, w_.mu); }) curvature();
}

template <class K, class S, class Own, class Sys>
void KernelLaws<K, S, Own, Sys>::reach() {
  ++result_.multistep_verbs;
  typename K::Position v_q(n_), far(n_), near(n_);
  for (int i = 0; i < n_; ++i) {
    v_q[i] = probe(i), near[i] = S(probe(i + 2) * h_);
    far[i] = S(z_.q[i] + probe(i + 1) * h_);
  }
  for (int k = 0; k < m_; ++k) w_.lambda[k] = probe(k);
  const Reach<S, K::N> to{v_q, far, near, Real<S>(2), h_};
  auto floor = K::floor(own_);
  for (double relative = 1; relative > 1e-9; relative /= 2) {  // from above |g| to below
    kernel_.measure(z_.q, w_.jacobian, relative, floor);
    const bool settled =
        kernel_.reach(own_, w_.jacobian, w_.lambda, to, floor, w_.q, w_.g, w_.next);
    result_.settled = result_.settled && settled == K::within_floor(w_.g, floor, 1);
  }
  Column pushed(n_);
  own_.velocity(v_q, pushed);
  const Column drive = pushed * S(-2) - w0_ * w_.lambda;
  kernel_.follow(own_, w_.jacobian, w_.lambda, to, w_.p);
  raise(result_.reach, relative(w_.p, drive));
  raise(result_.reach, relative(w_.q, far + near + drive * h_));
  Column g1(m_);
  Full j1(m_, n_);
  full(w_.q, g1, j1);
  raise(result_.reach, relative(w_.g, g1, largest_magnitude(j1) * largest_magnitude(w_.q)));
  w_.p.setConstant(S(0));
  kernel_.kick(w_.next, w_.lambda, w_.p);
  raise(result_.reach, relative(-w_.p, j1.transpose() * w_.lambda));
}

template <class K, class S, class Own, class Sys>
void KernelLaws<K, S, Own, Sys>::factor_away(double distance) {
  for (int i = 0; i < n_; ++i) w_.q[i] = S(z_.q[i] + probe(i + 1) * S(distance));
  kernel_.linearise(own_, w_.q, w_.g, w_.next);
  if (!kernel_.factor_between(own_, w_.jacobian, w_.next).ok)
    result_.failure = "factor_between says that G has lost its rank";
}

template <class K, class S, class Own, class Sys>
void KernelLaws<K, S, Own, Sys>::between() {
  ++result_.multistep_verbs;
  factor_away(magnitude(h_));
  Column g1(m_);
  Full j1(m_, n_);
  full(w_.q, g1, j1);
  for (int k = 0; k < m_; ++k) w_.mu[k] = probe(k);
  const Column b = w_.mu;
  kernel_.solve_between(w_.mu);
  raise(result_.between, relative(times_gram(j1, w_.mu), b, largest_magnitude(w_.mu)));
}

template <class K, class S, class Own, class Sys>
void KernelLaws<K, S, Own, Sys>::left_over() {
  ++result_.multistep_verbs;
  const double most = kernel_.left_over(own_, w_.jacobian);
  for (const double distance : {1e-2, 1e-3, 1e-4}) {
    factor_away(distance);
    kernel_.solve_between(w_.g);
    const double size = largest_magnitude(w_.g);
    w_.q -= w0_ * w_.g;
    kernel_.linearise(own_, w_.q, w_.g, w_.next);
    raise(result_.left_over, largest_magnitude(w_.g) / (most * size * size));
  }
}

template <class K, class S, class Own, class Sys>
void KernelLaws<K, S, Own, Sys>::curvature() {
  ++result_.multistep_verbs;
  using Lifted = Dual<S, 4>;
  PositionOf<Sys, Lifted> x(n_);
  for (int i = 0; i < n_; ++i) {
    w_.p[i] = probe(i);
    x[i] = Lifted(z_.q[i]);
    x[i].partials[0] = w_.p[i];
  }
  MultiplierOf<Sys, Lifted> value(m_);
  JacobianOf<Sys, Lifted> slope(m_, n_), unused(m_, n_);
  system_.linearise(x, x, value, slope, unused);
  Column bend = Column::Constant(m_, S(0));
  for (int k = 0; k < m_; ++k)
    for (int i = 0; i < n_; ++i) bend[k] += slope(k, i).partials[0] * w_.p[i];
  kernel_.curvature(own_, w_.p, w_.mu);
  raise(result_.curvature, relative(w_.mu, bend));
}

}  // namespace rattleback::testing

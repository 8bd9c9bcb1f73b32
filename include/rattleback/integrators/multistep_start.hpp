// The bodies of MultistepStepper outside of its loop: how the memory begins, and what is shown.
#pragma once

#include "rattleback/integrators/multistep.hpp"

namespace rattleback {

/// Runs find their start to this part of the highest difference of its drives.
inline constexpr double start_accuracy = 1e-6;

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
  const Status found = collocate(system, z);
  sweeps_ = found ? found.iterations : 0;
  if (!found)
    if (Status s = begin_by_composition(system, z); !s) return s;
  memory_.difference(work_.front);
  started_ = true;
  return {};
}

/// The polynomial W through w_j = h^2 q''(q_j, v_j) at nodes about the start, with q_j, v_j its own
/// sums. Nodes join from the inside, each sweep with one more on either side, as W has become a
/// polynomial of two degrees more; sweeps contract faster and faster. They end when the next would
/// change less than round-off, in runs than what W leaves out anyway, or near round-off nothing
/// shrinks any more: whether it is reached must not decide between two kinds of start.
template <class Sys, class S, class K>
Status MultistepStepper<Sys, S, K>::collocate(const Sys& system, const Point& z) {
  const int half = weights_.half;
  system.velocity(z.p, hv_);
  scale(h_, hv_);
  copy(z.q, z_.q), copy(z.p, z_.p);
  if (Status s = drive_at_start(system, at_nodes_[half]); !s) return s;
  for (Position& w : nodes_) copy(work_.w, w);
  const double floor = 4 * epsilon<S> * extent(work_.w);
  double last = std::numeric_limits<double>::infinity(), change = 0, enough = floor;
  constexpr int most = 40;
  constexpr bool is_run = std::is_same_v<Base<S>, S> && std::is_same_v<R, double>;
  for (int k = 1; k <= most; ++k, last = change) {
    const int reach = std::min(k, half);
    if (Status s = sweep(system, z, reach, change); !s) return s;
    if (k < half) {
      spread(reach);
      continue;
    }
    if (is_run && k == half) enough = std::max(floor, start_accuracy * roughness());
    const bool stands = k > half + 1 && change > last;
    const bool next_below = k > half && change * change <= enough * last;
    if (change <= enough || next_below || (stands && change <= options_.band * floor)) {
      const Status placed = place(system, z);
      return placed ? Status{Outcome::ok, k} : placed;
    }
    if (!(change < threshold::residual_overflow) || stands) break;
  }
  return {Outcome::no_convergence, most, change};
}

/// w <- h^2 q'' at nodes up to reach, two by two from the inside; change is the largest of all.
template <class Sys, class S, class K>
Status MultistepStepper<Sys, S, K>::sweep(const Sys& system, const Point& z, int reach,
                                          double& change) {
  change = 0;
  const auto renew = [&](Position& old, const Position& w) {
    subtract_scaled(R(1), w, old);
    change = larger(change, extent(old));
    copy(w, old);
  };
  for (int j = 1; j <= reach; ++j) {
    const int left = weights_.half - j, right = weights_.half + j;
    locate(z, -j);
    if (Status s = drive_at_start(system, at_nodes_[left]); !s) return s;
    copy(work_.w, left_);  // both from the same others: backwards it is the same
    locate(z, j);
    if (Status s = drive_at_start(system, at_nodes_[right]); !s) return s;
    renew(nodes_[left], left_), renew(nodes_[right], work_.w);
  }
  return {};
}

/// z_ at node j: q = q_0 + j h v_0 + sum twice w,   h v = h v_0 + sum once w
template <class Sys, class S, class K>
void MultistepStepper<Sys, S, K>::locate(const Point& z, int j) {
  constexpr int most = StartWeights<R>::most;
  const auto once = weights_.once[j + weights_.half], twice = weights_.twice[j + weights_.half];
  const S* w[most];
  for (int k = 0; k < most; ++k)  // those beyond the last have no weight
    w[k] = nodes_[std::min<std::size_t>(k, nodes_.size() - 1)].data();
  const S *hv = hv_.data(), *q0 = z.q.data();
  S *v = v_q_.data(), *q = z_.q.data();
  const R rate = R(1) / h_, way(j);
  const Eigen::Index n = hv_.size();
  RATTLEBACK_INDEPENDENT
  for (Eigen::Index i = 0; i < n; ++i) {
    S gained = w[0][i] * once[0], moved = w[0][i] * twice[0];
#pragma GCC unroll 8
    for (int k = 1; k < most; ++k) gained += w[k][i] * once[k], moved += w[k][i] * twice[k];
    v[i] = (hv[i] + gained) * rate;
    q[i] = q0[i] + (hv[i] * way + moved);
  }
  inertia_.momentum(v_q_, z_.p);
}

/// w beyond reach, by the polynomial through the nodes within.
template <class Sys, class S, class K>
void MultistepStepper<Sys, S, K>::spread(int reach) {
  const int half = weights_.half, degree = 2 * reach;
  for (int j = reach + 1; j <= half; ++j)
    for (const int side : {-1, 1}) {
      Position& w = nodes_[half + side * j];
      R binomial = -1;
      for (int i = 1; i <= degree + 1; ++i) {
        binomial *= -R(degree + 2 - i) / R(i);
        if (i == 1) scale(R(0), w);
        add_scaled(binomial, nodes_[half + side * (j - i)], w);
      }
    }
}

/// The largest of the highest difference of w.
template <class Sys, class S, class K>
double MultistepStepper<Sys, S, K>::roughness() {
  const int degree = 2 * weights_.half;
  copy(nodes_[0], work_.w);
  R binomial = 1;
  for (int i = 1; i <= degree; ++i) {
    binomial *= -R(degree + 1 - i) / R(i);
    add_scaled(binomial, nodes_[i], work_.w);
  }
  return extent(work_.w);
}

/// What was found becomes the memory, on g = 0, and drives those of the positions there: backwards
/// a step finds the same multipliers again.
template <class Sys, class S, class K>
Status MultistepStepper<Sys, S, K>::place(const Sys& system, const Point& z) {
  const int half = weights_.half;
  for (int j = 1 - half; j <= half; ++j) {
    locate(z, j);
    if (j == 0) copy(z.q, z_.q);
    if (j != 0)
      if (Status s = project_position(system); !s) return s;
    kernel_.linearise(system, z_.q, work_.g, work_.next);
    const Multiplier& lambda = at_nodes_[half + j];
    system.potential_gradient(z_.q, v_q_);  // h^2 (f - G^T lambda)
    scale(R(-h_ * h_), v_q_);
    kernel_.kick(work_.next, lambda, v_q_);
    system.velocity(v_q_, work_.w);
    memory_.place(j, z_.q), memory_.drive(j, work_.w);
    copy(lambda, memory_.multiplier(j));
  }
  return {};
}

/// z_.q to g = 0 along M^-1 G^T
template <class Sys, class S, class K>
Status MultistepStepper<Sys, S, K>::project_position(const Sys& system) {
  copy(z_.q, work_.q);
  kernel_.linearise(system, work_.q, work_.g, work_.jacobian);
  if (FactorReport f = kernel_.factor(system, work_.jacobian); !f.ok)
    return {Outcome::rank_loss, 0, f.smallest_pivot};
  measure_floor(work_.q, work_.jacobian);
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < options_.max_iterations; ++k) {
    const bool settled = kernel_.settled(system, z_.q, work_.g, work_.next, floor_);
    if (settled && k > 0) return {};
    const double size = K::size(work_.g);
    if (size > threshold::poor_contraction * last)
      return {K::within_floor(work_.g, floor_, threshold::constraint_band)
                  ? Outcome::ok
                  : Outcome::no_convergence,
              k, size};
    last = size;
    kernel_.solve(work_.g);
    kernel_.shift(system, work_.jacobian, work_.g, true, z_.q, work_.lambda);
  }
  return {Outcome::no_convergence, options_.max_iterations, last};
}

/// Where the step is too large for that: a composition of RATTLE of the same order.
template <class Sys, class S, class K>
Status MultistepStepper<Sys, S, K>::begin_by_composition(const Sys& system, const Point& z) {
  const int half = memory_.coefficients().order / 2;
  for (const int side : {-1, 1}) {
    copy(z.q, z_.q), copy(z.p, z_.p);
    rattle_.reset();
    for (int j = side > 0 ? 0 : 1; j < (side > 0 ? half + 1 : half); ++j) {
      if (j > 0)
        if (Status s = compose(system, R(side * h_)); !s) return s;
      memory_.place(side * j, z_.q);
      if (Status s = drive_at_start(system, memory_.multiplier(side * j)); !s) return s;
      memory_.drive(side * j, work_.w);
    }
  }
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

/// w = h^2 M^-1 (f - G^T lambda),   G M^-1 G^T lambda = g_qq(v, v) - G M^-1 V_q at z_; lambda
/// becomes h^2 lambda.
template <class Sys, class S, class K>
Status MultistepStepper<Sys, S, K>::drive_at_start(const Sys& system, Multiplier& lambda) {
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

/// g_qq(v, v) at z_: a difference formula of order k of G(q + s v) v, one difference where G is
/// affine.
template <class Sys, class S, class K>
void MultistepStepper<Sys, S, K>::curvature(const Sys& system, Multiplier& out) {
  if constexpr (requires { kernel_.curvature(system, work_.w, out); }) {
    system.velocity(z_.p, work_.w);
    return kernel_.curvature(system, work_.w, out);
  }
  const auto& c = memory_.coefficients();
  bool affine = false;
  if constexpr (requires { system.traits(); }) affine = system.traits().quadratic;
  if constexpr (requires { Sys::is_rod; }) affine = affine || Sys::is_rod;
  const int pairs = affine ? 1 : c.order / 2;
  system.velocity(z_.p, work_.w);
  for (int i = 1; i <= pairs; ++i)
    for (const int side : {-1, 1}) {
      copy(z_.q, work_.q);
      add_scaled(R(R(side * i) * h_), work_.w, work_.q);
      kernel_.linearise(system, work_.q, work_.g, work_.next);
      kernel_.hidden(system, work_.next, z_.p, work_.g);
      const R weight = (affine ? R(0.5) : c.derivative[i - 1]) * R(side) / h_;
      for (Eigen::Index k = 0; k < out.size(); ++k)
        out[k] = i == 1 && side < 0 ? S(work_.g[k] * weight) : S(out[k] + work_.g[k] * weight);
    }
}

}  // namespace rattleback

// The fibre of a constraint through z: the orbit of exp(sum lambda_i X_gi)  [McLachlan12 (9)].
//   holonomic   p -= G^T lambda
//   quadratic   the field is affine: its flow is summed as a Taylor series, exact to round-off
//   user-given  a member slide(q, p, lambda) of the constraint function
//   any other   integrated to round-off; the generators need not commute
#pragma once

#include "rattleback/geometry/flow.hpp"

namespace rattleback {

/// The flow of the field x' = sum lambda_i X_gi(x) over time 1; field(x, out).
template <class S, int D>
class FibreFlow {
 public:
  explicit FibreFlow(Eigen::Index size)
      : term_(size), sum_(size), shift_(size), image_(size), flow_(size) {}

  /// `affine`: every g_i is quadratic.
  template <class Field>
  Status advance(Field&& field, bool affine, Vector<S, D>& x) {
    return affine ? affine_flow(field, x) : flow_.advance(field, 1, x);
  }

 private:
  /// Multipliers are O(h). A slide of this many times the state is a Newton gone astray.
  static constexpr double farthest = 100;

  /// x' = B x + b with B, b read off the field: terms x_{k+1} = B x_k / (k+1), B x = f(x) - f(0).
  template <class Field>
  Status affine_flow(Field&& field, Vector<S, D>& x) {
    Vector<S, D>&constant = shift_, &image = image_;
    sum_.setConstant(S(0));
    field(sum_, constant);
    field(x, image);
    // Few enough terms and no cancellation: pieces short enough that the first term is below x.
    const double speed = largest_magnitude(image), size = std::max(largest_magnitude(x), 1e-30);
    if (!(speed < 1e150)) return {Outcome::not_finite, 0, speed};
    if (speed > farthest * size) return {Outcome::no_convergence, 0, speed};
    const int pieces = std::max(1, static_cast<int>(std::ceil(speed / size)));
    for (int piece = 0; piece < pieces; ++piece) {
      if (piece > 0) field(x, image);
      term_ = image;
      for (int k = 1; k < 60; ++k) {
        scale(Real<S>(Real<S>(1) / Real<S>(Real<S>(pieces) * k)), term_);
        add_scaled(1, term_, x);
        if (largest_magnitude(term_) <= 0.01 * epsilon<S> * size) break;
        field(term_, image);
        for (Eigen::Index i = 0; i < x.size(); ++i) term_[i] = image[i] - constant[i];
      }
    }
    return {};
  }

  Vector<S, D> term_, sum_, shift_, image_;
  RoundOffFlow<S, D> flow_;
};

template <class Sys, class S>
class Fibre {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  static constexpr int D = N == dynamic ? dynamic : 2 * N;
  using Multiplier = Vector<S, M>;

  explicit Fibre(const Sys& system)
      : g_(system.constraint_count()),
        g_q_(system.constraint_count(), system.dimension()),
        g_p_(system.constraint_count(), system.dimension()),
        q_(system.dimension()),
        p_(system.dimension()),
        x_(2 * system.dimension()),
        flow_(2 * system.dimension()) {}

  /// z <- exp(sum lambda_i X_gi) z
  Status slide(const Sys& system, const Multiplier& lambda, State<S, N>& z) {
    const Traits traits = system.traits();
    if (traits.holonomic) {
      system.linearise(z.q, z.p, g_, g_q_, g_p_);
      subtract_transposed(g_q_, lambda, z.p);
      return {};
    }
    if constexpr (requires { system.slide(z.q, z.p, lambda); })
      if (system.slide(z.q, z.p, lambda)) return {};
    gather(z);
    const Status status = flow_.advance(
        [&](const Vector<S, D>& x, Vector<S, D>& out) { field(system, lambda, x, out); },
        traits.quadratic, x_);
    scatter(z);
    return status;
  }

 private:
  void gather(const State<S, N>& z) {
    const Eigen::Index n = z.q.size();
    for (Eigen::Index i = 0; i < n; ++i) x_[i] = z.q[i], x_[n + i] = z.p[i];
  }
  void scatter(State<S, N>& z) const {
    const Eigen::Index n = z.q.size();
    for (Eigen::Index i = 0; i < n; ++i) z.q[i] = x_[i], z.p[i] = x_[n + i];
  }
  /// q' = g_p^T lambda, p' = -g_q^T lambda
  void field(const Sys& system, const Multiplier& lambda, const Vector<S, D>& x,
             Vector<S, D>& out) {
    const Eigen::Index n = q_.size();
    for (Eigen::Index i = 0; i < n; ++i) q_[i] = x[i], p_[i] = x[n + i];
    system.linearise(q_, p_, g_, g_q_, g_p_);
    for (Eigen::Index i = 0; i < n; ++i) {
      S dq(0), dp(0);
      for (Eigen::Index k = 0; k < lambda.size(); ++k) {
        dq += g_p_(k, i) * lambda[k];
        dp -= g_q_(k, i) * lambda[k];
      }
      out[i] = dq;
      out[n + i] = dp;
    }
  }

  Vector<S, M> g_;
  Matrix<S, M, N> g_q_, g_p_;
  Vector<S, N> q_, p_;
  Vector<S, D> x_;
  FibreFlow<S, D> flow_;
};

}  // namespace rattleback

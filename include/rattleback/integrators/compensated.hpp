// SHAKE and RATTLE for natural systems with compensated accumulation: the same map as
// natural_constrained.hpp, with round-off of size h eps a step instead of eps, and without bias.
//
// The state is carried as q + q_low, p + p_low. A step is computed as its increments dq, dp, which
// are O(h) and therefore rounded at h eps, and each sum keeps what its rounding drops:
//   dp  = -G(q)^T lambda - a h V_q(q)
//   q1  = q + h M^-1 (p + dp),   g(q1) = 0        lambda by Newton, to the last digit of q1_low
//   dp -= b h V_q(q1) + G(q1)^T mu,   G(q1) M^-1 (p + dp) = 0
//
// What moves q without moving p, or the other way round, is a force that no multiplier answers for.
// Three such leaks were found by measurement, each a drift in one direction: corrections of lambda
// applied to dq and dp apart (so q1 is always computed afresh from dp), the rounding of h M^-1 p
// (so the product is kept in full), and the rounding of g, which near its zero is mostly
// cancellation (so g is evaluated in double-double where the system is known by type, else to first
// order in q_low). An error of mu stays in the fibre and does no harm. On the need to avoid
// systematic errors of this kind: E. Hairer, R. I. McLachlan, A. Razakarivony, BIT 48 (2008).
// Measured in docs/notes/roundoff.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "rattleback/integrators/kernel.hpp"
#include "rattleback/problem/double_double.hpp"
#include "rattleback/problem/known_scalars.hpp"
#include "rattleback/problem/system.hpp"
#include "rattleback/problem/vector_ops.hpp"
#include "rattleback/solve/dense.hpp"
#include "rattleback/solve/histories.hpp"
#include "rattleback/solve/newton.hpp"
#include "rattleback/solve/predictor.hpp"
#include "rattleback/solve/structure.hpp"
#include "rattleback/solve/thresholds.hpp"

namespace rattleback {

/// (sum, low) <- sum + low + (increment + increment_low), rounded in the low part only.
RATTLEBACK_INLINE void add_compensated(double increment, double increment_low, double& sum,
                                       double& low) {
  const DoubleDouble s(sum, increment);
  const DoubleDouble t(s.high, s.low + (low + increment_low));
  sum = t.high;
  low = t.low;
}

/// The linear algebra is dense and its Newton matrix exact at every iteration: for small and medium
/// systems. The low parts live here, not in the state: reset() drops them.
template <class Sys>
class CompensatedNatural {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  using Position = Vector<double, N>;
  using Multiplier = Vector<double, M>;
  using Jacobian = Matrix<double, M, N>;
  using Point = State<double, N>;

  explicit CompensatedNatural(const Sys& system, Kicks kicks = {}, SolveOptions options = {})
      : n_(system.dimension()),
        m_(system.constraint_count()),
        jacobian_(m_, n_),
        next_(m_, n_),
        weighted_(n_, m_),
        next_weighted_(n_, m_),
        v_q_(n_),
        dq_(n_),
        q1_(n_),
        q1_low_(n_),
        x_(n_),
        v_(n_),
        low_{Position(n_), Position(n_)},
        g_(m_),
        mu_(m_),
        last_{Multiplier(m_), MultiplierPredictor<Multiplier>(m_)},
        dp_(n_),
        precise_q_(n_),
        precise_g_(m_),
        lu_(std::max(m_, 1)),
        kicks_(kicks),
        options_(options) {}

  /// Forget the last step and the low parts: the state was changed from outside.
  void reset() { fresh_ = false; }
  const Multiplier& lambda() const { return last_.lambda; }
  std::string structure(const Sys&) const {
    return "compensated, " + in_words(SolverKind::dense, m_);
  }
  /// The next step is substep k of a composition: its first guess comes from its like.
  void select(std::size_t k) { histories_.select(k, last_); }
  /// What the rounding of the state has dropped so far: the state is z + low().
  const Point& low() const { return low_; }

  /// A failed step leaves z as it was.
  Status step(const Sys& system, Point& z, double h, bool project) {
    if (!fresh_)
      if (Status s = start(system, z); !s) return s;
    last_.predictor.predict(h, last_.lambda);
    Status status = land(system, z, h);
    if (!status) return status;
    system.potential_gradient(q1_, v_q_);
    push(h * kicks_.after);
    weigh(system, next_, next_weighted_);
    if (project && !kick_onto_hidden(system, z.p)) {
      fresh_ = false;
      return {Outcome::rank_loss, status.iterations};
    }
    last_.predictor.record(h, last_.lambda);
    copy(q1_, z.q), copy(q1_low_, low_.q);
    for (int i = 0; i < n_; ++i) add_compensated(dp_[i].high, dp_[i].low, z.p[i], low_.p[i]);
    jacobian_.swap(next_);
    weighted_.swap(next_weighted_);
    return status;
  }

  /// Slides z along its fibre to G M^-1 p = 0. Forgets the last step: use an instance of its own.
  Status project(const Sys& system, Point& z) {
    fresh_ = false;
    system.linearise(z.q, z.q, g_, next_, next_);
    weigh(system, next_, next_weighted_);
    dp_.setConstant(DoubleDouble(0));
    set_zero(low_.p);
    if (!kick_onto_hidden(system, z.p)) return {Outcome::rank_loss};
    for (int i = 0; i < n_; ++i) add_compensated(dp_[i].high, dp_[i].low, z.p[i], low_.p[i]);
    return {};
  }

 private:
  static void set_zero(Position& v) {
    for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = 0;
  }
  /// dp -= G^T lambda
  void kick(const Jacobian& jacobian, const Multiplier& lambda) {
    for (int i = 0; i < n_; ++i)
      for (int k = 0; k < m_; ++k) dp_[i] -= DoubleDouble(jacobian(k, i)) * lambda[k];
  }
  /// dp -= a h V_q
  void push(double h) {
    if (h != 0)
      for (int i = 0; i < n_; ++i) dp_[i] -= DoubleDouble(v_q_[i]) * h;
  }
  /// M^-1 G^T
  void weigh(const Sys& system, const Jacobian& jacobian, Matrix<double, N, M>& weighted) {
    for (int k = 0; k < m_; ++k) {
      for (int i = 0; i < n_; ++i) x_[i] = jacobian(k, i);
      system.velocity(x_, v_);
      for (int i = 0; i < n_; ++i) weighted(i, k) = v_[i];
    }
  }
  /// b <- (G W)^-1 b with W = M^-1 G_0^T or M^-1 G^T
  bool solve(const Jacobian& jacobian, const Matrix<double, N, M>& weighted, Multiplier& b) {
    if (m_ == 0) return true;
    const bool ok = lu_.factor([&](int i, int k) {
                         double sum = jacobian(i, 0) * weighted(0, k);
                         for (int j = 1; j < n_; ++j) sum += jacobian(i, j) * weighted(j, k);
                         return sum;
                       })
                        .ok;
    lu_.solve(b);
    return ok;
  }
  /// dp -= G(q1)^T mu with G(q1) M^-1 (p + dp) = 0
  bool kick_onto_hidden(const Sys& system, const Position& p) {
    if (m_ == 0) return true;
    for (int i = 0; i < n_; ++i) x_[i] = p[i] + (low_.p[i] + dp_[i].high);
    system.velocity(x_, v_);
    multiply(next_, v_, mu_);
    const bool ok = solve(next_, next_weighted_, mu_);
    kick(next_, mu_);
    return ok;
  }

  [[gnu::noinline]] Status start(const Sys& system, const Point& z) {
    system.linearise(z.q, z.q, g_, jacobian_, jacobian_);
    system.potential_gradient(z.q, v_q_);
    weigh(system, jacobian_, weighted_);
    last_.reset();
    histories_.reset();
    set_zero(low_.q);
    set_zero(low_.p);
    double size = 0;  // round-off of g where q is rounded: eps |G||q|
    for (int i = 0; i < m_; ++i) {
      double row = 0;
      for (int j = 0; j < n_; ++j) row += std::abs(jacobian_(i, j)) * std::abs(z.q[j]);
      size = larger(size, row);
    }
    floor_ = 2 * epsilon<double> * size;
    if (!solve(jacobian_, weighted_, g_)) return {Outcome::rank_loss};
    fresh_ = true;
    return {};
  }

  /// Newton on g(q1) = 0 in lambda.
  Status land(const Sys& system, const Point& z, double h) {
    bool polished = m_ == 0;
    Contraction contraction;
    for (int k = 0; k < options_.max_iterations; ++k) {
      advance(system, z, h);
      system.linearise(q1_, q1_, g_, next_, next_);
      residual(system);
      if (polished && within(g_, threshold::polished * floor_)) return {Outcome::ok, k, floor_};
      // Newton squares the residual: from here one more correction leaves nothing but round-off.
      polished = within(g_, threshold::polish * floor_);
      if (k > 1) {
        const auto verdict = contraction.judge(largest_magnitude(g_));
        const double size = contraction.last();
        if (verdict == Contraction::Verdict::not_finite) return {Outcome::not_finite, k, size};
        if (verdict == Contraction::Verdict::poor && size <= threshold::constraint_band * floor_)
          return {Outcome::ok, k, size};
      }
      if (!solve(next_, weighted_, g_)) return {Outcome::rank_loss, k, contraction.last()};
      add_scaled(1 / h, g_, last_.lambda);
    }
    return {Outcome::no_convergence, options_.max_iterations, contraction.last()};
  }
  /// dp = -G^T lambda - a h V_q, q1 = q + h M^-1 (p + dp): always afresh from lambda.
  void advance(const Sys& system, const Point& z, double h) {
    dp_.setConstant(DoubleDouble(0));
    kick(jacobian_, last_.lambda);
    push(h * kicks_.before);
    for (int i = 0; i < n_; ++i) x_[i] = low_.p[i] + dp_[i].high;
    system.velocity(x_, dq_);
    system.velocity(z.p, v_);
    for (int i = 0; i < n_; ++i) {
      const double drift = v_[i] * h, rest = std::fma(v_[i], h, -drift);
      q1_[i] = z.q[i], q1_low_[i] = low_.q[i];
      add_compensated(drift, rest + dq_[i] * h, q1_[i], q1_low_[i]);
    }
  }
  /// g at q1 + q1_low; g_ and next_ hold g and G at q1 on entry.
  void residual(const Sys& system) {
    if constexpr (detail::knows_all_scalars<Sys>) {
      for (int i = 0; i < n_; ++i) precise_q_[i] = DoubleDouble(q1_[i], q1_low_[i]);
      system.constraint(precise_q_, precise_q_, precise_g_);
      for (int i = 0; i < m_; ++i) g_[i] = static_cast<double>(precise_g_[i]);
    } else {
      for (int i = 0; i < m_; ++i)
        for (int j = 0; j < n_; ++j) g_[i] += next_(i, j) * q1_low_[j];
    }
  }

  int n_, m_;
  Jacobian jacobian_, next_;                       // G at the old and the new position
  Matrix<double, N, M> weighted_, next_weighted_;  // M^-1 G^T there
  Position v_q_, dq_, q1_, q1_low_, x_, v_;
  Point low_;
  Multiplier g_, mu_;
  struct History {
    Multiplier lambda;
    MultiplierPredictor<Multiplier> predictor;
    void reset() { predictor.reset(); }
  };
  History last_;
  Histories<History> histories_;  // of the other substeps
  Vector<DoubleDouble, N> dp_, precise_q_;
  Vector<DoubleDouble, M> precise_g_;
  DenseLu<double, M> lu_;
  Kicks kicks_;
  SolveOptions options_;
  double floor_ = 0;
  bool fresh_ = false;
};

namespace detail {

/// Throws ModelError that says what the system lacks.
void require_compensable(const Traits& traits);

}  // namespace detail

}  // namespace rattleback

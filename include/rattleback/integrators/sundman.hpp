// Gauss collocation in fictive time, dt = sigma dtau: physical steps vary, and the method is
// symmetric all the same, as its step in tau is fixed and sigma depends on the point alone.
//
//   K_i = F(y^ + eps sum_j a_ij K_j),   y1 = y^ + eps sum_i b_i K_i,   F = (sigma v, sigma, sigma
//   f)
//
// with F of expression/scaled_field.hpp. The stages are solved for by Jacobi iteration,
// K <- F(y^ + eps A K): all stages at once, in the lanes of a pack. The change D_k in iteration k
// leaves an error of about D_k^2/D_{k-1}. Once it is small, sigma and the multipliers follow from
// those of the last iteration, without roots and divisions. Stages start from the polynomial
// through those of the last step; lower degrees of it took 1 to 30 % more iterations on six
// problems at errors of 1e-3 to 1e-12, and finding the best one as steps go 1 to 5 %. An iteration
// may go ahead with the momenta it has just found, q' <- q' + sigma M^-1 (p - p before): where
// forces depend on q it takes two thirds of the iterations, where they come from the curvature of g
// it takes more. The solution is the same, and what takes fewer is found out as steps go; a step is
// refused where neither converges.
//
// Gauss methods keep quadratic integrals. Where all constraints are quadratic, y^ = y0, and
// rounding alone is projected away, or what a tolerance leaves. For others the projection is
// symmetric [Hairer00]:
//   q^ = q0 + W0^T mu,  p^ = p0 + G0^T nu,   q1 = ... + W1^T mu,  p1 = ... + G1^T nu,  W = G M^-1
//   g(q1) = 0,  G1 M^-1 p1 = 0
// The flow carries levels of g along, so that d g(q1)/d mu is about K0 + K1, K = G M^-1 G^T; with
// the matrix G1 (W0 + W1)^T instead the iteration diverges. While stages change, g(q1) is taken
// without what they have yet to change it by: else projection and iteration hold each other up, and
// a step takes up to half as many iterations more.
//
// eps is what makes the first physical step h. With an end to the time (Clock) the last step is one
// of physical size, sigma = 1, which is no part of the reversible run. A step whose iteration does
// not converge is refused.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/integrators/advance.hpp"
#include "rattleback/integrators/any_stepper.hpp"
#include "rattleback/integrators/compensated_sum.hpp"
#include "rattleback/integrators/force_scale.hpp"
#include "rattleback/integrators/method_info.hpp"
#include "rattleback/integrators/stage_lanes.hpp"
#include "rattleback/integrators/sundman_parts.hpp"
#include "rattleback/problem/small_ldlt.hpp"
#include "rattleback/solve/thresholds.hpp"

namespace rattleback {

inline MethodInfo sundman_info(int stages) {
  return {.name = stages == most_stages ? "sundman" : "sundman:stages=" + std::to_string(stages),
          .order = 2 * stages,
          .symmetric = true,
          .symplectic_on = SymplecticOn::nothing,
          .preserves_primary = true,
          .preserves_hidden = true,
          .nearly_keeps_energy = true,
          .varies_steps = true,
          .applies = {.natural = true, .holonomic = true},
          .cite = "[Hairer00]"};
}

struct SundmanOptions {
  int stages = most_stages;
  double accuracy = 0;   ///< wanted error at the end, by which the step is chosen; 0: as given
  double tolerance = 0;  ///< of the stages, relative; 0: down to round-off

  /// Scalars other than double are for truth and derivatives, and go down to round-off.
  template <class S>
  double stage_tolerance() const {
    return std::is_same_v<S, double> ? std::max(tolerance, epsilon<S> / 2) : epsilon<S> / 2;
  }
};

/// Field has dimension(), constraints(), quadratic(),
///   evaluate(system, x, y, a, b): (q, c^2; p) -> (q', t'; p') at all stages
///   normal(system, q, p, NormalSpace&)
///   rates(system, x, y, a, b): (q, u; p, w) -> derivatives of g and G M^-1 p along (u, w)
/// A step that fails leaves the state as it was.
template <class Field, class S>
class SundmanStepper {
 public:
  using Lanes = StageLanes<S>;
  using R = Real<S>;

  /// `pilot`: of the same system in double, whose choices are taken over; none for double itself.
  SundmanStepper(Field field, const SundmanOptions& options,
                 std::shared_ptr<AnyStepper<double>> pilot = nullptr)
      : field_(std::move(field)),
        pilot_(std::move(pilot)),
        gauss_(&GaussStages<S>::of(options.stages)),
        n_(field_.dimension()),
        m_(field_.constraints()),
        accuracy_(options.accuracy),
        tolerance_(options.stage_tolerance<S>()),
        q0_(n_),
        p0_(n_),
        hat_q_(n_),
        hat_p_(n_),
        q1_(n_),
        p1_(n_),
        end_q_(n_),
        end_p_(n_),
        x_(n_ + 1 + field_.held()),
        a_(n_ + std::max(1, field_.held())),
        last_a_(a_.size()),
        y_(n_),
        b_(n_),
        last_b_(n_),
        here_(n_, m_),
        there_(n_, m_),
        along_x_(2 * n_),
        along_y_(2 * n_),
        rate_g_(m_),
        rate_p_(m_),
        mu_(m_),
        nu_(m_),
        change_(m_),
        work_(m_, m_),
        gram_here_(m_, m_),
        sum_q_(n_),
        sum_p_(n_) {}

  /// What was chosen at the start stays.
  void reset() {
    steps_ = 0;
    way_ = {};
    projected_from_ = 1e-2;
    for (auto& s : sum_q_) s.reset();
    for (auto& s : sum_p_) s.reset();
    sum_t_.reset();
  }
  template <class Sys, class State>
  Status present(const Sys&, State&) {
    return {};
  }
  Clock* clock() { return &clock_; }
  void save(std::vector<double>& to) const { to.insert(to.end(), {speed_, floor_, clock_.time}); }
  void restore(std::span<const double> saved) {
    speed_ = saved[0], floor_ = saved[1], clock_.time = saved[2];
    time_ = S(R(clock_.time));
  }
  Projections projections(long steps, long) const {
    return has_rest() ? Projections{steps, steps} : Projections{};
  }
  template <class Sys>
  std::string structure(const Sys&) const {
    return field_.structure() + ", " + std::to_string(gauss_->stages) + " stages " +
           (std::is_same_v<S, double> ? "in lanes" : "one by one");
  }

  template <class Sys, class State>
  Status step(const Sys& system, State& z, const R& h) {
    if (!(speed_ > 0))
      if (Status s = choose(system, z, h); !s) return s;
    for (int i = 0; i < n_; ++i) q0_[i] = z.q[i], p0_[i] = z.p[i];
    Status status = solve_stages(system, S(R(h * R(speed_))), false);
    if (!status) return status;
    bool last = false;
    if (std::isfinite(clock_.end)) {
      const S rest = S(R(clock_.end)) - time_;
      // A step that ends just before the end is the last one as well.
      last = magnitude(S(elapsed_)) * (1 + 1e-9) >= magnitude(rest) || !goes_towards(rest, h);
      if (last) {
        const Status s = solve_stages(system, rest, true);
        if (!s) return s;
        status.iterations += s.iterations;
        steps_ = -1;  // the next one starts anew
      }
    }
    for (int i = 0; i < n_; ++i) {
      sum_q_[i].add(q1_[i], z.q[i]);
      sum_p_[i].add(p1_[i], z.p[i]);
    }
    sum_t_.add(elapsed_, time_);
    clock_.time = last ? clock_.end : static_cast<double>(base(time_));
    project_rest(system, z);
    ++steps_;
    return status;
  }

 private:
  static constexpr double nearly_from = 0.1;  // changes of the stages
  static constexpr double never = std::numeric_limits<double>::infinity();
  // Iterations. On the quartic surface of bench/adaptive.cpp, at an error of 4e-4, every one takes
  // 23.1 a step, every third 24.8, and a quarter less time.
  static constexpr int projected_every = 3;
  static constexpr int most_iterations = std::is_same_v<Base<S>, double> ? 60 : 200;

  static double largest(const std::vector<S>& x) {
    double most = 0;
    for (const S& e : x) most = larger(most, magnitude(e));
    return most;
  }
  /// Of a derivative at its first stage.
  double largest_stage(const std::vector<Lanes>& x) const {
    double most = 0;
    for (int i = 0; i < n_; ++i) most = larger(most, magnitude(S(x[i][0])));
    return most;
  }
  static bool goes_towards(const S& rest, const R& h) { return (base(rest) > R(0)) == (h > R(0)); }

  /// The increments of one step of size eps in tau, or in time where `physical`, in q1_, p1_ and
  /// elapsed_.
  template <class Sys>
  Status solve_stages(const Sys& system, const S& eps, bool physical);
  template <class Sys>
  Status attempt(const Sys& system, const S& eps, bool physical, bool ahead);
  template <class Sys>
  void start(const Sys& system);
  void set_sizes(double h);
  bool may_go_ahead() const { return std::is_same_v<S, double> && !field_.inverse_mass().empty(); }
  StageChange<S> place_stages(const S& eps, bool ahead);
  StageChange<S> change_of_stages() const;
  Status finish(const S& eps, int iterations);
  template <class Sys>
  void first_stages(const Sys& system, bool physical);
  /// Where stages hardly change, sigma and multipliers follow by Newton's method.
  template <class Sys>
  void evaluate(const Sys& system, bool physical, bool nearly = false) {
    if constexpr (requires { field_.refine(x_.data(), y_.data(), a_.data(), b_.data()); })
      if (!physical && field_.held() > 0) return nearly ? refine() : hold();
    field_.evaluate(system, x_.data(), y_.data(), a_.data(), b_.data());
    if (!physical) return;
    const Lanes inverse = invert_stages<S>(a_[n_]);
    for (int i = 0; i <= n_; ++i) a_[i] = multiply_stages<S>(a_[i], inverse);
    for (int i = 0; i < n_; ++i) b_[i] = multiply_stages<S>(b_[i], inverse);
  }
  void hold() {
    field_.hold(x_.data(), y_.data(), a_.data(), b_.data());
    for (int k = field_.following(); k < field_.held(); ++k) x_[n_ + 1 + k] = a_[n_ + k];
  }
  void refine() {
    for (int k = 0; k < field_.following(); ++k) x_[n_ + 1 + k] = last_a_[n_ + k];
    field_.refine(x_.data(), y_.data(), a_.data(), b_.data());
  }
  /// One change of mu and nu.
  template <class Sys>
  void project(const Sys& system, const S& eps, bool settled);
  template <class Sys>
  void leave_out_change(const Sys& system, const S& eps);
  bool projects() const { return m_ > 0 && !field_.quadratic(); }
  template <class Entry>
  RATTLEBACK_INLINE void factor(Entry&& gram) {
    for (int i = 0; i < m_; ++i)
      for (int j = 0; j <= i; ++j) work_(i, j) = gram(i, j);
    ldlt_factor(work_);
  }
  template <class Sys, class State>
  void project_rest(const Sys& system, State& z);
  bool has_rest() const { return m_ > 0 && (field_.quadratic() || tolerance_ > epsilon<S> / 2); }
  /// y += A^T x, by rows of A.
  void add_rows(const S* rows, const std::vector<S>& x, std::vector<S>& y) const {
    for (int k = 0; k < m_; ++k)
      for (int i = 0; i < n_; ++i) y[i] += rows[k * n_ + i] * x[k];
  }
  void set_ends(const S& eps) {
    for (int i = 0; i < n_; ++i) {
      q1_[i] = eps * gauss_->weigh(a_[i]);
      p1_[i] = eps * gauss_->weigh(b_[i]);
    }
    elapsed_ = eps * gauss_->weigh(a_[n_]);
  }
  template <class Sys, class State>
  Status choose(const Sys& system, const State& z, const R& h);
  template <class Sys, class State>
  void choose_speed(const Sys& system, const State& z, double h);

  Field field_;
  std::shared_ptr<AnyStepper<double>> pilot_;
  const GaussStages<S>* gauss_;
  int n_, m_;
  double accuracy_, tolerance_;
  long steps_ = 0;  // since the last reset
  IterationWay way_;
  // q0, p0; q^, p^; increments; ends. Stage points; derivatives there, and as they were before.
  std::vector<S> q0_, p0_, hat_q_, hat_p_, q1_, p1_, end_q_, end_p_;
  std::vector<Lanes> x_, a_, last_a_, y_, b_, last_b_;
  NormalSpace<S> here_, there_;
  std::vector<Lanes> along_x_, along_y_, rate_g_, rate_p_;  // see leave_out_change
  std::vector<S> mu_, nu_;
  Vector<S, dynamic> change_;
  Matrix<S, dynamic> work_, gram_here_;
  double projected_from_ = 1e-2;  // changes of the stages from which on they are projected
  int unprojected_ = 0;           // iterations since then
  double moved_ = never;          // by the last projection, over these sizes of q and p
  double size_q_ = 1, size_p_ = 1;
  std::vector<CompensatedSum<S>> sum_q_, sum_p_;
  CompensatedSum<S> sum_t_;
  S elapsed_ = S(0), time_ = S(0);
  double speed_ = 0;  // eps/h
  double floor_ = 0;  // c^2
  Clock clock_{};
};

}  // namespace rattleback

#include "rattleback/integrators/sundman_step.hpp"

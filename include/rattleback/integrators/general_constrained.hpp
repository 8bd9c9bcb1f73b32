// SHAKE and RATTLE over any base map and any fibre  [McLachlan12 Definitions 1.3, 1.4].
//
//   z+  = exp(sum lambda_i X_gi) z,   z- = phi_h(z+),   g(z-) = 0        SHAKE:  z1 = z-
//   z1  = exp(sum sigma_i X_gi) z-,   {g, H}(z1) = 0                     RATTLE
//
// Unknown lambda = O(h); r(lambda) = g(z-)/h, so that dr/dlambda -> N = {{g,H},g} as h -> 0.
#pragma once

#include "rattleback/geometry/fibre.hpp"
#include "rattleback/geometry/hidden_constraint.hpp"
#include "rattleback/geometry/slide_size.hpp"
#include "rattleback/integrators/base_map.hpp"
#include "rattleback/integrators/branch.hpp"
#include "rattleback/problem/vector_ops.hpp"
#include "rattleback/solve/histories.hpp"
#include "rattleback/solve/predictor.hpp"
#include "rattleback/solve/structure.hpp"

namespace rattleback {

template <class Sys, class S>
class GeneralConstrained {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  using T = Base<S>;
  using Multiplier = Vector<S, M>;
  using Point = State<S, N>;

  GeneralConstrained(const Sys& system, BaseMapChoice base, SolveOptions options = {})
      : n_(system.dimension()),
        m_(system.constraint_count()),
        holonomic_(system.traits().holonomic),
        options_(options),
        run_{Run<S>(system, base, options), Run<Lifted>(system, base, options)},
        lambda_(m_),
        sigma_(m_),
        r_(m_),
        zero_(m_),
        predictors_{Predictor(m_), Predictor(m_)},
        solver_(m_),
        inertia_(std::max(m_, 1)) {}

  void reset() { fresh_ = false; }
  const Multiplier& lambda() const { return lambda_; }
  std::string structure(const Sys&) const { return in_words(SolverKind::dense, m_); }
  /// The next step is substep k of a composition: its first guess comes from its like.
  void select(std::size_t k) { histories_.select(k, predictors_); }

  Status step(const Sys& system, Point& z, const Real<S>& h, bool project) {
    if (m_ == 0) return unconstrained(system, z, h);
    Point& work = run_.plain.z;
    if (!fresh_)
      if (Status s = start(system, z); !s) return s;
    // An extrapolated guess can lead Newton astray where the multipliers turn sharply: before a
    // step is given up it is tried from the last multipliers, and from zero.
    Status status;
    for (int order : {3, 1, 0}) {
      if (order < 3 && predictors_.position.known() == 0) break;
      start_ = z;  // a failed step leaves z as it was
      status = attempt(system, h, project, order);
      if (status) break;
    }
    if (!status) return status;
    const T energy = base(system.energy(work.q, work.p));
    usual_change_ = larger(usual_change_, magnitude(T(energy - energy_)));
    energy_ = energy;
    predictors_.position.record(h, lambda_);
    if (project) predictors_.momentum.record(h, sigma_);
    z = work;
    return status;
  }

  /// Slides z along its fibre to {g, H} = 0.
  Status project(const Sys& system, Point& z) {
    if (m_ == 0) return {};
    start_ = z;
    Status status = project_momentum(system, Real<S>(1), 0);
    if (status) z = run_.plain.z;
    return status;
  }

 private:
  Status unconstrained(const Sys& system, Point& z, const Real<S>& h) {
    Point& work = run_.plain.z;
    copy(z.q, work.q), copy(z.p, work.p);  // a failed step leaves z as it was
    const Status status = run_.plain.base.apply(system, h, work);
    if (status) copy(work.q, z.q), copy(work.p, z.p);
    return status;
  }

  using Lifted = typename Implicit<S, M>::Lifted;
  using Predictor = MultiplierPredictor<Multiplier>;
  struct Predictors {
    Predictor position, momentum;
    void reset() { position.reset(), momentum.reset(); }
  };

  /// The maps of a step, and the point that goes through them.
  template <class R>
  struct Run {
    Run(const Sys& system, BaseMapChoice choice, const SolveOptions& options)
        : base(system, choice, options),
          fibre(system),
          hidden(system),
          z{Vector<R, N>(system.dimension()), Vector<R, N>(system.dimension())} {}
    BaseStepper<Sys, R> base;
    Fibre<Sys, R> fibre;
    HiddenConstraint<Sys, R> hidden;
    State<R, N> z;
  };

  [[gnu::noinline]] Status start(const Sys& system, const Point& z) {
    HiddenConstraint<Sys, S>& hidden = run_.plain.hidden;
    hidden.evaluate(system, z.q, z.p, r_);
    // Round-off of g when (q, p) are rounded: eps (|g_q||q| + |g_p||p|). With the largest
    // coordinate in place of each: one that is zero now (g = q_1) is not on its way.
    const double size_q = detail::extent(z.q), size_p = detail::extent(z.p);
    double scale = 0;
    for (int i = 0; i < m_; ++i) {
      double row = 0;
      for (int j = 0; j < n_; ++j) {
        row += magnitude(base(hidden.g_q()(i, j))) * size_q;
        if (!holonomic_) row += magnitude(base(hidden.g_p()(i, j))) * size_p;
      }
      scale = larger(scale, row);
    }
    floor_ = 2 * epsilon<S> * scale;
    predictors_.reset();
    histories_.reset();
    // Rank before residual: where N = 0 the residual may vanish for every lambda.
    if (Status s = factor_at(system, z); !s) return s;
    negative_ = inertia();
    energy_ = base(system.energy(z.q, z.p));
    usual_change_ = 0;
    fresh_ = true;
    return {};
  }
  /// One try of a step from start_ with a guess of the given order.
  Status attempt(const Sys& system, const Real<S>& h, bool project, int order) {
    const Point& work = run_.plain.z;
    Status status = land(system, h, order);
    if (status && project) {
      start_ = work;
      Status projected = project_momentum(system, h, order);
      projected.iterations += status.iterations;
      status = projected;
    }
    // A curved fibre has several solutions; a straight one only when the iteration was hard.
    const bool hard = detail::was_hard<S>(status);
    if (!status || (holonomic_ && !hard)) return status;
    // Not trusted blindly: the same inertia of N, no unusual jump of the energy.
    const double change = magnitude(T(base(system.energy(work.q, work.p)) - energy_));
    const bool jumped =
        hard && usual_change_ > 0 && change > threshold::unusual_change * usual_change_;
    if (Status s = factor_at(system, work); !s) return s;
    if (inertia() != negative_ || jumped || reach_ > threshold::farthest_slide)
      status.outcome = Outcome::branch_jump;
    return status;
  }
  void measure_reach(const Sys& system, const Multiplier& lambda) {
    if (holonomic_) return;
    HiddenConstraint<Sys, S>& hidden = run_.plain.hidden;
    hidden.evaluate(system, start_.q, start_.p, r_);
    reach_ = larger(reach_, detail::slide_length(hidden, lambda, start_));
  }

  /// lambda by Newton: g(phi_h(exp(lambda) start_)) = 0, with z- in run_.plain.z on exit.
  Status land(const Sys& system, const Real<S>& h, int order) {
    const auto landing = [&](auto on, const auto& lambda, auto& r) {
      auto& run = run_[on];
      if (Status s = slide(on, system, lambda); !s) return s;
      if (Status s = run.base.apply(system, h, run.z); !s) return s;
      system.constraint(run.z.q, run.z.p, r);
      scale(Real<S>(Real<S>(1) / h), r);
      return Status{};
    };
    predictors_.position.predict(h, lambda_, order);
    if (Status s = solver_.factor(lambda_, landing); !s) return s;
    Stopping stopping(std::max(floor_, options_.tolerance * floor_ / epsilon<S>));
    for (int k = 0; k < options_.max_iterations; ++k) {
      if (Status s = landing(OnUnknowns{}, lambda_, r_); !s) return s;
      const double size = largest_magnitude(r_) * magnitude(h);
      const auto verdict = stopping.judge(size);
      if (verdict == Stopping::Verdict::not_finite) return {Outcome::not_finite, k, size};
      if (verdict == Stopping::Verdict::done) {
        reach_ = 0;
        measure_reach(system, lambda_);
        return {Outcome::ok, k, size};
      }
      if (size > threshold::kept_contraction * stopping.before())
        if (Status s = solver_.factor(lambda_, landing); !s) return s;
      solver_.correct(r_);
      subtract_scaled(1, r_, lambda_);
    }
    return {Outcome::no_convergence, options_.max_iterations, stopping.last()};
  }

  /// sigma by Newton: {g, H}(exp(sigma) start_) = 0, with z1 in run_.plain.z on exit.
  Status project_momentum(const Sys& system, const Real<S>& h, int order) {
    const auto resting = [&](auto on, const auto& sigma, auto& r) {
      return rest(on, system, sigma, r);
    };
    HiddenConstraint<Sys, S>& hidden = run_.plain.hidden;
    predictors_.momentum.predict(h, sigma_, order);
    if (Status s = solver_.factor(sigma_, resting); !s) return s;
    if (fresh_ && inertia() != negative_)
      return {Outcome::branch_jump, 0, solver_.report().smallest_pivot};
    // Round-off of {g,H} comes from what slides, too: at a turning point all its terms vanish at
    // the end, and not at the start.
    hidden.evaluate(system, start_.q, start_.p, r_);
    double size = 0, floor = 2 * epsilon<S> * hidden.size();
    Stopping stopping(0), rounding(epsilon<S>);
    for (int k = 0; k < options_.max_iterations; ++k) {
      if (Status s = resting(OnUnknowns{}, sigma_, r_); !s) return s;
      floor = larger(floor, 2 * epsilon<S> * hidden.size());
      size = largest_magnitude(r_);
      if (stopping.judge(size) == Stopping::Verdict::not_finite)
        return {Outcome::not_finite, k, size};
      if (stopping.settled(floor)) {
        measure_reach(system, sigma_);
        return {Outcome::ok, k, size};
      }
      if (size > threshold::kept_contraction * stopping.before())
        if (Status s = solver_.factor(sigma_, resting); !s) return s;
      solver_.correct(r_);
      // {g,H} may be a single term, such as H_beta, and is then no measure of its own round-off.
      if (rounding.judge(detail::most_slide(hidden, r_, start_, holonomic_)) ==
          Stopping::Verdict::done) {
        measure_reach(system, sigma_);
        return {Outcome::ok, k, size};
      }
      subtract_scaled(1, r_, sigma_);
    }
    return {Outcome::no_convergence, options_.max_iterations, size};
  }
  /// exp(lambda) start_, in the run's point.
  template <class On, class Lambda>
  Status slide(On on, const Sys& system, const Lambda& lambda) {
    auto& run = run_[on];
    copy_entries(on(start_.q), run.z.q);
    copy_entries(on(start_.p), run.z.p);
    return run.fibre.slide(system, lambda, run.z);
  }
  /// r = {g, H}(exp(sigma) start_)
  template <class On, class Sigma, class R>
  Status rest(On on, const Sys& system, const Sigma& sigma, R& r) {
    auto& run = run_[on];
    if (Status s = slide(on, system, sigma); !s) return s;
    run.hidden.evaluate(system, run.z.q, run.z.p, r);
    return {};
  }
  /// Factors N at z.
  Status factor_at(const Sys& system, const Point& z) {
    start_ = z;
    zero_.setConstant(S(0));
    return solver_.factor(
        zero_, [&](auto on, const auto& sigma, auto& r) { return rest(on, system, sigma, r); });
  }
  /// Negative eigenvalues of the symmetric part of the last matrix: N on the state manifold.
  int inertia() {
    const auto& n = solver_.matrix();
    return inertia_.factor([&](int i, int j) { return T((n(i, j) + n(j, i)) * T(0.5)); }).negative;
  }

  int n_, m_;
  bool holonomic_;
  SolveOptions options_;
  ForRuns<Run<S>, Run<Lifted>> run_;
  Point start_;  // where a slide begins
  Multiplier lambda_, sigma_, r_, zero_;
  Predictors predictors_;
  Histories<Predictors> histories_;  // of the other substeps
  Implicit<S, M> solver_;
  static constexpr int R = M == 0 ? 1 : M;  // solvers have at least one row, used or not
  DenseLdlt<T, R> inertia_;
  double floor_ = 0;
  int negative_ = 0;  // inertia of N at the start of the run
  T energy_{};        // of the last state, and its largest change in one step so far
  double usual_change_ = 0;
  double reach_ = 0;  // of the last slides
  bool fresh_ = false;
};

}  // namespace rattleback

// SHAKE and RATTLE over any base map and any fibre  [McLachlan12 Definitions 1.3, 1.4].
//
//   z+  = exp(sum lambda_i X_gi) z,   z- = phi_h(z+),   g(z-) = 0        SHAKE:  z1 = z-
//   z1  = exp(sum sigma_i X_gi) z-,   {g, H}(z1) = 0                     RATTLE
//
// Unknown lambda = O(h); r(lambda) = g(z-)/h, so that dr/dlambda -> N = {{g,H},g} as h -> 0. The
// matrix comes from running both maps on dual numbers seeded in lambda.
#pragma once

#include "rattleback/geometry/fibre.hpp"
#include "rattleback/integrators/base_map.hpp"
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

  GeneralConstrained(const Sys& system, BaseMap map, SolveOptions options = {})
      : n_(system.dimension()),
        m_(system.constraint_count()),
        holonomic_(system.traits().holonomic),
        options_(options),
        base_(system, map, options),
        fibre_(system),
        lifted_base_(system, map, options),
        lifted_fibre_(system),
        work_{Vector<S, N>(n_), Vector<S, N>(n_)},
        lifted_{Vector<Lifted, N>(n_), Vector<Lifted, N>(n_)},
        h_q_(n_),
        h_p_(n_),
        g_q_(m_, n_),
        g_p_(m_, n_),
        lambda_(m_),
        sigma_(m_),
        r_(m_),
        zero_(m_),
        predictors_{Predictor(m_), Predictor(m_)},
        matrix_(m_, m_),
        lu_(std::max(m_, 1)),
        inertia_(std::max(m_, 1)) {}

  void reset() { fresh_ = false; }
  const Multiplier& lambda() const { return lambda_; }
  const Multiplier& sigma() const { return sigma_; }
  std::string structure(const Sys&) const { return in_words(SolverKind::dense, m_); }
  /// The next step is substep k of a composition: its first guess comes from its like.
  void select(std::size_t k) { histories_.select(k, predictors_); }
  /// Where the last factored matrix was weakest, for the explanation of a failure.
  const FactorReport& factorisation() const { return report_; }

  Status step(const Sys& system, Point& z, const Real<S>& h, bool project) {
    if (m_ == 0) return unconstrained(system, z, h);
    if (!fresh_)
      if (Status s = start(system, z); !s) return s;
    // An extrapolated guess can lead Newton astray where the multipliers turn sharply: before a
    // step is given up it is tried from the last multipliers, and from zero.
    Status status;
    for (int order : {3, 1, 0}) {
      if (order < 3 && predictors_.position.known() == 0) break;
      work_ = z;  // a failed step leaves z as it was
      status = attempt(system, h, project, order);
      if (status) break;
    }
    if (!status) return status;
    const T energy = base(system.energy(work_.q, work_.p));
    usual_change_ = larger(usual_change_, magnitude(T(energy - energy_)));
    energy_ = energy;
    predictors_.position.record(h, lambda_);
    if (project) predictors_.momentum.record(h, sigma_);
    z = work_;
    return status;
  }

  /// Slides z along its fibre to {g, H} = 0.
  Status project(const Sys& system, Point& z) {
    if (m_ == 0) return {};
    work_ = z;
    Status status = project_momentum(system, Real<S>(1), 0);
    if (status) z = work_;
    return status;
  }

 private:
  Status unconstrained(const Sys& system, Point& z, const Real<S>& h) {
    copy(z.q, work_.q), copy(z.p, work_.p);  // a failed step leaves z as it was
    const Status status = base_.apply(system, h, work_);
    if (status) copy(work_.q, z.q), copy(work_.p, z.p);
    return status;
  }

  static constexpr int K = chunk_for<M>;
  static constexpr int easy = 12;  // iterations above which a solution is looked at twice
  static constexpr double farthest =
      1.7;  // multipliers are O(h): a longer slide turned the state around
  using Lifted = Dual<T, K>;
  using LiftedPoint = State<Lifted, N>;
  using Predictor = MultiplierPredictor<Multiplier>;
  struct Predictors {
    Predictor position, momentum;
    void reset() { position.reset(), momentum.reset(); }
  };

  [[gnu::noinline]] Status start(const Sys& system, const Point& z) {
    system.linearise(z.q, z.p, r_, g_q_, g_p_);
    // Round-off of g when (q, p) are rounded: eps (|g_q||q| + |g_p||p|). With the largest
    // coordinate in place of each: one that is zero now (g = q_1) is not on its way.
    double scale = 0, size_q = 1e-3, size_p = 1e-3;
    for (int j = 0; j < n_; ++j) {
      size_q = larger(size_q, magnitude(base(z.q[j])));
      size_p = larger(size_p, magnitude(base(z.p[j])));
    }
    for (int i = 0; i < m_; ++i) {
      double row = 0;
      for (int j = 0; j < n_; ++j) {
        row += magnitude(base(g_q_(i, j))) * size_q;
        if (!system.traits().holonomic) row += magnitude(base(g_p_(i, j))) * size_p;
      }
      scale = larger(scale, row);
    }
    floor_ = 2 * epsilon<S> * scale;
    predictors_.reset();
    histories_.reset();
    // Rank before residual: where N = 0 the residual may vanish for every lambda.
    zero_.setConstant(S(0));
    if (Status s = factor_hidden(system, z, zero_); !s) return s;
    negative_ = inertia();
    energy_ = base(system.energy(z.q, z.p));
    usual_change_ = 0;
    fresh_ = true;
    return {};
  }

  /// One try of a step from z = work_ with a guess of the given order.
  Status attempt(const Sys& system, const Real<S>& h, bool project, int order) {
    Status status = land(system, h, order);
    if (status && project) {
      Status projected = project_momentum(system, h, order);
      projected.iterations += status.iterations;
      status = projected;
    }
    if (!status || !suspicious(system, status)) return status;
    // Not trusted blindly: the same inertia of N, no unusual jump of the energy.
    zero_.setConstant(S(0));
    if (Status s = factor_hidden(system, work_, zero_); !s) return s;
    const double change = magnitude(T(base(system.energy(work_.q, work_.p)) - energy_));
    const bool jumped =
        status.iterations > easy && usual_change_ > 0 && change > 30 * usual_change_;
    if (inertia() != negative_ || jumped || reach_ > farthest)
      status.outcome = Outcome::branch_jump;
    return status;
  }
  /// A curved fibre has several solutions; a straight one only when the iteration was hard.
  bool suspicious(const Sys& system, const Status& status) const {
    return status.iterations > easy || !system.traits().holonomic;
  }
  /// Length of the slide by lambda, relative to the state: an angle where the fibre is a circle.
  void measure_reach(const Sys& system, const Point& from, const Multiplier& lambda) {
    if (system.traits().holonomic) return;
    system.linearise(from.q, from.p, r_, g_q_, g_p_);
    double speed = 0, size = 1e-30;
    for (int i = 0; i < n_; ++i) {
      S dq(0), dp(0);
      for (int k = 0; k < m_; ++k) dq += g_p_(k, i) * lambda[k], dp += g_q_(k, i) * lambda[k];
      speed = larger(speed, larger(magnitude(base(dq)), magnitude(base(dp))));
      size = larger(size, larger(magnitude(base(from.q[i])), magnitude(base(from.p[i]))));
    }
    reach_ = larger(reach_, speed / size);
  }

  /// lambda by Newton: g(phi_h(exp(lambda) z)) = 0, with z in work_ on entry and z- on exit.
  Status land(const Sys& system, const Real<S>& h, int order) {
    start_ = work_;
    predictors_.position.predict(h, lambda_, order);
    if (Status s = factor_position(system, h); !s) return s;
    Stopping stopping(std::max(floor_, options_.tolerance * floor_ / epsilon<S>));
    double before = 1e150;
    for (int k = 0; k < options_.max_iterations; ++k) {
      work_ = start_;
      if (Status s = fibre_.slide(system, lambda_, work_); !s) return s;
      if (Status s = base_.apply(system, h, work_); !s) return s;
      system.constraint(work_.q, work_.p, r_);
      const double size = largest_magnitude(r_);
      const auto verdict = stopping.judge(size);
      if (verdict == Stopping::Verdict::not_finite) return {Outcome::not_finite, k, size};
      if (verdict == Stopping::Verdict::done) {
        reach_ = 0;
        measure_reach(system, start_, lambda_);
        return {Outcome::ok, k, size};
      }
      if (size > 0.01 * before)
        if (Status s = factor_position(system, h); !s) return s;
      before = size;
      scale(Real<S>(Real<S>(1) / h), r_);
      lu_.solve(r_);
      subtract_scaled(1, r_, lambda_);
    }
    return {Outcome::no_convergence, options_.max_iterations, stopping.last()};
  }

  /// sigma by Newton: {g, H}(exp(sigma) z-) = 0, with z- in work_ on entry and z1 on exit.
  Status project_momentum(const Sys& system, const Real<S>& h, int order) {
    start_ = work_;
    predictors_.momentum.predict(h, sigma_, order);
    if (Status s = factor_hidden(system, start_, sigma_); !s) return s;
    if (fresh_ && inertia() != negative_) return {Outcome::branch_jump, 0, report_.smallest_pivot};
    // Round-off of {g,H} comes from what slides, too: at a turning point all its terms vanish at
    // the end, and not at the start.
    double size = 0, before = 1e150, floor = hidden(system, start_, r_);
    Stopping rounding(epsilon<S>);
    for (int k = 0; k < options_.max_iterations; ++k) {
      work_ = start_;
      if (Status s = fibre_.slide(system, sigma_, work_); !s) return s;
      floor = larger(floor, hidden(system, work_, r_));
      size = largest_magnitude(r_);
      if (!(size < 1e150)) return {Outcome::not_finite, k, size};
      const bool stagnates = size > 0.25 * before && size <= Stopping::stagnation_band * floor;
      if (size <= floor || stagnates) {
        measure_reach(system, start_, sigma_);
        return {Outcome::ok, k, size};
      }
      if (size > 0.01 * before)
        if (Status s = factor_hidden(system, start_, sigma_); !s) return s;
      before = size;
      lu_.solve(r_);
      // {g,H} may be a single term, such as H_beta, and is then no measure of its own round-off.
      if (rounding.judge(slide_size(r_)) == Stopping::Verdict::done) {
        measure_reach(system, start_, sigma_);
        return {Outcome::ok, k, size};
      }
      subtract_scaled(1, r_, sigma_);
    }
    return {Outcome::no_convergence, options_.max_iterations, size};
  }
  /// Length of a small slide by d at the last linearisation, relative to the state it began from.
  double slide_size(const Multiplier& d) const {
    double slide_q = 0, slide_p = 0, size_q = 1e-3, size_p = 1e-3;
    for (int j = 0; j < n_; ++j) {
      double dq = 0, dp = 0;
      for (int i = 0; i < m_; ++i) {
        dp += magnitude(base(g_q_(i, j))) * magnitude(d[i]);
        if (!holonomic_) dq += magnitude(base(g_p_(i, j))) * magnitude(d[i]);
      }
      slide_q = larger(slide_q, dq);
      slide_p = larger(slide_p, dp);
      size_q = larger(size_q, magnitude(base(start_.q[j])));
      size_p = larger(size_p, magnitude(base(start_.p[j])));
    }
    return larger(slide_q / size_q, slide_p / size_p);
  }

  /// rho = {g, H} = g_q H_p - g_p H_q; returns its round-off.
  double hidden(const Sys& system, const Point& z, Multiplier& rho) {
    system.linearise(z.q, z.p, rho, g_q_, g_p_);
    system.energy_gradient(z.q, z.p, h_q_, h_p_);
    const bool holonomic = system.traits().holonomic;
    double scale = 0;
    for (int i = 0; i < m_; ++i) {
      S sum(0);
      double row = 0;
      for (int j = 0; j < n_; ++j) {
        const S a = g_q_(i, j) * h_p_[j];
        sum += a;
        row += magnitude(a);
        if (holonomic) continue;
        const S b = g_p_(i, j) * h_q_[j];
        sum -= b;
        row += magnitude(b);
      }
      rho[i] = sum;
      scale = larger(scale, row);
    }
    return 2 * epsilon<S> * scale;
  }

  /// d/dlambda of g(phi_h(exp(lambda) z))/h at the present lambda.
  Status factor_position(const Sys& system, const Real<S>& h) {
    return factor_by_sweeps(system, start_, lambda_, [&](LiftedPoint& y, auto& out) {
      const Status status = lifted_base_.apply(system, h, y);
      system.constraint(y.q, y.p, out);
      const Real<S> inverse_h = Real<S>(1) / h;
      scale(inverse_h, out);
      return status;
    });
  }
  /// d/dsigma of {g, H}(exp(sigma) z): N on the state manifold.
  Status factor_hidden(const Sys& system, const Point& z, const Multiplier& sigma) {
    return factor_by_sweeps(system, z, sigma, [&](LiftedPoint& y, auto& out) {
      auto& f_q = detail::scratch<Lifted, N, 30>(n_);
      auto& f_p = detail::scratch<Lifted, N, 31>(n_);
      thread_local Matrix<Lifted, M, N> j_q, j_p;
      j_q.resize(m_, n_);
      j_p.resize(m_, n_);
      system.linearise(y.q, y.p, out, j_q, j_p);
      system.energy_gradient(y.q, y.p, f_q, f_p);
      for (int i = 0; i < m_; ++i) {
        Lifted sum(T(0));
        for (int j = 0; j < n_; ++j) sum += j_q(i, j) * f_p[j];
        if (!system.traits().holonomic)
          for (int j = 0; j < n_; ++j) sum -= j_p(i, j) * f_q[j];
        out[i] = sum;
      }
      return Status{};
    });
  }
  /// Of map(exp(at) z).
  template <class Map>
  Status factor_by_sweeps(const Sys& system, const Point& z, const Multiplier& at, Map&& map) {
    auto& seeds = detail::scratch<Lifted, M, 32>(m_);
    auto& out = detail::scratch<Lifted, M, 33>(m_);
    for (int first = 0; first < m_; first += K) {
      for (int i = 0; i < m_; ++i) seeds[i] = Lifted(base(at[i]));
      for (int k = 0; k < K && first + k < m_; ++k) seeds[first + k].partials[k] = T(1);
      for (int i = 0; i < n_; ++i) {
        lifted_.q[i] = Lifted(base(z.q[i]));
        lifted_.p[i] = Lifted(base(z.p[i]));
      }
      if (Status s = lifted_fibre_.slide(system, seeds, lifted_); !s) return s;
      if (Status s = map(lifted_, out); !s) return s;
      for (int i = 0; i < m_; ++i)
        for (int k = 0; k < K && first + k < m_; ++k) matrix_(i, first + k) = out[i].partials[k];
    }
    report_ = lu_.factor([&](int i, int j) { return matrix_(i, j); });
    if (report_.ok) return {};
    const bool finite = std::isfinite(largest_magnitude(matrix_));
    return {finite ? Outcome::rank_loss : Outcome::not_finite, 0, report_.smallest_pivot};
  }
  /// Negative eigenvalues of the symmetric part of the last matrix: N on the state manifold.
  int inertia() {
    return inertia_
        .factor([&](int i, int j) { return T((matrix_(i, j) + matrix_(j, i)) * T(0.5)); })
        .negative;
  }

  int n_, m_;
  bool holonomic_;
  SolveOptions options_;
  BaseStepper<Sys, S> base_;
  Fibre<Sys, S> fibre_;
  BaseStepper<Sys, Lifted> lifted_base_;
  Fibre<Sys, Lifted> lifted_fibre_;
  Point work_, start_;
  LiftedPoint lifted_;
  Vector<S, N> h_q_, h_p_;
  Matrix<S, M, N> g_q_, g_p_;
  Multiplier lambda_, sigma_, r_, zero_;
  Predictors predictors_;
  Histories<Predictors> histories_;  // of the other substeps
  Matrix<T, M> matrix_;
  static constexpr int R = M == 0 ? 1 : M;  // solvers have at least one row, used or not
  DenseLu<T, R> lu_;
  DenseLdlt<T, R> inertia_;
  FactorReport report_;
  double floor_ = 0;
  int negative_ = 0;  // inertia of N at the start of the run
  T energy_{};        // of the last state, and its largest change in one step so far
  double usual_change_ = 0;
  double reach_ = 0;  // of the last slides
  bool fresh_ = false;
};

}  // namespace rattleback

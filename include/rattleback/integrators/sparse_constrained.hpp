// SHAKE and RATTLE over any base map with a tableau and any fibre, for large systems: the map of
// general_constrained.hpp, with the stages and lambda solved for together by one sparse Newton
// matrix (step_matrix.hpp), which is kept over steps while it contracts.
//
//   z+  = exp(sum lambda_i X_gi) z
//   K_j = X_H(z+ + h sum_l a_jl K_l),   z- = z+ + h sum_j b_j K_j,   g(z-) = 0      SHAKE: z1 = z-
//   z1  = exp(sum sigma_i X_gi) z-,   {g, H}(z1) = 0                                RATTLE
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/integrators/base_map.hpp"
#include "rattleback/integrators/branch.hpp"
#include "rattleback/integrators/sparse_fibre.hpp"
#include "rattleback/integrators/step_matrix.hpp"
#include "rattleback/solve/histories.hpp"
#include "rattleback/solve/newton.hpp"
#include "rattleback/solve/predictor.hpp"
#include "rattleback/solve/structure.hpp"

namespace rattleback {

namespace detail {

/// Every base map but the exact one is a partitioned Runge-Kutta method.
template <class R>
std::optional<Tableau<R>> tableau_of(const BaseMapChoice& choice) {
  switch (choice.map) {
    case BaseMap::euler_a:
      return theta_tableau(R(0));
    case BaseMap::euler_b:
      return theta_tableau(R(1));
    case BaseMap::verlet:
      return lobatto_tableau<R>(2);
    case BaseMap::verlet_b: {
      Tableau<R> t = lobatto_tableau<R>(2);
      std::swap(t.a, t.a_hat);
      return t;
    }
    default:
      return stages_of<R>(choice);
  }
}

}  // namespace detail

template <class S>
class SparseConstrained {
 public:
  using T = Base<S>;
  using Values = Vector<S, dynamic>;
  using Multiplier = Values;
  using Point = State<S>;

  /// The system has sparse derivatives, the base map a tableau.
  SparseConstrained(const AnySystem& system, BaseMapChoice base, SolveOptions options = {})
      : n_(system.dimension()),
        m_(system.constraint_count()),
        options_(options),
        derivatives_(sparse_derivatives(system)),
        pattern_(std::make_shared<StepPattern>(*derivatives_)),
        tableau_(*detail::tableau_of<Real<S>>(base)),
        fibre_(pattern_, derivatives_, system.traits().quadratic, options),
        matrix_(pattern_, tableau_.stages()),
        history_(2 * n_ * tableau_.stages(), m_),
        stages_(tableau_.stages(), Values(2 * n_)),
        r_(matrix_.unknowns()),
        lambda_(m_),
        sigma_(m_),
        g_(m_) {
    for (Values* z : {&start_, &plus_, &minus_, &field_}) z->resize(2 * n_);
    slopes_.resize(2 * n_ * tableau_.stages());
    values_.hessian.assign(tableau_.stages(), std::vector<T>(derivatives_->hessian_places.size()));
    for (auto* slopes : {&values_.before, &values_.after})
      slopes->resize(derivatives_->slope_places.size());
  }

  void reset() { fresh_ = false; }
  const Multiplier& lambda() const { return lambda_; }
  std::string structure(const AnySystem&) const {
    return in_words(SolverKind::sparse, matrix_.unknowns()) + " with the stages";
  }
  /// The next step is substep k of a composition: its first guess comes from its like.
  void select(std::size_t k) { histories_.select(k, history_); }

  Status step(const AnySystem& system, Point& z, const Real<S>& h, bool project) {
    gather(z);
    if (!fresh_)
      if (Status s = begin(system); !s) return s;
    // See GeneralConstrained::step.
    Status status;
    for (int order : {3, 1, 0}) {
      if (order < 3 && history_.lambda.known() == 0) break;
      gather(z);
      status = attempt(system, h, project, order);
      if (status) break;
      factored_for_ = Real<S>(0);
    }
    if (!status) return status;
    const T energy = base(fibre_.functions().energy(system, minus_));
    usual_change_ = larger(usual_change_, magnitude(T(energy - energy_)));
    energy_ = energy;
    history_.slopes.record(Real<S>(1), slopes_);
    history_.lambda.record(h, lambda_);
    if (project) history_.sigma.record(h, sigma_);
    scatter(minus_, z);
    return status;
  }

  /// Slides z along its fibre to {g, H} = 0.
  Status project(const AnySystem& system, Point& z) {
    if (m_ == 0) return {};
    gather(z);
    sigma_.setConstant(S(0));
    const Status status = fibre_.project(system, std::nullopt, sigma_, start_);
    if (status) scatter(start_, z);
    return status;
  }

 private:
  using Predictor = MultiplierPredictor<Values>;
  struct History {
    History(int slopes, int multipliers)
        : slopes(slopes), lambda(multipliers), sigma(multipliers) {}
    Predictor slopes, lambda, sigma;
    void reset() { slopes.reset(), lambda.reset(), sigma.reset(); }
  };

  void gather(const Point& z) {
    for (int i = 0; i < n_; ++i) start_[i] = z.q[i], start_[n_ + i] = z.p[i];
  }
  void scatter(const Values& from, Point& z) const {
    for (int i = 0; i < n_; ++i) z.q[i] = from[i], z.p[i] = from[n_ + i];
  }
  double extent(int first) const {
    double most = threshold::least_scale;
    for (int i = first; i < first + n_; ++i) most = larger(most, magnitude(base(start_[i])));
    return most;
  }

  [[gnu::noinline]] Status begin(const AnySystem& system) {
    history_.reset();
    histories_.reset();
    factored_for_ = Real<S>(0);
    // Round-off of g when (q, p) are rounded, see GeneralConstrained::start.
    fibre_.functions().linearise(start_);
    const double size_q = extent(0), size_p = extent(n_);
    double scale = 0;
    for (int i = 0; i < m_; ++i) {
      double row = 0;
      for (const auto& e : pattern_->slopes(i))
        row += magnitude(base(fibre_.functions().slopes()[e.value])) *
               (e.column < n_ ? size_q : size_p);
      scale = larger(scale, row);
    }
    floor_ = 2 * epsilon<S> * scale;
    if (m_ > 0) {  // rank before residual
      if (Status s = fibre_.factor(start_); !s) return s;
      negative_ = fibre_.negative();
    }
    energy_ = base(fibre_.functions().energy(system, start_));
    usual_change_ = 0;
    fresh_ = true;
    return {};
  }

  /// One try of a step from start_ with a guess of the given order; it ends in minus_.
  Status attempt(const AnySystem& system, const Real<S>& h, bool project, int order) {
    Status status = land(system, h, order);
    if (m_ == 0) return status;
    double reach = status ? fibre_.reach(lambda_, start_) : 0;
    if (status && project) {
      copy(minus_, start_);
      history_.sigma.predict(h, sigma_, order);
      Status projected = fibre_.project(system, negative_, sigma_, minus_);
      projected.iterations += status.iterations;
      status = projected;
      reach = larger(reach, fibre_.reach(sigma_, start_));
    }
    const bool hard = detail::was_hard<S>(status);
    if (!status || (pattern_->holonomic() && !hard)) return status;
    const double change = magnitude(T(base(fibre_.functions().energy(system, minus_)) - energy_));
    const bool jumped =
        hard && usual_change_ > 0 && change > threshold::unusual_change * usual_change_;
    if (Status s = fibre_.factor(minus_); !s) return s;
    if (fibre_.negative() != negative_ || jumped || reach > threshold::farthest_slide)
      status.outcome = Outcome::branch_jump;
    return status;
  }

  /// Slopes of the stages and lambda by Newton, with z- in minus_ on exit.
  Status land(const AnySystem& system, const Real<S>& h, int order) {
    predict(system, h, order);
    const double scale = std::max(extent(0), extent(n_));
    Stopping stages(std::max(2 * epsilon<S>, options_.tolerance) * scale, options_.band);
    Stopping landing(std::max(floor_, options_.tolerance * floor_ / epsilon<S>));
    bool settled = false, slow = factored_for_ != h;
    for (int k = 0; k < options_.max_iterations; ++k) {
      if (Status s = residual(system, h); !s) return s;
      double size = 0;
      for (int i = 0; i < m_; ++i)
        size = larger(size, magnitude(r_[slopes_.size() + i]) * magnitude(h));
      const auto verdict = landing.judge(size);
      if (verdict == Stopping::Verdict::not_finite) return {Outcome::not_finite, k, size};
      if (settled && verdict == Stopping::Verdict::done) return {Outcome::ok, k, size};
      if (slow || size > threshold::slow_contraction * landing.before())
        if (Status s = factor(h); !s) return s;
      matrix_.solve(r_);
      double change = 0;
      for (Eigen::Index i = 0; i < slopes_.size(); ++i) {
        slopes_[i] -= r_[i];
        change = larger(change, magnitude(r_[i]));
      }
      for (int i = 0; i < m_; ++i) lambda_[i] -= r_[slopes_.size() + i];
      const auto moved = stages.judge(change * magnitude(h));
      if (moved == Stopping::Verdict::not_finite) return {Outcome::not_finite, k, change};
      settled = moved == Stopping::Verdict::done ||
                stages.settled(2 * epsilon<S> * magnitude(h) * largest_magnitude(slopes_));
      slow = stages.last() > threshold::slow_contraction * stages.before();
    }
    return {Outcome::no_convergence, options_.max_iterations, stages.last()};
  }
  void predict(const AnySystem& system, const Real<S>& h, int order) {
    history_.slopes.predict(Real<S>(1), slopes_, order);
    history_.lambda.predict(h, lambda_, order);
    if (order > 0 && history_.slopes.known() > 0) return;
    fibre_.functions().flow_field(system, start_, field_);
    for (Eigen::Index i = 0; i < slopes_.size(); ++i) slopes_[i] = field_[i % (2 * n_)];
  }
  /// r = ( K_j - X_H(Z_j),  g(z-)/h )
  Status residual(const AnySystem& system, const Real<S>& h) {
    copy(start_, plus_);
    if (Status s = fibre_.slide(lambda_, plus_); !s) return s;
    const int d = 2 * n_, s = tableau_.stages();
    copy(plus_, minus_);
    for (int j = 0; j < s; ++j) {
      Values& z = stages_[j];
      copy(plus_, z);
      for (int l = 0; l < s; ++l) {
        const Real<S> a = h * tableau_.a(j, l), a_hat = h * tableau_.a_hat(j, l);
        const S* slope = slopes_.data() + d * l;
        for (int i = 0; i < n_; ++i) z[i] += slope[i] * a, z[n_ + i] += slope[n_ + i] * a_hat;
      }
      fibre_.functions().flow_field(system, z, field_);
      const Real<S> b = h * tableau_.b[j];
      for (int i = 0; i < d; ++i) {
        r_[d * j + i] = slopes_[d * j + i] - field_[i];
        minus_[i] += slopes_[d * j + i] * b;
      }
    }
    fibre_.functions().constraint(system, minus_, g_);
    for (int i = 0; i < m_; ++i) r_[d * s + i] = g_[i] * Real<S>(Real<S>(1) / h);
    return {};
  }
  /// The matrix at the stages last visited.
  Status factor(const Real<S>& h) {
    PhaseFunctions<S>& functions = fibre_.functions();
    for (int j = 0; j < tableau_.stages(); ++j) functions.hessian(stages_[j], values_.hessian[j]);
    functions.slopes(plus_, values_.before);
    functions.slopes(minus_, values_.after);
    factored_for_ = Real<S>(0);
    const FactorReport report = matrix_.factor(tableau_, h, values_);
    if (!report.ok) return broken(report);
    factored_for_ = h;
    return {};
  }

  int n_, m_;
  SolveOptions options_;
  std::shared_ptr<const SparseDerivatives> derivatives_;
  std::shared_ptr<const StepPattern> pattern_;
  Tableau<Real<S>> tableau_;
  SparseFibre<S> fibre_;
  StepMatrix<T> matrix_;
  History history_;
  Histories<History> histories_;         // of the other substeps
  Values start_, plus_, minus_, field_;  // where a slide begins, z+, z- or z1; a field
  std::vector<Values> stages_;
  Values slopes_, r_;  // K_j
  Multiplier lambda_, sigma_, g_;
  StepValues<T> values_;
  Real<S> factored_for_{0};  // the step that the matrix belongs to, 0: none
  double floor_ = 0;
  int negative_ = 0;  // inertia of N at the start of the run
  T energy_{};        // of the last state, and its largest change in one step so far
  double usual_change_ = 0;
  bool fresh_ = false;
};

}  // namespace rattleback

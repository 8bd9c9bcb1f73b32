// The stages of a driven field with a sparse matrix, for systems that tell the nonzeros of their
// derivatives; see driven_stages.hpp. The matrix is kept over steps while it contracts tenfold.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "rattleback/integrators/stage_blocks.hpp"
#include "rattleback/problem/any_system.hpp"
#include "rattleback/solve/newton.hpp"
#include "rattleback/solve/structure.hpp"

namespace rattleback {

template <class S>
class SparseDriven {
 public:
  using T = Base<S>;
  using Unknown = Vector<S, dynamic>;

  /// The system has sparse derivatives.
  SparseDriven(const AnySystem& system, Formulation form, const Tableau<Real<S>>& tableau,
               const SolveOptions& options)
      : n_(system.dimension()),
        times_h_(form == Formulation::unconstrained),
        options_(options),
        energy_(sparse_derivatives(system)),
        drive_(driven_derivatives(system, form)),
        k_(drive_->multipliers * system.constraint_count()),
        tableau_(tableau),
        blocks_(*energy_, *drive_, tableau.stages()),
        q_(n_),
        p_(n_),
        h_q_(n_),
        h_p_(n_),
        p_and_l_(n_ + k_),
        drive_z_(2 * n_),
        r_(tableau.stages() * (2 * n_ + k_)),
        guess_(r_.size()),
        ordered_(r_.size()),
        room_(blocks_.lu().widest()),
        base_q_(n_),
        base_p_and_l_(n_ + k_) {}

  void forget() { factored_ = false; }
  int multipliers() const { return k_; }
  std::string structure() const {
    return in_words(SolverKind::sparse, static_cast<int>(r_.size())) + " with the stages";
  }
  /// As DrivenField::evaluate.
  Status evaluate(const AnySystem& system, const Real<S>& h, const Real<S>& kappa, const Unknown& x,
                  const S* l, Unknown& a, S* kept) {
    for (int i = 0; i < n_; ++i) q_[i] = x[i], p_[i] = p_and_l_[i] = x[n_ + i];
    for (int k = 0; k < k_; ++k) p_and_l_[n_ + k] = l[k];
    system.energy_gradient(q_, p_, h_q_, h_p_);
    drive_->field(q_.data(), p_and_l_.data(), drive_z_.data(), kept);
    const Real<S> weight = times_h_ ? h : Real<S>(1);
    for (int i = 0; i < n_; ++i) {
      a[i] = h_q_[i] * Real<S>(h * kappa) + drive_z_[i] * weight;
      a[n_ + i] = h_p_[i] * h + drive_z_[n_ + i] * weight;
    }
    return {};
  }
  /// Of a matrix from another step the iteration may diverge: then once more, with its own.
  template <class Residual, class Point, class End = AtStages>
  Status solve(const AnySystem&, const Real<S>& h, const Real<S>& kappa, Unknown& x, double floor,
               Residual&& residual, Point&& point, End end = {}) {
    const bool old = factored_ && factored_for_ == h;
    factored_ = old;
    if (old) copy(x, guess_);
    const auto refactor = [&](const Unknown& at) { return factor(h, kappa, at, point, end); };
    const Status status = iterate(x, floor, residual, refactor);
    if (status || !old) return status;
    factored_ = false;
    copy(guess_, x);
    Status again = iterate(x, floor, residual, refactor);
    again.iterations += status.iterations;
    return again;
  }

 private:
  template <class Residual, class Refactor>
  Status iterate(Unknown& x, double floor, Residual&& residual, Refactor&& refactor) {
    Stopping stopping(std::max(floor, options_.tolerance), options_.band);
    double size = 0;
    for (int k = 0; k < options_.max_iterations; ++k) {
      if (Status s = residual(x, r_); !s) return s;
      const bool slow = k > 0 && !(size <= threshold::slow_contraction * stopping.before());
      if ((!factored_ || slow) && !refactor(x)) {
        const bool finite = std::isfinite(largest_magnitude(r_));
        return {finite ? Outcome::rank_loss : Outcome::not_finite, k, size};
      }
      blocks_.gather(r_, ordered_);
      blocks_.lu().solve(ordered_.data(), room_.data());
      blocks_.subtract(ordered_, x);
      size = largest_magnitude(ordered_);
      const auto verdict = stopping.judge(size);
      if (verdict == Stopping::Verdict::not_finite) return {Outcome::not_finite, k + 1, size};
      if (verdict == Stopping::Verdict::done ||
          stopping.settled(2 * epsilon<S> * largest_magnitude(x)))
        return {Outcome::ok, k + 1, size};
    }
    return {Outcome::no_convergence, options_.max_iterations, size};
  }
  template <class Point, class End>
  bool factor(const Real<S>& h, const Real<S>& kappa, const Unknown& x, Point&& point, End&& end) {
    for (int j = 0; j < tableau_.stages(); ++j) {
      visit(point(x, j));
      auto& values = blocks_.values(j);
      energy_->hessian(base_q_.data(), base_p_and_l_.data(), values.energy.data(),
                       values.energy.data());
      drive_->slopes(base_q_.data(), base_p_and_l_.data(), values.drive.data(), values.kept.data());
      if constexpr (!std::is_same_v<std::decay_t<End>, AtStages>) {
        visit(end(x, j));
        values.end.resize(values.drive.size());
        drive_->slopes(base_q_.data(), base_p_and_l_.data(), values.end.data(), values.kept.data());
      }
    }
    blocks_.assemble(tableau_, h, kappa, times_h_ ? h : Real<S>(1));
    factored_ = blocks_.lu().factor().ok;
    factored_for_ = h;
    return factored_;
  }

  template <class Place>
  void visit(const Place& place) {
    const auto& [at, l] = place;
    for (int i = 0; i < n_; ++i) base_q_[i] = base(at[i]), base_p_and_l_[i] = base(at[n_ + i]);
    for (int k = 0; k < k_; ++k) base_p_and_l_[n_ + k] = base(l[k]);
  }

  int n_;
  bool times_h_;
  SolveOptions options_;
  std::shared_ptr<const SparseDerivatives> energy_;
  std::shared_ptr<const DrivenDerivatives> drive_;
  int k_;
  Tableau<Real<S>> tableau_;
  StageBlocks<T> blocks_;
  Unknown q_, p_, h_q_, h_p_, p_and_l_, drive_z_;
  Unknown r_, guess_, ordered_, room_;
  Vector<T, dynamic> base_q_, base_p_and_l_;
  Real<S> factored_for_{};
  bool factored_ = false;
};

}  // namespace rattleback

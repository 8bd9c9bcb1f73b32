// The fibres of sparse constraints: slides along them, and the point on each where {g, H} = 0. As
// geometry/fibre.hpp and general_constrained.hpp, by nonzeros.
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "rattleback/geometry/fibre.hpp"
#include "rattleback/integrators/phase_functions.hpp"
#include "rattleback/solve/newton.hpp"

namespace rattleback {

/// A matrix that could not be factored, as the outcome of a step.
inline Status broken(const FactorReport& report) {
  const bool finite = std::isfinite(report.largest_pivot);
  return {finite ? Outcome::rank_loss : Outcome::not_finite, 0, report.smallest_pivot};
}

template <class S>
class SparseFibre {
 public:
  using T = Base<S>;
  using Values = Vector<S, dynamic>;

  /// `affine`: every g_i is quadratic.
  SparseFibre(const std::shared_ptr<const StepPattern>& pattern,
              const std::shared_ptr<const SparseDerivatives>& derivatives, bool affine,
              const SolveOptions& options)
      : pattern_(pattern),
        affine_(affine),
        options_(options),
        functions_(pattern, derivatives),
        flow_(2 * pattern->dimension()),
        start_(2 * pattern->dimension()),
        field_(2 * pattern->dimension()),
        rho_(pattern->constraints()),
        hessian_(derivatives->hessian_places.size()),
        slopes_(derivatives->slope_places.size()),
        turning_(derivatives->slope_places.size()) {
    if (pattern->constraints() > 0) hidden_.emplace(pattern);
  }
  PhaseFunctions<S>& functions() { return functions_; }

  /// z <- exp(sum lambda_i X_gi) z
  Status slide(const Values& lambda, Values& z) {
    if (lambda.size() == 0) return {};
    if (!pattern_->holonomic())
      return flow_.advance(
          [&](const Values& x, Values& out) { functions_.fibre_field(lambda, x, out); }, affine_,
          z);
    functions_.fibre_field(lambda, z, field_);
    for (Eigen::Index i = 0; i < z.size(); ++i) z[i] += field_[i];
    return {};
  }
  /// Length of the slide by lambda from z, relative to the state: an angle where the fibre is a
  /// circle; 0 where it is straight.
  double reach(const Values& lambda, const Values& z) {
    if (pattern_->holonomic()) return 0;
    functions_.fibre_field(lambda, z, field_);
    double speed = 0, size = 1e-30;
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      speed = larger(speed, magnitude(base(field_[i])));
      size = larger(size, magnitude(base(z[i])));
    }
    return speed / size;
  }

  /// Factors N = {{g, H}, g} at z.
  Status factor(const Values& z) {
    functions_.hessian(z, hessian_);
    functions_.slopes(z, slopes_);
    functions_.turning(z, turning_);
    report_ = hidden_->factor(hessian_, slopes_, turning_);
    return report_.ok ? Status{} : broken(report_);
  }
  /// Negative eigenvalues of the last N.
  int negative() const { return report_.negative; }

  /// z <- exp(sum sigma_i X_gi) z with {g, H} = 0, sigma by Newton from a guess. `negative`: what
  /// is expected of N, anything else is another branch.
  Status project(const AnySystem& system, const std::optional<int>& negative, Values& sigma,
                 Values& z) {
    copy(z, start_);
    // Round-off of {g, H} comes from what slides, too; see GeneralConstrained.
    double floor = 2 * epsilon<S> * functions_.hidden(system, start_, rho_), size = 0;
    Stopping stopping(0), rounding(epsilon<S>);
    for (int k = 0; k < options_.max_iterations; ++k) {
      copy(start_, z);
      if (Status s = slide(sigma, z); !s) return s;
      floor = larger(floor, 2 * epsilon<S> * functions_.hidden(system, z, rho_));
      size = largest_magnitude(rho_);
      if (stopping.judge(size) == Stopping::Verdict::not_finite)
        return {Outcome::not_finite, k, size};
      if (k == 0 || size > threshold::kept_contraction * stopping.before())
        if (Status s = factor(z); !s) return s;
      if (k == 0 && negative && report_.negative != *negative)
        return {Outcome::branch_jump, 0, report_.smallest_pivot};
      if (stopping.settled(floor)) return {Outcome::ok, k, size};
      hidden_->solve(rho_);
      // {g, H} may be a single term, and is then no measure of its own round-off.
      if (rounding.judge(slide_size(rho_)) == Stopping::Verdict::done)
        return {Outcome::ok, k, size};
      subtract_scaled(1, rho_, sigma);
    }
    return {Outcome::no_convergence, options_.max_iterations, size};
  }

 private:
  /// Length of a small slide by d at the last linearisation, relative to the state it began from.
  double slide_size(const Values& d) const {
    const int n = pattern_->dimension();
    double slide[2] = {0, 0}, size[2] = {threshold::least_scale, threshold::least_scale};
    for (int c = 0; c < 2 * n; ++c) {
      double sum = 0;
      for (const auto& e : pattern_->fields(c))
        sum += magnitude(base(functions_.slopes()[e.value])) * magnitude(d[e.column]);
      slide[c / n] = larger(slide[c / n], sum);
      size[c / n] = larger(size[c / n], magnitude(base(start_[c])));
    }
    return larger(slide[0] / size[0], slide[1] / size[1]);
  }

  std::shared_ptr<const StepPattern> pattern_;
  bool affine_;
  SolveOptions options_;
  PhaseFunctions<S> functions_;
  FibreFlow<S, dynamic> flow_;
  Values start_, field_, rho_;
  std::vector<T> hessian_, slopes_, turning_;
  std::optional<HiddenMatrix<T>> hidden_;
  FactorReport report_;
};

}  // namespace rattleback

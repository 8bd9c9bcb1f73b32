// Newton's method for small dense systems in any scalar. The matrix is made of base values; with
// dual unknowns the partial derivatives converge with the values, so that the derivative of an
// implicitly defined map is as exact as the map.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "rattleback/problem/vector_ops.hpp"
#include "rattleback/solve/status.hpp"
#include "rattleback/solve/thresholds.hpp"

namespace rattleback {

struct SolveOptions {
  double tolerance = 0;     ///< relative; 0 means down to the round-off floor
  int max_iterations = 50;  ///< then the step is given up
  /// How far above the floor a stalled iteration still counts as round-off.
  double band = threshold::round_off_band;
};

/// Decides when an iteration that shrinks `size` is done: at the floor, or when it no longer
/// shrinks while already near it (round-off is reached and no tolerance can be).
class Stopping {
 public:
  enum class Verdict { go_on, done, not_finite };

  explicit Stopping(double floor, double band = SolveOptions{}.band) : floor_(floor), band_(band) {}
  Verdict judge(double size) {
    before_ = last_;
    last_ = size;
    if (!(size < threshold::overflow)) return Verdict::not_finite;
    return settled(floor_) ? Verdict::done : Verdict::go_on;
  }
  /// Whether the size last judged is at this floor.
  bool settled(double floor) const {
    return last_ <= floor || (last_ > threshold::standstill * before_ && last_ <= band_ * floor);
  }
  double last() const { return last_; }
  double before() const { return before_; }

 private:
  double floor_, band_;
  double last_ = threshold::overflow, before_ = threshold::overflow;
};

/// Watches the residuals of an iteration that keeps its matrix: whether they shrink by half at
/// least.
class Contraction {
 public:
  enum class Verdict { good, poor, not_finite };

  RATTLEBACK_INLINE Verdict judge(double size) {
    const bool shrinks = !(size > threshold::poor_contraction * last_);  // the first one does
    last_ = size;
    if (!(size < threshold::residual_overflow)) return Verdict::not_finite;
    return shrinks ? Verdict::good : Verdict::poor;
  }
  double last() const { return last_; }

 private:
  double last_ = std::numeric_limits<double>::infinity();
};

/// Solves F(x) = 0. residual(x, r) writes r = F(x) and returns a Status; refactor(x) factors the
/// matrix at x (false if singular); lu.solve(r) turns r into the correction. Stops when the
/// correction is below `floor`, or round-off of x, which may have grown since that was measured.
template <class X, class Residual, class Refactor, class Solver>
Status newton(X& x, X& r, double floor, const SolveOptions& options, Residual&& residual,
              Refactor&& refactor, const Solver& solver) {
  Stopping stopping(std::max(floor, options.tolerance), options.band);
  double size = 0;
  for (int k = 0; k < options.max_iterations; ++k) {
    // A matrix that still contracts a hundredfold is kept.
    const bool regular =
        (k > 0 && size <= threshold::kept_contraction * stopping.before()) || refactor(x);
    if (Status s = residual(x, r); !s) return s;
    if (!regular) {  // or not a number, like what it is the derivative of
      const bool finite = std::isfinite(largest_magnitude(r));
      return {finite ? Outcome::rank_loss : Outcome::not_finite, k, size};
    }
    solver.solve(r);
    subtract_scaled(1, r, x);
    size = largest_magnitude(r);
    const auto verdict = stopping.judge(size);
    if (verdict == Stopping::Verdict::not_finite) return {Outcome::not_finite, k + 1, size};
    if (verdict == Stopping::Verdict::done ||
        stopping.settled(2 * epsilon<typename X::Scalar> * largest_magnitude(x)))
      return {Outcome::ok, k + 1, size};
  }
  return {Outcome::no_convergence, options.max_iterations, size};
}

}  // namespace rattleback

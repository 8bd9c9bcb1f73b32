// Newton's method for small dense systems in any scalar. The matrix is made of base values; with
// dual unknowns the partial derivatives converge with the values, so that the derivative of an
// implicitly defined map is as exact as the map.
#pragma once

#include <algorithm>
#include <cmath>

#include "rattleback/problem/vector_ops.hpp"
#include "rattleback/solve/status.hpp"

namespace rattleback {

struct SolveOptions {
  double tolerance = 0;     ///< relative; 0 means down to the round-off floor
  int max_iterations = 50;  ///< then the step is given up
};

/// Decides when an iteration that shrinks `size` is done: at the floor, or when it no longer
/// shrinks while already near it (round-off is reached and no tolerance can be).
class Stopping {
 public:
  enum class Verdict { go_on, done, not_finite };

  explicit Stopping(double floor) : floor_(floor) {}
  Verdict judge(double size) {
    if (size <= floor_) return Verdict::done;
    if (!(size < 1e150)) return Verdict::not_finite;
    const bool stagnates = size > 0.25 * last_ && size <= stagnation_band * floor_;
    last_ = size;
    return stagnates ? Verdict::done : Verdict::go_on;
  }
  double last() const { return last_; }

  /// How far above the floor a stalled iteration still counts as round-off.
  static constexpr double stagnation_band = 1e4;

 private:
  double floor_;
  double last_ = 1e150;
};

/// Solves F(x) = 0. residual(x, r) writes r = F(x) and returns a Status; refactor(x) factors the
/// matrix at x (false if singular); lu.solve(r) turns r into the correction. Stops when the
/// correction is below `floor`, or round-off of x, which may have grown since that was measured.
template <class X, class Residual, class Refactor, class Solver>
Status newton(X& x, X& r, double floor, const SolveOptions& options, Residual&& residual,
              Refactor&& refactor, const Solver& solver) {
  Stopping stopping(std::max(floor, options.tolerance));
  double size = 0, before = 1e150;
  for (int k = 0; k < options.max_iterations; ++k) {
    // A matrix that still contracts a hundredfold is kept.
    const bool regular = (k > 0 && size <= 1e-2 * before) || refactor(x);
    if (Status s = residual(x, r); !s) return s;
    if (!regular) {  // or not a number, like what it is the derivative of
      const bool finite = std::isfinite(largest_magnitude(r));
      return {finite ? Outcome::rank_loss : Outcome::not_finite, k, size};
    }
    solver.solve(r);
    subtract_scaled(1, r, x);
    before = size > 0 ? size : before;
    size = largest_magnitude(r);
    switch (stopping.judge(size)) {
      case Stopping::Verdict::done:
        return {Outcome::ok, k + 1, size};
      case Stopping::Verdict::not_finite:
        return {Outcome::not_finite, k + 1, size};
      case Stopping::Verdict::go_on:
        if (size <= 2 * epsilon<typename X::Scalar> * largest_magnitude(x))
          return {Outcome::ok, k + 1, size};
    }
  }
  return {Outcome::no_convergence, options.max_iterations, size};
}

}  // namespace rattleback

// What steps that solve for a velocity have in common: its size, and whether they have come to a
// root on the branch of the constraints that they began on.
#pragma once

#include <algorithm>
#include <cmath>

#include "rattleback/problem/system.hpp"
#include "rattleback/problem/vector_ops.hpp"
#include "rattleback/solve/status.hpp"
#include "rattleback/solve/thresholds.hpp"

namespace rattleback::detail {

/// Whether a general step took more iterations than its digits need.
template <class S>
bool was_hard(const Status& status) {
  static const double digits = std::log(epsilon<S>) / std::log(epsilon<double>);
  return status.iterations > threshold::easy_iterations * digits;
}

/// What the round-off of a velocity is relative to: it is known to eps |q|/h only.
template <class Point, class Velocity, class R>
double velocity_scale(const Point& z, const Velocity& h_p, const R& h) {
  return std::max({largest_magnitude(h_p), largest_magnitude(z.p),
                   largest_magnitude(z.q) / magnitude(h), threshold::least_scale});
}

/// A velocity near its first guess is on its branch.
template <class V, class G>
bool near_guess(const V& velocity, const G& guess) {
  using T = Base<typename G::Scalar>;
  double moved = 0, speed = 0;
  for (Eigen::Index i = 0; i < guess.size(); ++i) {
    moved = larger(moved, magnitude(T(base(velocity[i]) - base(guess[i]))));
    speed = larger(speed, magnitude(T(base(guess[i]))));
  }
  return moved <= threshold::near_guess * speed;
}

/// Far from it a constraint may be met on its other side, where its normal points back.
template <class Jacobian>
bool normals_agree(const Jacobian& before, const Jacobian& after) {
  for (Eigen::Index k = 0; k < before.rows(); ++k) {
    Base<typename Jacobian::Scalar> sum(0);
    for (Eigen::Index i = 0; i < before.cols(); ++i) sum += base(before(k, i)) * base(after(k, i));
    if (!(smallest(sum) > 0)) return false;
  }
  return true;
}

/// G where a step begins, held against that where it ends.
template <class Sys, class S>
class BranchWatch {
 public:
  explicit BranchWatch(const Sys& system)
      : g_(system.constraint_count()),
        jacobian_(system.constraint_count(), system.dimension()),
        end_(system.constraint_count(), system.dimension()),
        unused_(system.constraint_count(), system.dimension()) {}

  void begin(const Sys& system, const StateOf<Sys, S>& z) {
    system.linearise(z.q, z.p, g_, jacobian_, unused_);
  }
  const JacobianOf<Sys, S>& jacobian() const { return jacobian_; }
  template <class V, class G>
  bool same_branch(const Sys& system, const V& velocity, const G& guess,
                   const StateOf<Sys, S>& end) {
    if (g_.size() == 0 || near_guess(velocity, guess)) return true;
    system.linearise(end.q, end.p, g_, end_, unused_);
    return normals_agree(jacobian_, end_);
  }

 private:
  MultiplierOf<Sys, S> g_;
  JacobianOf<Sys, S> jacobian_, end_, unused_;
};

}  // namespace rattleback::detail

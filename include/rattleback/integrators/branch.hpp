// Whether a step by velocities has come to a root on the branch of the constraints that it began
// on.
#pragma once

#include "rattleback/problem/vector_ops.hpp"
#include "rattleback/solve/thresholds.hpp"

namespace rattleback::detail {

/// A velocity near its first guess is.
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

}  // namespace rattleback::detail

// Broyden's method over a factorisation that is kept: what the steps so far have shown of the
// matrix corrects the next one. It converges as long as the kept matrix B_0 contracts at all, and
// superlinearly, up to where the true matrix becomes singular.
//
//   s_k = B_k^-1 r_k,   B_{k+1}^-1 = (I + s_{k+1} s_k^T / |s_k|^2) B_k^-1          [Kelley95 7.3]
#pragma once

#include <array>

#include "rattleback/problem/dual.hpp"
#include "rattleback/problem/vector_ops.hpp"

namespace rattleback {

/// Partial derivatives are unknowns like the values: their equations have the same B_0.
template <class Multiplier>
class Broyden {
 public:
  using S = typename Multiplier::Scalar;
  using T = Base<S>;

  explicit Broyden(Eigen::Index count) {
    for (Multiplier& step : steps_) step.resize(count);
  }
  /// Begins again with B_0.
  void reset() { known_ = 0; }

  /// step = B_0^-1 r becomes s = B^-1 r.
  void correct(Multiplier& step) {
    if (known_ == depth) reset();
    for (int k = 0; k + 1 < known_; ++k) add_scaled(along(k, step), steps_[k + 1], step);
    if (known_ > 0)  // s_{k+1} stands on both sides
      scale(T(T(1) / (T(1) - along(known_ - 1, step))), step);
    steps_[known_] = step;
    // A lane that has converged takes no steps: 0/0 must be 0.
    squares_[known_] = T(std::numeric_limits<double>::min()) + inner(step, step);
    ++known_;
  }

 private:
  static constexpr int depth = 16;  // measured: 13 next to a singular matrix

  /// s_k.x / |s_k|^2
  T along(int k, const Multiplier& x) const { return T(inner(steps_[k], x) / squares_[k]); }

  static T inner(const Multiplier& a, const Multiplier& b) {
    T sum(0);
    for (Eigen::Index i = 0; i < a.size(); ++i) sum += product(a[i], b[i]);
    return sum;
  }
  static T product(const T& a, const T& b) { return T(a * b); }
  template <class U, int K>
  static T product(const Dual<U, K>& a, const Dual<U, K>& b) {
    T sum = product(a.value, b.value);
    for (int k = 0; k < K; ++k) sum += product(a.partials[k], b.partials[k]);
    return sum;
  }

  std::array<Multiplier, depth> steps_;
  std::array<T, depth> squares_;
  int known_ = 0;
};

}  // namespace rattleback

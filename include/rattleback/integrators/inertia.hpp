// The mass of a natural system that tells velocities only: p = M v from v = M^-1 p. For the places
// where a state is looked at.
#pragma once

#include "rattleback/problem/small_ldlt.hpp"
#include "rattleback/problem/vector_ops.hpp"

namespace rattleback {

template <class S, int N>
class Inertia {
 public:
  /// Two probes tell whether M^-1 is diagonal.
  template <class Sys>
  Inertia(const Sys& system, Vector<S, N> x) : masses_(x.size()) {
    const Eigen::Index n = x.size();
    Vector<S, N> v = x;
    const auto velocity_of = [&](auto&& entry) {
      for (Eigen::Index i = 0; i < n; ++i) x[i] = S(Real<S>(entry(i)));
      system.velocity(x, v);
    };
    velocity_of([](Eigen::Index) { return 1.0; });
    for (Eigen::Index i = 0; i < n; ++i) masses_[i] = v[i];
    velocity_of([](Eigen::Index i) { return 1 + 0.25 * static_cast<double>(i % 7); });
    bool diagonal = true;
    for (Eigen::Index i = 0; i < n; ++i)
      diagonal =
          diagonal && magnitude(S(v[i] - x[i] * masses_[i])) <= 4 * epsilon<S> * magnitude(v[i]);
    for (Eigen::Index i = 0; i < n; ++i) masses_[i] = S(1) / masses_[i];
    if (diagonal) return;
    full_ = true;
    inverse_.resize(n, n);
    for (Eigen::Index j = 0; j < n; ++j) {
      velocity_of([j](Eigen::Index i) { return i == j ? 1.0 : 0.0; });
      for (Eigen::Index i = 0; i < n; ++i) inverse_(i, j) = v[i];
    }
  }

  /// p = M v
  void momentum(const Vector<S, N>& v, Vector<S, N>& p) {
    if (!full_) {
      for (Eigen::Index i = 0; i < p.size(); ++i) p[i] = v[i] * masses_[i];
      return;
    }
    matrix_ = inverse_;
    copy(v, p);
    ldlt_solve(matrix_, p);
  }

 private:
  Vector<S, N> masses_;
  Matrix<S, N> inverse_, matrix_;  // of a full mass
  bool full_ = false;
};

}  // namespace rattleback

// The hidden constraint rho = {g, H} = g_q H_p - g_p H_q at a point, in any scalar, and its
// derivatives along directions of phase space.
#pragma once

#include "rattleback/problem/sweep.hpp"
#include "rattleback/problem/system.hpp"

namespace rattleback {

/// With room for the gradients it is made of, which stay those of the last point.
template <class Sys, class S>
class HiddenConstraint {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;

  explicit HiddenConstraint(const Sys& system)
      : holonomic_(system.traits().holonomic),
        h_q_(system.dimension()),
        h_p_(system.dimension()),
        g_q_(system.constraint_count(), system.dimension()),
        g_p_(system.constraint_count(), system.dimension()) {}

  void evaluate(const Sys& system, const Vector<S, N>& q, const Vector<S, N>& p,
                Vector<S, M>& rho) {
    system.linearise(q, p, rho, g_q_, g_p_);
    system.energy_gradient(q, p, h_q_, h_p_);
    for (Eigen::Index i = 0; i < rho.size(); ++i) {
      S sum(0);
      for (Eigen::Index j = 0; j < h_p_.size(); ++j) sum += g_q_(i, j) * h_p_[j];
      if (!holonomic_)
        for (Eigen::Index j = 0; j < h_q_.size(); ++j) sum -= g_p_(i, j) * h_q_[j];
      rho[i] = sum;
    }
  }
  /// The largest sum of the absolute values of one rho's terms: what its round-off is relative to.
  double size() const {
    double most = 0;
    for (Eigen::Index i = 0; i < g_q_.rows(); ++i) {
      double row = 0;
      for (Eigen::Index j = 0; j < g_q_.cols(); ++j) {
        row += magnitude(S(g_q_(i, j) * h_p_[j]));
        if (!holonomic_) row += magnitude(S(g_p_(i, j) * h_q_[j]));
      }
      most = larger(most, row);
    }
    return most;
  }
  const Matrix<S, M, N>& g_q() const { return g_q_; }
  const Matrix<S, M, N>& g_p() const { return g_p_; }  ///< unset where g is holonomic

 private:
  bool holonomic_;
  Vector<S, N> h_q_, h_p_;
  Matrix<S, M, N> g_q_, g_p_;
};

/// rho with its derivatives along directions, K of them at a time.
template <class Sys, class S, int K>
class HiddenSlopes {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;

  explicit HiddenSlopes(const Sys& system)
      : hidden_(system),
        q_(system.dimension()),
        p_(system.dimension()),
        rho_(system.constraint_count()) {}

  /// slope(i, j) = drho_i along direction j, whose components are direction_q(j, l) and
  /// direction_p(j, l).
  template <class DirectionQ, class DirectionP, class Slope>
  void evaluate(const Sys& system, const State<S, N>& z, int count, DirectionQ&& direction_q,
                DirectionP&& direction_p, Slope&& slope) {
    sweep<K>(count, [&](const auto& chunk) {
      chunk.seed_along(z.q, direction_q, q_);
      chunk.seed_along(z.p, direction_p, p_);
      hidden_.evaluate(system, q_, p_, rho_);
      chunk.read(rho_, slope);
    });
  }
  /// At the last point.
  const S& value(int i) const { return rho_[i].value; }

 private:
  HiddenConstraint<Sys, Dual<S, K>> hidden_;
  Vector<Dual<S, K>, N> q_, p_;
  Vector<Dual<S, K>, M> rho_;
};

}  // namespace rattleback

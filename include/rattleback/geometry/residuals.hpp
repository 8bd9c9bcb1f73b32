// g and the hidden constraint {g, H} = dg.X_H at a point: one sweep of duals along X_H, so that no
// Jacobian is formed and large systems cost no more than their constraints.
#pragma once

#include "rattleback/problem/sweep.hpp"
#include "rattleback/problem/system.hpp"

namespace rattleback {

template <class Sys, class S>
class Residuals {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;

  explicit Residuals(const Sys& system)
      : h_q_(system.dimension()),
        h_p_(system.dimension()),
        q_(system.dimension()),
        p_(system.dimension()),
        g_(system.constraint_count()) {}

  void evaluate(const Sys& system, const State<S, N>& z) {
    if (g_.size() == 0) return;
    system.energy_gradient(z.q, z.p, h_q_, h_p_);
    const Chunk<K> along{0, 1};
    along.seed_along(
        z.q, [&](int, int i) { return h_p_[i]; }, q_);
    along.seed_along(
        z.p, [&](int, int i) { return S(-h_q_[i]); }, p_);
    system.constraint(q_, p_, g_);
  }
  const S& primary(Eigen::Index i) const { return g_[i].value; }
  S hidden(Eigen::Index i) const { return g_[i].partials[0]; }

  /// The constraint with the largest |g|, or the largest |{g,H}|; -1 without constraints.
  Eigen::Index worst_primary() const {
    return worst([this](Eigen::Index i) { return magnitude(primary(i)); });
  }
  Eigen::Index worst_hidden() const {
    return worst([this](Eigen::Index i) { return magnitude(hidden(i)); });
  }
  double largest_primary() const {
    return g_.size() == 0 ? 0 : magnitude(primary(worst_primary()));
  }
  double largest_hidden() const { return g_.size() == 0 ? 0 : magnitude(hidden(worst_hidden())); }

 private:
  // Run-time systems know four partials, whether one is used or all.
  static constexpr int K = N == dynamic ? 4 : 1;
  using Lifted = Dual<S, K>;

  template <class Size>
  Eigen::Index worst(Size size) const {
    Eigen::Index found = -1;
    double most = -1;
    for (Eigen::Index i = 0; i < g_.size(); ++i)
      if (const double m = size(i); !(m <= most)) {
        most = m;
        found = i;
        if (m != m) break;
      }
    return found;
  }

  Vector<S, N> h_q_, h_p_;
  Vector<Lifted, N> q_, p_;
  Vector<Lifted, M> g_;
};

}  // namespace rattleback

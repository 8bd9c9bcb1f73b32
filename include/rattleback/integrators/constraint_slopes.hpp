// First derivatives of H and g at a point, and the gradient of rho = {g,H} from them on duals: with
// F = nu.g frozen,  grad(nu.rho) = grad{F,H} = D grad F [X_H] - D grad H [X_F].
#pragma once

#include "rattleback/problem/sweep.hpp"
#include "rattleback/problem/system.hpp"

namespace rattleback {

/// Points are x = (q, p).
template <class Sys, class S>
class ConstraintSlopes {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  static constexpr int K = 4;
  using Lifted = Dual<S, K>;
  using Values = Vector<S, dynamic>;
  template <class R>
  struct Room : EnergySlopes<R, N> {
    Room(int n, int m) : EnergySlopes<R, N>(n), g(m), g_q(m, n), g_p(m, n) {
      g_p.setConstant(R(0));
    }
    Vector<R, M> g;
    Matrix<R, M, N> g_q, g_p;  ///< g_p is zero where g is holonomic
  };

  explicit ConstraintSlopes(const Sys& system)
      : plain(system.dimension(), system.constraint_count()),
        lifted(system.dimension(), system.constraint_count()),
        n_(system.dimension()),
        m_(system.constraint_count()),
        holonomic_(system.traits().holonomic) {}

  Room<S> plain;        ///< of the point last visited
  Room<Lifted> lifted;  ///< of the point last lifted

  void visit(const Sys& system, const Values& x) {
    for (int i = 0; i < n_; ++i) plain.q[i] = x[i], plain.p[i] = x[n_ + i];
    if (m_ > 0) system.linearise(plain.q, plain.p, plain.g, plain.g_q, plain.g_p);
    system.energy_gradient(plain.q, plain.p, plain.h_q, plain.h_p);
  }
  /// The same on duals that carry the unit directions of a chunk.
  template <class Chunk>
  void lift(const Sys& system, const Chunk& chunk, const Values& x) {
    for (int i = 0; i < n_; ++i) plain.q[i] = x[i], plain.p[i] = x[n_ + i];
    chunk.seed(plain.q, lifted.q);
    chunk.seed(plain.p, lifted.p, n_);
    if (m_ > 0) system.linearise(lifted.q, lifted.p, lifted.g, lifted.g_q, lifted.g_p);
    system.energy_gradient(lifted.q, lifted.p, lifted.h_q, lifted.h_p);
  }
  /// {g_k,H} of a point.
  template <class R>
  R rho(const Room<R>& at, int k) const {
    R sum(0);
    for (int i = 0; i < n_; ++i) sum += at.g_q(k, i) * at.h_p[i];
    if (!holonomic_)
      for (int i = 0; i < n_; ++i) sum -= at.g_p(k, i) * at.h_q[i];
    return sum;
  }
  /// a += weight grad(nu.rho) at x, which was visited: D grad F [X_H] - D grad H [X_F], F = nu.g.
  void add_hidden_slope(const Sys& system, const Values& x, const S* nu, const S& weight,
                        Values& a) {
    along(x, [&](int i) { return i < n_ ? plain.h_p[i] : S(-plain.h_q[i - n_]); });
    system.linearise(lifted.q, lifted.p, lifted.g, lifted.g_q, lifted.g_p);
    for (int i = 0; i < n_; ++i)
      for (int k = 0; k < m_; ++k) {
        a[i] += lifted.g_q(k, i).partials[0] * S(nu[k] * weight);
        if (!holonomic_) a[n_ + i] += lifted.g_p(k, i).partials[0] * S(nu[k] * weight);
      }
    along(x, [&](int i) {
      S sum(0);
      for (int k = 0; k < m_; ++k)
        sum += i < n_ ? S(plain.g_p(k, i) * nu[k]) : S(-plain.g_q(k, i - n_) * nu[k]);
      return sum;
    });
    system.energy_gradient(lifted.q, lifted.p, lifted.h_q, lifted.h_p);
    for (int i = 0; i < n_; ++i) {
      a[i] -= lifted.h_q[i].partials[0] * weight;
      a[n_ + i] -= lifted.h_p[i].partials[0] * weight;
    }
  }
  /// The lifted point carries one direction.
  template <class Direction>
  void along(const Values& x, Direction&& direction) {
    for (int i = 0; i < n_; ++i) {
      lifted.q[i] = Lifted(x[i]), lifted.p[i] = Lifted(x[n_ + i]);
      lifted.q[i].partials[0] = direction(i);
      lifted.p[i].partials[0] = direction(n_ + i);
    }
  }

 private:
  int n_, m_;
  bool holonomic_;
};

}  // namespace rattleback

// One quadratic constraint: the multiplier of a step in closed form. Where a guess of it leads to
// q*, the step ends at q1 = q* - s u, with u = M^-1 G(q)^T and s proportional to what the guess
// lacks. With A = g_qq, which is constant,
//
//   0 = g(q1) = g(q*) - b s + c s^2/2        b = G(q*) u,  c = u.A u
//   s = 2 g(q*)/(b + r)                      r = sqrt(b^2 - 2 c g(q*))
//   G(q1) = G(q*) - s A u                    G(q1) u = r > 0: q1 is on the branch of q
//
// For b > 0 nothing cancels. Otherwise, and where there is no root, Newton is asked as elsewhere,
// and says why it fails. Newton's s = g(q*)/b leaves g(q1) = c s^2/2: where that is round-off, as
// it is for small steps, no root is taken, and g and G are evaluated once instead of twice. A
// little beyond that, the root is the first terms of
//
//   s = g(q*)/b (1 + t/2 + t^2/2 + 5 t^3/8 + 7 t^4/8 + 21 t^5/16 + ...)      t = c g(q*)/b^2
#pragma once

#include "rattleback/problem/vector_ops.hpp"

namespace rattleback::detail {

/// Whether a step may be of this kind; system.traits().quadratic says whether it is.
template <class Sys>
inline constexpr bool maybe_one_quadratic =
    Sys::constraints_at_compile_time == 1 && Sys::dimension_at_compile_time != dynamic &&
    requires(const Sys& system) { system.traits().quadratic; };

/// out = A u, by the system's own A or as the difference of two slopes.
template <class Sys, class U, class Slope>
RATTLEBACK_INLINE void bend(const Sys& system, const U& u, Slope& out) {
  if constexpr (requires { system.bend(u, out); }) {
    system.bend(u, out);
  } else {
    using S = typename U::Scalar;
    Vector<S, 1> g;
    U origin;
    Slope at_origin;
    for (Eigen::Index i = 0; i < u.size(); ++i) origin[i] = S(0);
    system.linearise(u, u, g, out, out);
    system.linearise(origin, origin, g, at_origin, at_origin);
    for (Eigen::Index i = 0; i < u.size(); ++i) out(0, i) -= at_origin(0, i);
  }
}

/// Up to here t^5 is round-off.
template <class S>
inline constexpr double series_bound = epsilon<S> < 1e-20 ? 1e-7 : 5e-4;

/// In every lane.
template <class S>
RATTLEBACK_INLINE bool positive(const S& x) {
  if constexpr (ScalarTraits<S>::lanes > 1)
    return all_of(base(x) > Base<S>(0));
  else
    return base(x) > 0;
}

/// From q* to q1, with G(q1) in `next`, and s; false where Newton is asked. u is M^-1 G(q)^T, and
/// |g| is round-off below the floor.
template <class Sys, class S, int N, class Slope>
RATTLEBACK_INLINE bool land_on_quadratic(const Sys& system, const Vector<S, N>& u,
                                         const Vector<double, 1>& floor, Vector<S, N>& q,
                                         Vector<S, 1>& g, Slope& next, S& s) {
  using std::sqrt;
  Slope curve;
  Vector<S, 1> b, c;
  system.linearise(q, q, g, next, next);
  bend(system, u, curve);
  multiply(next, u, b), multiply(curve, u, c);
  if (!positive(b[0])) return false;
  s = g[0] / b[0];
  if (!ScalarTraits<S>::within(S(c[0] * s * s), 2 * floor[0])) {
    const S t = c[0] * S(S(1) / b[0]) * s;
    if (ScalarTraits<S>::within(t, series_bound<S>)) {
      s = s + s * t * (t * (t * (t * 0.875 + 0.625) + 0.5) + 0.5);
    } else {
      const S square = b[0] * b[0] - c[0] * (g[0] * 2);
      if (!positive(square)) return false;
      s = (g[0] * 2) / (b[0] + S(sqrt(square)));
    }
  }
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    q[i] -= s * u[i];
    next(0, i) -= s * curve(0, i);
  }
  return true;
}

}  // namespace rattleback::detail

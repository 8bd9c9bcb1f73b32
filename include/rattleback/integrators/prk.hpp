// Reich's partitioned Runge-Kutta methods for any H(q, p) and g(q).
//
//   prk1          p~ = p - h H_q(q, p~) - G(q)^T lambda,   q1 = q + h H_p(q, p~),   g(q1) = 0
//                 p1 = p~ - G(q1)^T mu,                    G(q1) H_p(q1, p1) = 0  [Reich93 (24)]
//   prk1-adjoint  p~ = p - G(q)^T lambda,   q1 = q + h H_p(q1, p~),   g(q1) = 0
//                 p1 = p~ - h H_q(q1, p~) - G(q1)^T mu,    G(q1) H_p(q1, p1) = 0
//   prk2          prk1-adjoint(h/2) after prk1(h/2)                               [Reich93 (25)]
//
// lambda and mu are h times those of the paper, whose adjoint has a misprint: p1 begins with p~,
// not with the next one. The maps of the first two are those of RATTLE over euler-a and euler-b;
// here p~ or q1 and lambda are found by one Newton iteration, not one inside the other. That of
// prk2 is not RATTLE's over verlet: it lands on g = 0 in the middle, too. There the multipliers of
// both halves act at the same position, and are one.
#pragma once

#include "rattleback/integrators/partitioned.hpp"

namespace rattleback {

/// Which of Reich's methods.
enum class Reich { prk1, prk1_adjoint, prk2 };

inline MethodInfo reich_info(Reich method) {
  const bool twice = method == Reich::prk2;
  return {.name = twice                           ? "prk2"
                  : method == Reich::prk1_adjoint ? "prk1-adjoint"
                                                  : "prk1",
          .order = twice ? 2 : 1,
          .symmetric = twice,
          .symplectic_on = SymplecticOn::state_manifold,
          .preserves_primary = true,
          .preserves_hidden = true,
          .applies = {.holonomic = true},
          .cite = twice ? "[Reich93 (25)]" : "[Reich93 (24)]"};
}

/// Stages (q, P_1) and (q1, P_2), nodes q, the middle and q1.
template <class R>
PartitionedTableau<R> reich_tableau(Reich method) {
  if (method != Reich::prk2) return euler_pair<R>(method == Reich::prk1_adjoint);
  PartitionedTableau<R> t(2, 3);
  const R half = R(1) / 2;
  t.b = t.b_hat = {half, half};
  t.w.assign(3, R(1));
  t.a << R(0), R(0), half, half;
  t.a_hat << half, R(0), half, R(0);
  t.x << R(0), R(0), half, R(0), half, half;
  detail::conjugate_forces(t);
  return t;
}

/// [Reich93 (24), (25)] as a method.
template <Reich method>
struct ReichMethod {
  SolveOptions solve{};
  MethodInfo info() const { return reich_info(method); }
  template <class S, class Sys>
  auto stepper(const Sys& system) const {
    return typed_partitioned_stepper<S>(system, reich_tableau<Real<S>>(method), solve);
  }
};
using Prk1 = ReichMethod<Reich::prk1>;
using Prk1Adjoint = ReichMethod<Reich::prk1_adjoint>;
using Prk2 = ReichMethod<Reich::prk2>;

}  // namespace rattleback

// What a step of a natural system with holonomic constraints asks of its linear algebra. Four
// kernels answer: dense (dense_kernel.hpp), chains (chain_kernel.hpp), and sparse ones
// (sparse_kernel.hpp) with the algebra of links or of compiled code.
//
// With G = G(q), G_1 = G(q_1) and W = M^-1 the laws are, each to round-off:
//   linearise    g = g(q), and G is its derivative: what all that follows speaks of
//   transpose    kick and hidden are transposes of each other: lambda . G W p = W p . G^T lambda
//   gram         factor, then solve: (G W G^T) x = b; solve_fresh is both
// and with the G of the last factor
//   shift        q moves by W times what kick takes from p
//   newton       solve_newton: (G_1 W G^T) x = b where exact, else a step that Broyden improves
//   launch       q_1 = q + h W (p - G^T lambda - a h V_q(q))
//   land         after launch the correction delta of shift gives g(q_1) = 0, lambda += delta/h
//   arrive       p_1 = p - G^T lambda - a h V_q(q) - b h V_q(q_1), mu = G_1 W p_1
//   floor        what rounding q does to g_i is at most floor_i
//   branch       same_branch is (G_1 W G^T)_ii > 0 for all i
// testing/kernel_laws.hpp measures them, for these kernels and for one's own.
#pragma once

#include <concepts>

#include "rattleback/problem/vector_ops.hpp"
#include "rattleback/solve/factor_report.hpp"

namespace rattleback {

/// The fractions a, b of the kick before and after the drift.
struct Kicks {
  double before = 0.5, after = 0.5;
};

/// What a step is told: where it begins, and how far it goes.
template <class S, int N>
struct Stride {
  const State<S, N>& z;
  Real<S> h;
  Kicks kicks;
  bool project;  ///< onto G W p = 0 at its end
};

/// Where a step of a multistep method leads: q = far + (near + beta w), rounded once, with the
/// drive w = -W (hh V_q + G^T lambda).
template <class S, int N>
struct Reach {
  const Vector<S, N>&v_q, &far, &near;
  Real<S> hh, beta;
};

/// Multipliers, and what the next ones are guessed from.
template <class K>
struct History {
  typename K::Multiplier lambda, mu;  ///< mu: on the way also what h lambda still lacked
  typename K::Predictor predictor;

  explicit History(Eigen::Index count) : lambda(count), mu(count), predictor(count) {}
  void reset() { predictor.reset(); }
};

/// A step on its way.
template <class K>
struct Work : History<K> {
  typename K::Position q, p;      ///< where it has come to; p may wait for its final lambda
  typename K::Position v_q;       ///< V_q at the start, then at the end
  typename K::Multiplier g;       ///< g(q), then what Newton makes of it
  typename K::Jacobian jacobian;  ///< G at the start
  typename K::Jacobian next;      ///< G(q)

  template <class Sys>
  explicit Work(const Sys& system)
      : History<K>(system.constraint_count()),
        q(system.dimension()),
        p(system.dimension()),
        v_q(system.dimension()),
        g(system.constraint_count()),
        jacobian(K::jacobian(system)),
        next(K::jacobian(system)) {}
  /// What the next step begins with, component by component, as it was left: a copy of the whole
  /// would wait for what was just stored in smaller pieces.
  template <class Sys>
  RATTLEBACK_INLINE Work(const Sys& system, const Work& last) : Work(system) {
    copy(last.v_q, v_q), copy(last.jacobian, jacobian);
    copy(last.lambda, this->lambda), copy(last.mu, this->mu);
    this->predictor = last.predictor;
  }
};

/// Whether p of a Work is not made before arrive(): launch() and correct() leave it alone.
template <class K>
inline constexpr bool momentum_waits = false;

/// The verbs. `exact_newton`: whether every iteration solves with the exact matrix; the others keep
/// that of the start of the step as long as it contracts.
template <class K, class Sys, class S>
concept Kernel = requires(K& kernel, const Sys& system, const Stride<S, K::N>& stride, Work<K>& w,
                          const typename K::Jacobian& at_start, const typename K::Jacobian& here,
                          typename K::Floor& floor, bool yes, double bound) {
  K(system);
  { K::exact_newton } -> std::convertible_to<bool>;
  { K::floor(system) } -> std::convertible_to<typename K::Floor>;
  kernel.linearise(system, w.q, w.g, w.next);
  kernel.kick(at_start, w.lambda, w.p);
  kernel.hidden(system, at_start, w.p, w.mu);
  kernel.shift(system, at_start, w.g, yes, w.q, w.mu);  // W G^T g, and mu (+)= g
  { kernel.factor(system, at_start) } -> std::same_as<FactorReport>;
  kernel.solve(w.g);
  { kernel.solve_fresh(system, at_start, w.g, yes) } -> std::same_as<bool>;
  { kernel.solve_newton(system, at_start, here, w.g) } -> std::same_as<bool>;
  kernel.launch(system, stride, floor, w);
  { kernel.settled(system, w.q, w.g, w.next, floor) } -> std::same_as<bool>;  // g, G; |g| <= floor
  kernel.correct(stride.h, w);  // lambda += mu/h, and p where it does not wait
  kernel.arrive(system, stride, w);
  kernel.exchange(w.jacobian, w.next);
  kernel.measure(w.q, at_start, bound, floor);
  { K::within_floor(w.g, floor, bound) } -> std::same_as<bool>;
  { kernel.same_branch(system, at_start, here) } -> std::same_as<bool>;
  { K::solved(w.g, bound) } -> std::same_as<bool>;  // finite, and no larger
  { K::size(w.g) } -> std::same_as<double>;
};

}  // namespace rattleback

// Whole steps through a kernel (integrators/kernel.hpp) against steps through dense matrices.
#pragma once

#include <string>

#include "rattleback/integrators/natural_constrained.hpp"
#include "rattleback/testing/results.hpp"

namespace rattleback::testing {

/// `steps` steps through the kernel and through dense matrices.
template <class K, class S, class Own, class Sys>
KernelStepsResult check_kernel_steps(const Own& own, const Sys& system, const State<S, K::N>& z,
                                     const Real<S>& h, int steps, Kicks kicks = {},
                                     bool project = true) {
  using Dense = DenseKernel<Sys, S>;
  NaturalConstrained<Own, S, K> core(own, kicks);
  NaturalConstrained<Sys, S, Dense> dense(system, kicks);
  const int n = system.dimension(), m = system.constraint_count();
  State<S, K::N> a = z;
  StateOf<Sys, S> b{PositionOf<Sys, S>(z.q), PositionOf<Sys, S>(z.p)};
  PositionOf<Sys, S> v(n), v1(n);
  MultiplierOf<Sys, S> g(m);
  JacobianOf<Sys, S> j(m, n), j1(m, n), unused(m, n);
  KernelStepsResult result;
  for (int k = 0; k < steps; ++k) {
    const StateOf<Sys, S> before{PositionOf<Sys, S>(a.q), PositionOf<Sys, S>(a.p)};
    if (!core.step(own, a, h, project) || !dense.step(system, b, h, project)) {
      result.failure = "step " + std::to_string(k) + " failed";
      return result;
    }
    const StateOf<Sys, S> after{PositionOf<Sys, S>(a.q), PositionOf<Sys, S>(a.p)};
    const double size = larger(largest_magnitude(b.q), largest_magnitude(b.p));
    const double apart = larger(largest_magnitude(after.q - b.q), largest_magnitude(after.p - b.p));
    result.state = larger(result.state, apart / size);
    const Vector<S, dynamic> lambda = core.lambda(), mu = core.mu(), truth = dense.lambda();
    system.linearise(before.q, before.p, g, j, unused);
    const Vector<S, dynamic> apart_by = j.transpose() * (lambda - truth) * h;
    result.lambda = larger(result.lambda, largest_magnitude(apart_by) / size);
    system.linearise(after.q, after.p, g, j1, unused);
    system.potential_gradient(before.q, v);
    system.potential_gradient(after.q, v1);
    Vector<S, dynamic> rest = after.p - before.p + j.transpose() * lambda + v * (h * kicks.before) +
                              v1 * (h * kicks.after);
    if (project) rest += j1.transpose() * mu;
    result.balance = larger(result.balance, largest_magnitude(rest) / size);
  }
  return result;
}

}  // namespace rattleback::testing

// SHAKE and RATTLE for natural systems with holonomic constraints and an explicit base map
// kick - drift - kick: verlet (1/2, 1/2), euler-a (1, 0), euler-b (0, 1).
//
//   p+  = p - G(q)^T lambda                    slide along the fibre
//   ph  = p+ - a h V_q(q)                      a: kick before the drift
//   q1  = q + h M^-1 ph,   g(q1) = 0           lambda by Newton           [McLachlan12 5.1.3]
//   p1- = ph - b h V_q(q1)                     b: kick after it           SHAKE ends here
//   p1  = p1- - G(q1)^T mu,  G(q1) M^-1 p1 = 0                            RATTLE
//
// q1 is affine in lambda, so r(lambda) = g(q1)/h has derivative -G(q1) M^-1 G(q)^T, which has a
// limit as h -> 0.
#pragma once

#include "rattleback/integrators/dense_kernel.hpp"
#include "rattleback/solve/newton.hpp"
#include "rattleback/solve/predictor.hpp"

namespace rattleback {

/// A working copy in registers where the size is static, the object itself where it is not.
template <bool Static, class V>
using Working = std::conditional_t<Static, V, V&>;

template <class Sys, class S, class Kernel = DenseKernel<Sys, S>>
class NaturalConstrained {
 public:
  using Position = typename Kernel::Position;
  using Multiplier = typename Kernel::Multiplier;
  using Jacobian = typename Kernel::Jacobian;

  explicit NaturalConstrained(const Sys& system, SolveOptions options = {})
      : kernel_(system),
        jacobian_(Kernel::jacobian(system)),
        next_jacobian_(Kernel::jacobian(system)),
        v_q_(system.dimension()),
        g_(system.constraint_count()),
        lambda_(system.constraint_count()),
        mu_(system.constraint_count()),
        predictor_(system.constraint_count()),
        options_(options) {}

  /// Forget the last step: the state was changed from outside.
  void reset() { fresh_ = false; }
  const Multiplier& lambda() const { return lambda_; }
  const Multiplier& mu() const { return mu_; }

  RATTLEBACK_INLINE Status step(const Sys& system, State<S, Kernel::N>& z, const Real<S>& h,
                                double before, double after, bool project) {
    if (!fresh_)
      if (Status s = start(system, z); !s) return s;
    Working<fixed, Position> q = z.q, p = z.p, v_q = v_q_;
    Working<fixed, Multiplier> lambda = lambda_, mu = mu_, g = g_;
    Working<local_kernel, Kernel> kernel = kernel_;
    if constexpr (local_kernel) kernel.prepare(system, jacobian_);
    Working<fixed, Jacobian> jacobian = jacobian_, next = next_jacobian_;
    Working<fixed, MultiplierPredictor<Multiplier>> predictor = predictor_;

    predictor.predict(h, lambda);
    kernel.kick(jacobian, lambda, p);
    if (before != 0) subtract_scaled(Real<S>(h * before), v_q, p);
    kernel.drift(system, p, h, q);
    Status status = land(system, kernel, next, g, mu, q);
    if (!status) return status;
    scale(Real<S>(Real<S>(1) / h), mu);
    kernel.kick(jacobian, mu, p);
    add_scaled(Real<S>(1), mu, lambda);
    kernel.exchange(jacobian, next);
    system.potential_gradient(q, v_q);
    if (after != 0) subtract_scaled(Real<S>(h * after), v_q, p);
    predictor.record(h, lambda);
    if (project) kernel.hidden(system, jacobian, p, mu);
    // The factorisation serves the projection here and the position solve of the next step.
    if (!kernel.solve_fresh(system, jacobian, mu)) status.outcome = Outcome::rank_loss;
    if (project) kernel.kick(jacobian, mu, p);
    if constexpr (fixed) {
      copy(q, z.q), copy(p, z.p), copy(v_q, v_q_), copy(lambda, lambda_), copy(mu, mu_);
      copy(jacobian, jacobian_);
      predictor_ = predictor;
    }
    return status;
  }

  /// Slides z along its fibre to G M^-1 p = 0. Forgets the last step: use an instance of its own.
  Status project(const Sys& system, State<S, Kernel::N>& z) {
    fresh_ = false;
    kernel_.linearise(system, z.q, g_, jacobian_);
    kernel_.hidden(system, jacobian_, z.p, mu_);
    if (!kernel_.solve_fresh(system, jacobian_, mu_)) return {Outcome::rank_loss};
    kernel_.kick(jacobian_, mu_, z.p);
    return {};
  }

 private:
  static constexpr bool fixed =
      Kernel::N != dynamic && Kernel::M != dynamic && ScalarTraits<S>::lanes == 1;
  static constexpr bool local_kernel = fixed && Kernel::exact_newton;

  [[gnu::noinline]] Status start(const Sys& system, const State<S, Kernel::N>& z) {
    kernel_.linearise(system, z.q, g_, jacobian_);
    system.potential_gradient(z.q, v_q_);
    predictor_.reset();
    if (FactorReport f = kernel_.factor(system, jacobian_); !f.ok) return {Outcome::rank_loss};
    floor_ = 2 * epsilon<S>;
    fresh_ = true;
    return {};
  }
  /// Newton on g(q1) = 0 in h lambda: total is h times what lambda lacked.
  RATTLEBACK_INLINE Status land(const Sys& system, Kernel& kernel, Jacobian& jacobian,
                                Multiplier& g, Multiplier& total, Position& q) const {
    for (Eigen::Index i = 0; i < total.size(); ++i) total[i] = S(0);
    double last = 0;
    for (int k = 0; k < options_.max_iterations; ++k) {
      kernel.linearise(system, q, g, jacobian);
      if (within(g, floor_)) return {Outcome::ok, k, floor_};
      if (k > 1) {
        const double size = largest_magnitude(g);
        if (!(size < 1e300)) return {Outcome::not_finite, k, size};
        if (size > 0.5 * last && size <= 1e3 * floor_) return {Outcome::ok, k, size};
        last = size;
      }
      if constexpr (Kernel::exact_newton) {
        if (!kernel.solve_newton(jacobian, g)) return {Outcome::rank_loss, k, last};
      } else {
        kernel.solve(g);
      }
      kernel.shift(g, q);
      add_scaled(Real<S>(1), g, total);
    }
    return {Outcome::no_convergence, options_.max_iterations, last};
  }

  Kernel kernel_;
  Jacobian jacobian_, next_jacobian_;
  Position v_q_;
  Multiplier g_, lambda_, mu_;
  MultiplierPredictor<Multiplier> predictor_;
  SolveOptions options_;
  double floor_ = 0;
  bool fresh_ = false;
};

}  // namespace rattleback

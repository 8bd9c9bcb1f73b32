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

#include "rattleback/integrators/chain_kernel.hpp"
#include "rattleback/integrators/dense_kernel.hpp"
#include "rattleback/integrators/link_kernel.hpp"
#include "rattleback/solve/histories.hpp"
#include "rattleback/solve/newton.hpp"

namespace rattleback {

/// A working copy in registers where the size is static, the object itself where it is not.
template <bool Static, class V>
using Working = std::conditional_t<Static, V, V&>;

namespace detail {

/// The linear algebra a system brings, or dense.
template <class Sys, class S>
struct KernelOf {
  using type = DenseKernel<Sys, S>;
};
template <class Sys, class S>
  requires requires { typename Sys::template Kernel<S>; }
struct KernelOf<Sys, S> {
  using type = typename Sys::template Kernel<S>;
};

}  // namespace detail

/// A step that fails leaves the state as it was.
template <class Sys, class S, class Kernel = typename detail::KernelOf<Sys, S>::type>
class NaturalConstrained {
 public:
  using Position = typename Kernel::Position;
  using Multiplier = typename Kernel::Multiplier;
  using Jacobian = typename Kernel::Jacobian;
  using Predictor = typename Kernel::Predictor;
  using Point = State<S, Kernel::N>;

  explicit NaturalConstrained(const Sys& system, SolveOptions options = {})
      : kernel_(system),
        jacobian_(Kernel::jacobian(system)),
        next_jacobian_(Kernel::jacobian(system)),
        work_{Position(system.dimension()), Position(system.dimension())},
        v_q_(system.dimension()),
        g_(system.constraint_count()),
        last_{Multiplier(system.constraint_count()), Multiplier(system.constraint_count()),
              Predictor(system.constraint_count())},
        floor_(Kernel::floor(system)),
        options_(options) {}

  /// Forget the last step: the state was changed from outside.
  void reset() { fresh_ = false; }
  const Multiplier& lambda() const { return last_.lambda; }
  const Multiplier& mu() const { return last_.mu; }
  /// The next step is substep k of a composition: its first guess comes from its like.
  void select(std::size_t k) { histories_.select(k, last_); }

  RATTLEBACK_INLINE Status step(const Sys& system, Point& z, const Real<S>& h, double before,
                                double after, bool project) {
    if (!fresh_)
      if (Status s = start(system, z); !s) return s;
    Working<fixed, Position> q = work_.q, p = work_.p, v_q = v_q_;
    Working<fixed, Multiplier> lambda = last_.lambda, mu = last_.mu, g = g_;
    Working<local_kernel, Kernel> kernel = kernel_;
    if constexpr (local_kernel) kernel.prepare(system, jacobian_);
    Working<fixed, Jacobian> jacobian = jacobian_, next = next_jacobian_;
    Working<fixed, Predictor> predictor = last_.predictor;

    predictor.predict(h, lambda, mu, project);
    // ph, and q1 for this lambda; then mu, what h lambda lacked
    kernel.launch(system, z, jacobian, next, lambda, v_q, h, before, floor_, q, p, g);
    Status status = land(system, kernel, jacobian, next, g, mu, q);
    // A solution found with difficulty may be another one.
    if (status.iterations > few) [[unlikely]]
      if (status && !kernel.same_branch(system, jacobian, next))
        status.outcome = Outcome::branch_jump;
    if (!status) return failed(status);
    if (Kernel::exact_newton || status.iterations > 0) kernel.correct(jacobian, h, mu, lambda, p);
    // V_q(q1), p1-, and the hidden constraint there in mu
    kernel.arrive(system, z, jacobian, next, lambda, h, before, after, project, q, v_q, p, mu);
    kernel.exchange(jacobian, next);
    predictor.record(h, lambda);
    // The factorisation serves the projection here and the position solve of the next step.
    if (!kernel.solve_fresh(system, jacobian, mu, project)) return failed({Outcome::rank_loss});
    if (project) kernel.kick(jacobian, mu, p);
    if constexpr (ScalarTraits<S>::is_dual)
      if (project) project_partials(system, kernel, jacobian, g, p);
    if (!(project ? Kernel::solved(mu, overflow) : within(p, overflow)))
      return failed({Outcome::not_finite, status.iterations});
    if constexpr (fixed) {
      copy(q, z.q), copy(p, z.p), copy(v_q, v_q_), copy(lambda, last_.lambda);
      copy(mu, last_.mu);
      copy(jacobian, jacobian_);
      last_.predictor = predictor;
    } else {
      take(q, z.q), take(p, z.p);
    }
    return status;
  }

  /// Slides z along its fibre to G M^-1 p = 0. Forgets the last step: use an instance of its own.
  Status project(const Sys& system, Point& z) {
    fresh_ = false;
    kernel_.linearise(system, z.q, g_, jacobian_);
    kernel_.hidden(system, jacobian_, z.p, last_.mu);
    if (!kernel_.solve_fresh(system, jacobian_, last_.mu, true)) return {Outcome::rank_loss};
    kernel_.kick(jacobian_, last_.mu, z.p);
    if constexpr (ScalarTraits<S>::is_dual) project_partials(system, kernel_, jacobian_, g_, z.p);
    return {};
  }

 private:
  static constexpr double overflow = 1e150;

  /// The matrix is made of base values; solved once more, the partial derivatives are exact too.
  static void project_partials(const Sys& system, Kernel& kernel, const Jacobian& jacobian,
                               Multiplier& rest, Position& p) {
    kernel.hidden(system, jacobian, p, rest);
    (void)kernel.solve_fresh(system, jacobian, rest, true);
    kernel.kick(jacobian, rest, p);
  }

  static constexpr bool fixed =
      Kernel::N != dynamic && Kernel::M != dynamic && ScalarTraits<S>::lanes == 1;
  static constexpr int few = 3;  // iterations of a step that went well
  static constexpr bool local_kernel = fixed && Kernel::exact_newton;

  [[gnu::noinline]] Status start(const Sys& system, const Point& z) {
    kernel_.linearise(system, z.q, g_, jacobian_);
    system.potential_gradient(z.q, v_q_);
    last_.reset();
    histories_.reset();
    if (FactorReport f = kernel_.factor(system, jacobian_); !f.ok)
      return {Outcome::rank_loss, 0, f.smallest_pivot};
    measure_floor(z.q, jacobian_);
    fresh_ = true;
    return {};
  }
  /// |g| is round-off below eps sum_j |G_ij| |q_j|.
  RATTLEBACK_INLINE void measure_floor(const Position& q, const Jacobian& jacobian) {
    kernel_.measure(q, jacobian, std::max(2 * epsilon<S>, options_.tolerance), floor_);
  }
  RATTLEBACK_INLINE Status failed(Status status) {
    fresh_ = false;
    return status;
  }
  static void take(Position& from, Position& to) {
    if constexpr (Kernel::N == dynamic)
      from.swap(to);
    else
      copy(from, to);
  }

  /// Newton on g(q1) = 0 in h lambda: total is h times what lambda lacked. The matrix is that of
  /// the start of the step, and the exact one where that does not contract.
  RATTLEBACK_INLINE Status land(const Sys& system, Kernel& kernel, const Jacobian& jacobian,
                                Jacobian& next, Multiplier& g, Multiplier& total, Position& q) {
    double last = std::numeric_limits<double>::infinity();
    bool exact = Kernel::exact_newton;
    // Few multipliers are added to zero: one branch less, and the step stays in registers.
    if constexpr (Kernel::exact_newton)
      for (Eigen::Index i = 0; i < total.size(); ++i) total[i] = S(0);
    for (int k = 0; k < options_.max_iterations; ++k) {
      if (kernel.settled(system, q, g, next, floor_)) return {Outcome::ok, k};
      if (k > 0) [[unlikely]] {
        const double size = Kernel::size(g);
        if (!(size < 1e300)) return {Outcome::not_finite, k, size};
        if (size > 0.5 * last) {
          if (stalled_at_round_off(g, next, q)) return {Outcome::ok, k, size};
          exact = true;
        }
        last = size;
      }
      if (!exact)
        kernel.solve(g);
      else if (!kernel.solve_newton(system, jacobian, next, g))
        return {Outcome::rank_loss, k, last};
      kernel.shift(system, jacobian, g, !Kernel::exact_newton && k == 0, q, total);
    }
    return {Outcome::no_convergence, options_.max_iterations, last};
  }
  /// Whether an iteration that no longer contracts has reached round-off. The coordinates may have
  /// grown since it was measured. By value: the caller's copies stay in registers.
  RATTLEBACK_INLINE bool stalled_at_round_off(Working<fixed, const Multiplier> g,
                                              Working<fixed, const Jacobian> jacobian,
                                              Working<fixed, const Position> q) {
    constexpr double band = 1e3;
    measure_floor(q, jacobian);
    return Kernel::within_floor(g, floor_, band);
  }

  Kernel kernel_;
  Jacobian jacobian_, next_jacobian_;
  Point work_;
  Position v_q_;
  Multiplier g_;
  struct History {
    Multiplier lambda, mu;
    Predictor predictor;
    void reset() { predictor.reset(); }
  };
  History last_;
  Histories<History> histories_;  // of the other substeps
  typename Kernel::Floor floor_;
  SolveOptions options_;
  bool fresh_ = false;
};

}  // namespace rattleback

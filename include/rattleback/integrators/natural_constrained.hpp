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
#include "rattleback/integrators/link_algebra.hpp"
#include "rattleback/integrators/quadratic_landing.hpp"
#include "rattleback/integrators/sparse_kernel.hpp"
#include "rattleback/solve/histories.hpp"
#include "rattleback/solve/newton.hpp"
#include "rattleback/solve/thresholds.hpp"

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
template <class Sys, class S, class K = typename detail::KernelOf<Sys, S>::type>
class NaturalConstrained {
  template <class, class, class>
  friend class StagedNatural;  // the same start and end of a step, with stages between them

  static_assert(Kernel<K, Sys, S>);

 public:
  using Position = typename K::Position;
  using Multiplier = typename K::Multiplier;
  using Jacobian = typename K::Jacobian;
  using Point = State<S, K::N>;

  explicit NaturalConstrained(const Sys& system, Kicks kicks = {}, SolveOptions options = {})
      : kernel_(system),
        work_(system),
        floor_(K::floor(system)),
        kicks_(kicks),
        options_(options) {}

  /// Forget the last step: the state was changed from outside.
  void reset() { fresh_ = false; }
  const Multiplier& lambda() const { return work_.lambda; }
  const Multiplier& mu() const { return work_.mu; }
  static std::string structure(const Sys& system) {
    return in_words(K::kind(system), system.constraint_count());
  }
  /// The next step is substep k of a composition: its first guess comes from its like.
  void select(std::size_t k) { histories_.select(k, work_); }

  RATTLEBACK_INLINE Status step(const Sys& system, Point& z, const Real<S>& h, bool project) {
    if (!fresh_)
      if (Status s = start(system, z); !s) return s;
    Working<fixed, Work<K>> work = begin(system);
    Working<local_kernel, K> kernel = kernel_;
    if constexpr (local_kernel) kernel.prepare(system, work.jacobian);
    const Stride<S, K::N> stride{z, h, kicks_, project};

    work.predictor.predict(h, work.lambda, work.mu, project);
    // ph, and q1 for this lambda; then mu, what h lambda lacked
    kernel.launch(system, stride, floor_, work);
    Status status = land(system, kernel, work);
    // A solution found with difficulty may be another one.
    if (status.iterations > threshold::few_iterations) [[unlikely]]
      if (status && !kernel.same_branch(system, work.jacobian, work.next))
        status.outcome = Outcome::branch_jump;
    if (!status) return failed(status);
    if (K::exact_newton || status.iterations > 0) kernel.correct(h, work);
    // V_q(q1), p1-, and the hidden constraint there in mu
    kernel.arrive(system, stride, work);
    kernel.exchange(work.jacobian, work.next);
    work.predictor.record(h, work.lambda);
    return conclude(system, kernel, work, z, project, status);
  }

  /// Slides z along its fibre to G M^-1 p = 0. Forgets the last step: use an instance of its own.
  Status project(const Sys& system, Point& z) {
    fresh_ = false;
    kernel_.linearise(system, z.q, work_.g, work_.jacobian);
    kernel_.hidden(system, work_.jacobian, z.p, work_.mu);
    if (!kernel_.solve_fresh(system, work_.jacobian, work_.mu, true)) return {Outcome::rank_loss};
    kernel_.kick(work_.jacobian, work_.mu, z.p);
    if constexpr (ScalarTraits<S>::is_dual)
      project_partials(system, kernel_, work_.jacobian, work_.g, z.p);
    return {};
  }

 private:
  static constexpr bool fixed = K::N != dynamic && K::M != dynamic && ScalarTraits<S>::lanes == 1;
  static constexpr bool local_kernel = fixed && K::exact_newton;

  /// The matrix is made of base values; solved once more, the partial derivatives are exact too.
  static void project_partials(const Sys& system, K& kernel, const Jacobian& jacobian,
                               Multiplier& rest, Position& p) {
    kernel.hidden(system, jacobian, p, rest);
    (void)kernel.solve_fresh(system, jacobian, rest, true);
    kernel.kick(jacobian, rest, p);
  }

  /// With p1- in work.p, G(q1) in work.jacobian and G(q1) M^-1 p1- in work.mu.
  RATTLEBACK_INLINE Status conclude(const Sys& system, K& kernel, Work<K>& work, Point& z,
                                    bool project, const Status& status) {
    // The factorisation serves the projection here and the position solve of the next step.
    if (!kernel.solve_fresh(system, work.jacobian, work.mu, project))
      return failed({Outcome::rank_loss});
    Working<K::N != dynamic, Position> p = work.p;
    if (project) kernel.kick(work.jacobian, work.mu, p);
    if constexpr (ScalarTraits<S>::is_dual)
      if (project) project_partials(system, kernel, work.jacobian, work.g, p);
    if (!(project ? K::solved(work.mu, threshold::overflow) : within(p, threshold::overflow)))
      return failed({Outcome::not_finite, status.iterations});
    take(p, z.p);
    keep(work, z);
    return status;
  }

  [[gnu::noinline]] Status start(const Sys& system, const Point& z) {
    kernel_.linearise(system, z.q, work_.g, work_.jacobian);
    system.potential_gradient(z.q, work_.v_q);
    work_.reset();
    histories_.reset();
    if (FactorReport f = kernel_.factor(system, work_.jacobian); !f.ok)
      return {Outcome::rank_loss, 0, f.smallest_pivot};
    measure_floor(z.q, work_.jacobian);
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
  /// What a step begins with.
  RATTLEBACK_INLINE Working<fixed, Work<K>> begin(const Sys& system) {
    if constexpr (fixed)
      return Work<K>(system, work_);
    else
      return work_;
  }
  /// The new position, and what the next step begins with. Vectors of static size were copies.
  RATTLEBACK_INLINE void keep(Work<K>& work, Point& z) {
    take(work.q, z.q);
    if constexpr (fixed) {
      copy(work.v_q, work_.v_q);
      copy(work.lambda, work_.lambda), copy(work.mu, work_.mu);
      copy(work.jacobian, work_.jacobian);
      work_.predictor = work.predictor;
    }
  }
  static void take(Position& from, Position& to) {
    if constexpr (K::N == dynamic)
      from.swap(to);
    else
      copy(from, to);
  }

  /// Newton on g(q1) = 0 in h lambda: mu is h times what lambda lacked. The matrix is that of the
  /// start of the step, and the exact one where that does not contract. One quadratic constraint
  /// has a closed form.
  RATTLEBACK_INLINE Status land(const Sys& system, K& kernel, Work<K>& work) {
    if constexpr (std::is_same_v<K, DenseKernel<Sys, S>> && detail::maybe_one_quadratic<Sys>)
      if (system.traits().quadratic &&
          detail::land_on_quadratic(system, kernel.weighted(), floor_, work.q, work.g, work.next,
                                    work.mu[0]))
        return {Outcome::ok, 1};
    Contraction contraction;
    bool exact = K::exact_newton;
    // Few multipliers are added to zero: one branch less, and the step stays in registers.
    if constexpr (K::exact_newton)
      for (Eigen::Index i = 0; i < work.mu.size(); ++i) work.mu[i] = S(0);
    for (int k = 0; k < options_.max_iterations; ++k) {
      if (kernel.settled(system, work.q, work.g, work.next, floor_)) return {Outcome::ok, k};
      if (k > 0) [[unlikely]] {
        const auto verdict = contraction.judge(K::size(work.g));
        if (verdict == Contraction::Verdict::not_finite)
          return {Outcome::not_finite, k, contraction.last()};
        if (verdict == Contraction::Verdict::poor) {
          if (stalled_at_round_off(work.g, work.next, work.q))
            return {Outcome::ok, k, contraction.last()};
          exact = true;
        }
      }
      if (!exact)
        kernel.solve(work.g);
      else if (!kernel.solve_newton(system, work.jacobian, work.next, work.g))
        return {Outcome::rank_loss, k, contraction.last()};
      kernel.shift(system, work.jacobian, work.g, !K::exact_newton && k == 0, work.q, work.mu);
    }
    return {Outcome::no_convergence, options_.max_iterations, contraction.last()};
  }
  /// Whether an iteration that no longer contracts has reached round-off. The coordinates may have
  /// grown since it was measured. By value: the caller's copies stay in registers.
  RATTLEBACK_INLINE bool stalled_at_round_off(Working<fixed, const Multiplier> g,
                                              Working<fixed, const Jacobian> jacobian,
                                              Working<fixed, const Position> q) {
    measure_floor(q, jacobian);
    return K::within_floor(g, floor_, threshold::constraint_band);
  }

  K kernel_;
  Work<K> work_;
  Histories<History<K>> histories_;  // of the other substeps
  typename K::Floor floor_;
  Kicks kicks_;
  SolveOptions options_;
  bool fresh_ = false;
};

}  // namespace rattleback

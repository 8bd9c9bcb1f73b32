// Explicit symmetric multistep methods for natural systems with constant mass and constraints on
// positions  [Console13]:
//
//   sum_{j=0}^k alpha_j q_{n+j} = h^2 M^-1 sum_{j=1}^{k-1} beta_j (f - G^T lambda)_{n+j}
//   g(q_{n+k}) = 0,   f = -V_q
//
// One force and one solve a step, for the multiplier lambda_{n+k-1}; order k = 4, 6, 8. It is the
// solve of RATTLE: q_{n+k} = known - beta_{k-1} M^-1 G^T Lambda with Lambda = h^2 lambda, by the
// same kernels, and its matrix has a limit as h -> 0. Lambda is guessed by extrapolation.
//
// Carried are second differences u and what drives them, w = h^2 q'', summed up twice with
// compensation (multistep_memory.hpp): rounding is of size h^2 eps, and leaves the double root at 1
// where it is  [Console14]. For vectors of static size the next step's sums are made from the
// guess, while the iteration is under way, and mended: they are linear in w. Large ones carry the
// past as modes (multistep_modes.hpp).
//
// The state that is shown stays k/2 steps behind the newest position, the front: its momentum is
// the symmetric difference formula of order k, projected onto {g,H} = 0, and made at the end of
// advance() only. It is not read again: the memory is here. After reset(), or with another h, the
// memory begins at the state given, by collocation to both sides of it, or a composition of RATTLE
// of order k where that does not converge (multistep_start.hpp). Drives there have
//   G M^-1 G^T lambda = G M^-1 f + g_qq(v, v),   v = M^-1 p
// with g_qq(v, v) by the difference formula of order k of G(q + s v) v; exact for quadratic g.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/integrators/advance.hpp"
#include "rattleback/integrators/core_stepper.hpp"
#include "rattleback/integrators/inertia.hpp"
#include "rattleback/integrators/multistep_memory.hpp"
#include "rattleback/integrators/multistep_work.hpp"
#include "rattleback/integrators/natural_constrained.hpp"

namespace rattleback {

MethodInfo multistep_info(int order);

/// A step that fails leaves state and memory as they were.
template <class Sys, class S, class K = typename detail::KernelOf<Sys, S>::type>
class MultistepStepper {
 public:
  using Position = typename K::Position;
  using Row = RowOf<Position>;
  using Multiplier = typename K::Multiplier;
  using Point = State<S, K::N>;
  using R = Real<S>;

  MultistepStepper(const Sys& system, int order, Projection, const SolveOptions& options)
      : substeps_(starting_substeps<R>(order)),
        memory_(order, system.dimension(), system.constraint_count()),
        kernel_(system),
        work_(system),
        rattle_(system, {}, options),
        inertia_(system, Position(system.dimension())),
        weights_(start_weights<R>(order)),
        nodes_(static_cast<std::size_t>(order + 1), Position(system.dimension())),
        at_nodes_(static_cast<std::size_t>(order + 1), Multiplier(system.constraint_count())),
        hv_(system.dimension()),
        left_(system.dimension()),
        floor_(K::floor(system)),
        v_q_(system.dimension()),
        shown_lambda_(system.constraint_count()),
        z_{Position(system.dimension()), Position(system.dimension())},
        options_(options) {
    for (Eigen::Index i = 0; i < shown_lambda_.size(); ++i) shown_lambda_[i] = S(0);
  }

  void reset() { started_ = false; }
  /// Forgets what is not saved, so that a run that is restored from here goes on to the bit.
  void settle() { fresh_ = false; }
  void select(std::size_t) {}
  Status present(const Sys&, Point&) { return {}; }
  /// At the state shown, in the measure of RATTLE: h/2 times that of p' = f - G^T lambda.
  const Multiplier& lambda() const { return shown_lambda_; }
  Projections projections(long, long) { return {0, std::exchange(projected_, 0L)}; }
  std::string structure(const Sys& system) const {
    return in_words(K::kind(system), system.constraint_count());
  }

  Status step(const Sys& system, Point& z, const R& h) { return advance(system, z, h, 1).status; }
  Advance advance(const Sys& system, Point& z, const R& h, long count) {
    Advance done;
    if (!started_ || h != h_)
      if (done.status = begin(system, z, h); !done.status) return done;
    if (!fresh_)
      if (done.status = refresh(system); !done.status) return done;
    run(system, count, done);
    if (done.steps > 0)
      if (const Status s = show(system, z); !s && done.status) done.status = s;
    return done;
  }

  /// How many sweeps the start took; none where they did not converge and it was composed.
  int start_sweeps() const { return sweeps_; }

  /// The same trajectory backwards from the state shown on, with -h; false before the first step.
  bool reverse() {
    if (!started_ || !stepped_) return false;
    memory_.reverse(work_.front);
    h_ = -h_;
    fresh_ = false;
    return true;
  }
  /// All that a run needs to go on, appended; always as many numbers.
  void save(std::vector<double>& to) const
    requires std::is_same_v<S, double>
  {
    memory_.save(to, work_.front);
    to.insert(to.end(), shown_lambda_.begin(), shown_lambda_.end());
    to.insert(to.end(), {h_, started_ ? 1.0 : 0.0, stepped_ ? 1.0 : 0.0});
  }
  void restore(std::span<const double> from)
    requires std::is_same_v<S, double>
  {
    memory_.restore(from, work_.front);
    auto next = from.begin();
    for (double& x : shown_lambda_) x = *next++;
    h_ = *next++, started_ = *next++ != 0, stepped_ = *next++ != 0;
    fresh_ = false;
  }

 private:
  static constexpr bool fixed = K::N != dynamic && K::M != dynamic && ScalarTraits<S>::lanes == 1;
  static constexpr bool local_kernel = fixed && K::exact_newton;
  /// Whether one pass of the kernel does a whole iteration.
  static constexpr bool in_passes =
      requires(K& kernel, const Sys& system, const typename K::Jacobian& j) {
        kernel.factor_between(system, j, j);
      };

  /// Whether it knows what its first iteration leaves, so that none has to look.
  static constexpr bool knows_left_over =
      std::is_same_v<S, Base<S>> &&
      requires(const K& kernel, const Sys& system, const typename K::Jacobian& j) {
        kernel.left_over(system, j);
      };

  /// The loop of steps. Vectors of static size are copies, in registers.
  RATTLEBACK_INLINE void run(const Sys& system, long count, Advance& done) {
    Working<fixed, MultistepWork<K>> work = work_;
    Working<local_kernel, K> kernel = kernel_;
    for (; done.steps < count; ++done.steps) {
      done.status = go_on(system, kernel, work);
      if (!done.status) [[unlikely]]
        break;
      done.newton += done.status.iterations;
      done.newton_max = std::max(done.newton_max, done.status.iterations);
    }
    if constexpr (fixed) work_ = work;
    if constexpr (local_kernel) kernel_ = kernel;
  }
  // multistep_step.hpp
  Status go_on(const Sys& system, K& kernel, MultistepWork<K>& work);
  void foresee(MultistepWork<K>& work);
  void arrive(const Sys& system, K& kernel, MultistepWork<K>& work);
  void push(const Sys& system, MultistepWork<K>& work);
  Status refresh(const Sys& system);
  /// Where rods keep their G: the same to the last bit.
  const Position& in_front() const {
    if constexpr (in_passes)
      return work_.front.q;
    else
      return work_.q;
  }
  void measure_floor(const Position& q, const typename K::Jacobian& jacobian) {
    kernel_.measure(q, jacobian, std::max(2 * epsilon<S>, options_.tolerance), floor_);
  }

  // multistep_land.hpp
  Reach<S, K::N> reach_of(const MultistepWork<K>& work) const
    requires in_passes
  {
    return {work.force, work.front.q, work.near, R(h_ * h_), memory_.coefficients().drive[0]};
  }
  RATTLEBACK_INLINE void reach(MultistepWork<K>& work) {
    if constexpr (fixed)
      memory_.reach(work.coast.q, work.coast.q_low, work.w, work.q);
    else
      memory_.reach(work.front.q, work.near, work.w, work.q);
  }
  Status land(const Sys& system, K& kernel, MultistepWork<K>& work);
  Status land_in_passes(const Sys& system, K& kernel, MultistepWork<K>& work);
  bool stalled_at_round_off(Working<fixed, const Multiplier> g,
                            Working<fixed, const typename K::Jacobian> jacobian,
                            Working<fixed, const Position> q);

  // multistep_start.hpp
  Status show(const Sys& system, Point& z);
  Status begin(const Sys& system, const Point& z, const R& h);
  Status begin_by_composition(const Sys& system, const Point& z);
  Status compose(const Sys& system, const R& h);
  Status collocate(const Sys& system, const Point& z);
  Status sweep(const Sys& system, const Point& z, int reach, double& change);
  void locate(const Point& z, int j);
  void spread(int reach);
  double roughness();
  static double extent(const Position& x) {
    if constexpr (std::is_same_v<S, double>)
      return x.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
    else
      return largest_magnitude(x);
  }
  Status place(const Sys& system, const Point& z);
  Status project_position(const Sys& system);
  Status drive_at_start(const Sys& system, Multiplier& lambda);
  void refine(const Sys& system, Multiplier& lambda);
  void curvature(const Sys& system, Multiplier& out);

  std::vector<R> substeps_;
  MultistepMemory<Position, Multiplier> memory_;
  K kernel_;
  MultistepWork<K> work_;
  NaturalConstrained<Sys, S, K> rattle_;  // starts, and projects what is shown
  Inertia<S, K::N> inertia_;
  const StartWeights<R>& weights_;
  std::vector<Position> nodes_;       // w of the start
  std::vector<Multiplier> at_nodes_;  // Lambda there
  Position hv_, left_;                // h v at the start; w left of it, while that is right of it
  typename K::Floor floor_;
  Position v_q_;
  Multiplier shown_lambda_;
  Point z_;
  SolveOptions options_;
  R h_{0}, per_drive_{0};
  double left_over_ = 0;
  long projected_ = 0;
  int sweeps_ = 0;
  bool started_ = false, stepped_ = false, fresh_ = false;
};

/// [Console13] as a method.
struct Multistep {
  int order = 8;
  SolveOptions solve{};
  MethodInfo info() const { return multistep_info(order); }
  template <class S, class Sys>
  auto stepper(const Sys& system) const {
    return MultistepStepper<Sys, S>(system, order, Projection::output, solve);
  }
};

}  // namespace rattleback

#include "rattleback/integrators/multistep_land.hpp"
#include "rattleback/integrators/multistep_start.hpp"
#include "rattleback/integrators/multistep_step.hpp"

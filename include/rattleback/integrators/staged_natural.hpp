// SHAKE and RATTLE for natural systems with holonomic constraints and a base map with stages. With
// W = M^-1 and the forces F_i = V_q(Q_i),
//
//   p+  = p - G(q)^T lambda                           slide along the fibre
//   q1  = q + h W (p+ - h sum_j B_j F_j), g(q1) = 0   lambda                 [McLachlan12 (11)]
//   Q_i = q + c_i (q1 - q) + h^2 W sum_j D_ij F_j     D_ij = c_i B_j - A_ij
//   p1- = p+ - h sum_j b_j F_j                        SHAKE ends here; RATTLE projects
//
// where c = a 1, A = a a^, B = b^T a^ of a tableau: D = 0 for all of one stage. Unknowns are the
// forces and lambda. Where A = 0, as in drift - kick - drift, stages are on the way of a coasting
// step, Q_i = q + c_i h W p+, and the forces at the present lambda are right at once. Given the
// forces q1 is affine in lambda, as in a kick-drift-kick step; the forces follow the positions with
// h^2 W V_qq, so that one iteration improves both: forces at the present stages, then lambda by the
// kernel. Where V is so stiff that this does not contract the step gives up, and who asked solves
// for all unknowns together (general_constrained.hpp).
#pragma once

#include <algorithm>
#include <vector>

#include "rattleback/integrators/natural_constrained.hpp"
#include "rattleback/integrators/stage_law.hpp"
#include "rattleback/integrators/stage_passes.hpp"

namespace rattleback {

/// A step that fails leaves the state as it was.
template <class Sys, class S, class K = typename detail::KernelOf<Sys, S>::type>
class StagedNatural {
  using Core = NaturalConstrained<Sys, S, K>;

 public:
  using Position = typename K::Position;
  using Multiplier = typename K::Multiplier;
  using Point = State<S, K::N>;

  StagedNatural(const Sys& system, BaseMapChoice base, SolveOptions options = {})
      : core_(system, Kicks{1, 0}, options),
        law_(stage_law<Real<S>>(base)),
        stages_(law_.stages(), Stage(system.dimension())),
        slope_(system.dimension()),
        coast_(system.dimension()) {}

  void reset() { core_.reset(); }
  const Multiplier& lambda() const { return core_.lambda(); }
  static std::string structure(const Sys& system) { return Core::structure(system); }
  /// The next step is substep k of a composition: its first guess comes from its like.
  void select(std::size_t k) {
    core_.select(k);
    histories_.select(k, stages_);
  }
  Status project(const Sys& system, Point& z) { return core_.project(system, z); }

  Status step(const Sys& system, Point& z, const Real<S>& h, bool project) {
    if (!core_.fresh_)
      if (Status s = start(system, z); !s) return s;
    Work<K>& w = core_.work_;
    K& kernel = core_.kernel_;
    const Stride<S, K::N> stride{z, h, {law_.direct ? 0.0 : 1.0, 0}, project};
    w.predictor.predict(h, w.lambda, w.mu, project);
    if (!law_.direct) {
      predict_forces(system);
      mix_forces(w.v_q);
    }
    kernel.launch(system, stride, core_.floor_, w);        // q1 of this lambda and these forces
    if (law_.direct) stage_passes::exchange(w.q, coast_);  // without forces
    bool moved = false;
    Status status = land(system, stride, moved);
    if (status.iterations > threshold::few_iterations)
      if (status && !kernel.same_branch(system, w.jacobian, w.next))
        status.outcome = Outcome::branch_jump;
    if (!status) return core_.failed(status);
    if (moved) kernel.correct(h, w);
    if (!law_.direct || momentum_waits<K>) {
      copy(z.p, w.p);
      kernel.kick(w.jacobian, w.lambda, w.p);
    }
    for (std::size_t i = 0; i < stages_.size(); ++i)
      subtract_scaled(Real<S>(h * law_.kick[i]), stages_[i].force, w.p);
    return finish(system, z, h, project, status);
  }

 private:
  struct Stage {
    explicit Stage(int n) : place(n), force(n), pull(n), predictor(n) {}
    Position place, force, pull;  // Q_i, F_i, W F_i
    RollingPredictor<Position> predictor;
  };
  /// Of the stages, as a history is asked for.
  struct Stages : std::vector<Stage> {
    using std::vector<Stage>::vector;
    void reset() {
      for (Stage& stage : *this) {
        stage.predictor.reset();
        stage.force.setConstant(S(0)), stage.pull.setConstant(S(0));
      }
    }
  };

  Status start(const Sys& system, const Point& z) {
    if (Status s = core_.start(system, z); !s) return s;
    histories_.reset();
    for (Stage& stage : stages_) {  // all that is known of the force is V_q(q)
      stage.predictor.reset();
      stage.predictor.predict(Real<S>(1), stage.force, slope_, false);
      copy(core_.work_.v_q, stage.force);
      system.velocity(stage.force, stage.pull);
      stage.predictor.record(Real<S>(1), stage.force);
    }
    return {};
  }
  void predict_forces(const Sys& system) {
    for (Stage& stage : stages_) {
      stage.predictor.predict(Real<S>(1), stage.force, slope_, false);
      system.velocity(stage.force, stage.pull);
    }
  }

  /// out = sum_j B_j F_j
  void mix_forces(Position& out) const {
    for (Eigen::Index i = 0; i < out.size(); ++i) out[i] = stages_[0].force[i] * law_.drift[0];
    for (std::size_t j = 1; j < stages_.size(); ++j)
      add_scaled(law_.drift[j], stages_[j].force, out);
  }

  /// q1 from where it coasts to, with the force of the stage on the way there.
  void fall(const Sys& system, const Stride<S, K::N>& stride) {
    Stage& stage = stages_[0];
    const Real<S> a = stride.h * stride.h * law_.drift[0];
    stage_passes::put(stride.z.q, coast_, law_.c[0], stage.place);
    system.potential_gradient(stage.place, stage.force);
    if constexpr (requires { system.pull(coast_, a, stage.force, slope_); }) {
      system.pull(coast_, a, stage.force, core_.work_.q);
    } else {
      system.velocity(stage.force, stage.pull);
      stage_passes::drop(coast_, a, stage.pull, core_.work_.q);
    }
  }
  /// Forces at the stages between q and q1, which follows them; the largest change of one.
  double follow(const Sys& system, const Stride<S, K::N>& stride) {
    Position& q1 = core_.work_.q;
    const Real<S> h2 = stride.h * stride.h;
    double change = 0;
    for (std::size_t i = 0; i < stages_.size(); ++i) {  // all places by the same forces
      Position& place = stages_[i].place;
      stage_passes::put(stride.z.q, q1, law_.c[i], stages_[0].pull, Real<S>(h2 * law_.bend(i, 0)),
                        place);
      for (std::size_t j = 1; j < stages_.size(); ++j)
        add_scaled(Real<S>(h2 * law_.bend(i, j)), stages_[j].pull, place);
    }
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      Stage& stage = stages_[i];
      system.potential_gradient(stage.place, slope_);
      change = larger(change, stage_passes::difference(slope_, stage.force));
      stage_passes::exchange(slope_, stage.force);
      system.velocity(stage.force, slope_);
      stage_passes::pull_along(slope_, Real<S>(h2 * law_.drift[i]), stage.pull, q1);
    }
    return change;
  }

  /// Forces and lambda together. Both have to be at round-off: g(q1), and the kicks h F.
  Status land(const Sys& system, const Stride<S, K::N>& stride, bool& moved) {
    Work<K>& w = core_.work_;
    K& kernel = core_.kernel_;
    const SolveOptions& options = core_.options_;
    const double h = magnitude(stride.h);
    Stopping kicks(law_.direct ? 0 : kick_floor(stride), options.band);
    Contraction contraction;
    bool exact = K::exact_newton;
    for (int k = 0; k < options.max_iterations; ++k) {
      auto verdict = Stopping::Verdict::done;
      if (law_.direct)
        fall(system, stride);
      else
        verdict = kicks.judge(h * follow(system, stride));
      if (verdict == Stopping::Verdict::not_finite) return {Outcome::not_finite, k, kicks.last()};
      const bool followed = verdict == Stopping::Verdict::done;
      if (!followed && k > 2 && kicks.last() > threshold::poor_contraction * kicks.before())
        return {Outcome::no_convergence, k, kicks.last()};
      kernel.linearise(system, w.q, w.g, w.next);
      bool landed = K::within_floor(w.g, core_.floor_, 1);
      if (!landed && k > 0) {
        const auto of_g = contraction.judge(K::size(w.g));
        if (of_g == Contraction::Verdict::not_finite)
          return {Outcome::not_finite, k, contraction.last()};
        if (of_g == Contraction::Verdict::poor) {
          landed = core_.stalled_at_round_off(w.g, w.next, w.q);
          exact = true;
        }
      }
      if (landed && followed) return {Outcome::ok, k, contraction.last()};
      if (landed) continue;
      if (!exact)
        kernel.solve(w.g);
      else if (!kernel.solve_newton(system, w.jacobian, w.next, w.g))
        return {Outcome::rank_loss, k, contraction.last()};
      kernel.shift(system, w.jacobian, w.g, !moved, law_.direct ? coast_ : w.q, w.mu);
      moved = true;
    }
    return {Outcome::no_convergence, options.max_iterations, contraction.last()};
  }
  /// Round-off of a kick h F, and of the momentum that it is added to.
  double kick_floor(const Stride<S, K::N>& stride) const {
    double size = std::max(stage_passes::largest(stride.z.p), threshold::least_scale);
    for (const Stage& stage : stages_)
      size = larger(size, magnitude(stride.h) * stage_passes::largest(stage.force));
    return std::max(2 * epsilon<S>, core_.options_.tolerance) * size;
  }

  /// With p1- in w.p and G(q1) in w.next: what a kick-drift-kick step ends with.
  Status finish(const Sys& system, Point& z, const Real<S>& h, bool project, Status status) {
    Work<K>& w = core_.work_;
    K& kernel = core_.kernel_;
    if (project) kernel.hidden(system, w.next, w.p, w.mu);
    kernel.exchange(w.jacobian, w.next);
    w.predictor.record(h, w.lambda);
    if (!law_.direct)
      for (Stage& stage : stages_) stage.predictor.record(Real<S>(1), stage.force);
    return core_.conclude(system, kernel, w, z, project, status);
  }

  Core core_;
  StageLaw<Real<S>> law_;
  Stages stages_;
  Histories<Stages> histories_;  // of the other substeps
  Position slope_, coast_;
};

}  // namespace rattleback

// An unconstrained step, then the nearest consistent state: see baselines.hpp.
#pragma once

#include "rattleback/integrators/base_map.hpp"
#include "rattleback/integrators/method_info.hpp"
#include "rattleback/integrators/momentum_projection.hpp"
#include "rattleback/integrators/position_projection.hpp"
#include "rattleback/solve/structure.hpp"

namespace rattleback {

template <class Sys, class S>
class NaiveProjectionStepper {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  using State = StateOf<Sys, S>;

  explicit NaiveProjectionStepper(const Sys& system, SolveOptions options = {})
      : base_(system, BaseMap::verlet, options),
        work_{Vector<S, N>(system.dimension()), Vector<S, N>(system.dimension())},
        n_(system.dimension()),
        m_(system.constraint_count()),
        positions_(system, options),
        momenta_(system, options) {}
  void reset() {}
  Status present(const Sys&, State&) { return {}; }
  std::string structure(const Sys&) const {
    return "after the step, " + in_words(SolverKind::dense, n_ + m_);
  }
  Projections projections(long steps, long) const { return {steps, steps}; }

  Status step(const Sys& system, State& z, const Real<S>& h) {
    copy(z.q, work_.q);
    copy(z.p, work_.p);
    Status status = base_.apply(system, h, work_);
    if (status && m_ > 0) status = positions_.project(system, work_);
    if (status && m_ > 0) {
      const int iterations = status.iterations;
      status = momenta_.project(system, work_);
      status.iterations += iterations;
    }
    if (!status) return status;
    copy(work_.q, z.q);
    copy(work_.p, z.p);
    return status;
  }

 private:
  BaseStepper<Sys, S> base_;
  State work_;
  int n_, m_;
  PositionProjection<Sys, S> positions_;
  MomentumProjection<Sys, S> momenta_;
};

}  // namespace rattleback

// An unconstrained step, then the nearest consistent state: see baselines.hpp.
#pragma once

#include "rattleback/integrators/base_map.hpp"
#include "rattleback/integrators/method_info.hpp"
#include "rattleback/integrators/momentum_projection.hpp"
#include "rattleback/solve/structure.hpp"

namespace rattleback {

template <class Sys, class S>
class NaiveProjectionStepper {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  static constexpr int U = N == dynamic || M == dynamic ? dynamic : N + M;
  using State = StateOf<Sys, S>;

  explicit NaiveProjectionStepper(const Sys& system, SolveOptions options = {})
      : n_(system.dimension()),
        m_(system.constraint_count()),
        base_(system, BaseMap::verlet, options),
        work_{Vector<S, N>(n_), Vector<S, N>(n_)},
        room_{Room<S>(n_, m_), Room<Lifted>(n_, m_)},
        x_(n_ + m_),
        solver_(n_ + m_, options),
        projection_(system, options) {}
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
    if (status && m_ > 0) status = nearest(system);
    if (status && m_ > 0) {
      for (int i = 0; i < n_; ++i) work_.q[i] = x_[i];
      const int iterations = status.iterations;
      status = projection_.project(system, work_);
      status.iterations += iterations;
    }
    if (!status) return status;
    copy(work_.q, z.q);
    copy(work_.p, z.p);
    return status;
  }

 private:
  using Lifted = typename Implicit<S, U>::Lifted;
  template <class R>
  struct Room {
    Room(int n, int m) : q(n), force(n), shift(n), g(m), jacobian(m, n), unused(m, n) {}
    Vector<R, N> q, force, shift;
    Vector<R, M> g;
    Matrix<R, M, N> jacobian, unused;
  };

  // q1 - q~ + M^-1 G(q1)^T nu = 0,  g(q1) = 0
  Status nearest(const Sys& system) {
    for (int i = 0; i < n_ + m_; ++i) x_[i] = i < n_ ? work_.q[i] : S(0);
    const double floor =
        2 * epsilon<S> * std::max(largest_magnitude(work_.q), threshold::least_scale);
    return solver_.solve(x_, floor, [&](auto on, const auto& x, auto& r) {
      auto& w = room_[on];
      for (int i = 0; i < n_; ++i) w.q[i] = x[i];
      system.linearise(w.q, w.q, w.g, w.jacobian, w.unused);
      for (int i = 0; i < n_; ++i) {
        w.force[i] = w.jacobian(0, i) * x[n_];
        for (int k = 1; k < m_; ++k) w.force[i] += w.jacobian(k, i) * x[n_ + k];
      }
      system.velocity(w.force, w.shift);
      for (int i = 0; i < n_; ++i) r[i] = w.q[i] - on(work_.q[i]) + w.shift[i];
      for (int k = 0; k < m_; ++k) r[n_ + k] = w.g[k];
      return Status{};
    });
  }

  int n_, m_;
  BaseStepper<Sys, S> base_;
  State work_;
  ForRuns<Room<S>, Room<Lifted>> room_;
  Vector<S, U> x_;
  Implicit<S, U> solver_;
  MomentumProjection<Sys, S> projection_;
};

}  // namespace rattleback

// Steps of mechanisms on the group of their bodies [Barbero24 Sec. 6.2], [Hante, Arnold 2021]:
//
//   D(h xi, J xi) = m0 + w0 h f0 - G0^T mu          the momentum at the start
//   g(q1) / h = 0,   q1 = q0 tau(h xi)              joints at the end
//   m1 = D(-h xi, J xi) + w1 h f1                   the momentum at the end
//
// Unknowns xi of every body and mu = h lambda of every joint. D and its slopes are the body's
// (body_kernels.hpp), w = (1/2, 1/2) is RATTLie, (1, 0) Euler A, (0, 1) Euler B. Momenta are
// carried as they come: what the joints would add at the end is along G1^T, and the next mu takes
// it up [Barbero24 Lemma 4.3]; present() projects where a state is looked at.
//
// Newton: with A = dD/dxi and T the turn of the end, S dmu = g/h - G1 T A^-1 r, S = G1 T A^-1 G0^T,
// and dxi = -A^-1 (r + G0^T dmu). S has a block for each two joints at one body. Bodies that are
// kept (mechanism_model.hpp) have dxi among the unknowns instead: A dxi + G0^T dmu = -r, and
// -G1 T dxi in the rows of their joints. Where the joints close loops S is softened: rows that
// follow from others then have a pivot, and the residual stays the true one. First guess: xi and mu
// extrapolated from the last three steps. mu enters linearly, but what a solve loses of it is
// round-off of the correction only, if that is small.
//
// Where joints lose rank (a four-bar that lies flat), two branches of positions meet. On either
// side the equations have a solution with the momentum's direction, whose mu grows as 1/a with the
// distance a of q0 from there, while G0^T mu stays; at a = 0 there is none.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "mechanism_model.hpp"
#include "rattleback/solve/histories.hpp"
#include "rattleback/solve/newton.hpp"

namespace rattleback {

/// Which part of a step's force acts at its start and at its end.
struct ForceWeights {
  double start = 0.5, end = 0.5;
};

template <class S, class Body>
class MechanismStepper {
 public:
  using Twist = Vector<S, 6>;
  using State = MechanismState<S>;

  explicit MechanismStepper(const MechanismModel& model, const SolveOptions& options = {});

  Status step(State& z, const Real<S>& h, const ForceWeights& weights);
  void reset() {
    history_.reset();
    histories_.reset();
    rows_known_ = false;
  }
  /// The next step is this substep of a composition.
  void select(std::size_t substep) { histories_.select(substep, history_); }

 private:
  /// xi and mu of the last three steps.
  struct History {
    std::vector<Twist> last[3];
    Vector<S, dynamic> impulses[3];
    Real<S> h{0};
    int known = 0;
    void reset() { known = 0; }
  };

  void rows_in_group(const std::vector<Pose<S>>& poses, JointRows<S>& rows) const;
  void predict(const Real<S>& h);
  void guess_from_momentum();
  void guess_shafts();
  void aim(const State& z, const Real<S>& h, const ForceWeights& weights);
  Status solve(const State& z, const Real<S>& h, int most);
  Status follow(const State& z, const Real<S>& h, const ForceWeights& weights);
  Status pass_singular(const State& z, const Real<S>& h, const ForceWeights& weights);
  void record();
  void linearise(const State& z, const Real<S>& h);
  void evaluate(const State& z, const Real<S>& h);
  void right_hand_side(const Real<S>& h);
  struct Correction {
    double turn, shift;  ///< of the ends; the shift in sizes of the mechanism
  };
  Correction correct(const Real<S>& h);
  void residuals();
  void shaft_residuals();
  void finish(State& z, const Real<S>& h, const ForceWeights& weights);
  void kick(State& z, const Real<S>& by) const;
  void look_around(const State& z);
  Outcome judge_solution(const Real<S>& h, int iterations) const;

  const MechanismModel& model_;
  SolveOptions options_;
  std::vector<BodyInertia<S>> inertia_;
  std::vector<Body> bodies_;
  std::vector<Twist> xi_, guess_, target_, residual_;
  std::vector<Twist> forces_;  // beside gravity, at the state; empty where there are none
  std::vector<Pose<S>> ends_;
  std::vector<Matrix<S, 6>> slopes_;  // of kept bodies
  JointRows<S> rows0_, rows1_, pulled_;
  struct Shaft {
    S inertia, xi, target;
  };
  std::vector<Shaft> shafts_;
  BlockMatrix<S> matrix_;
  Vector<S, dynamic> mu_, change_, followed_;
  History history_;
  Histories<History> histories_;
  bool rows_known_ = false;
  double softening_;
};

}  // namespace rattleback

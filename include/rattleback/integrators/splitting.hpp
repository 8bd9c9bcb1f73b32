// Splitting methods for H = T(p) + V(q) with constraints on positions  [Reich93 (32)-(34)]:
//
//   P_i = P_{i-1} - h d_i V_q(Q_{i-1}) - G(Q_{i-1})^T Lambda_i          i = 1, ..., k
//   Q_i = Q_{i-1} + h c_i T_p(P_i),   g(Q_i) = 0;   Lambda_i = 0 where c_i = 0
//   q1  = Q_k,   p1 = P_k - G(q1)^T mu,   G(q1) T_p(p1) = 0
//
// Lambda and mu contain their h d_i. A drift between two half kicks of its own length is a step of
// SHAKE over verlet, so that with drifts c_i that are not zero and kicks e_0, ..., e_k around them
//
//   kick e_0 - c_1/2,  SHAKE(c_1 h),  kick e_1 - (c_1 + c_2)/2,  SHAKE(c_2 h),  ...,  kick e_k -
//   c_k/2
//
// whatever core and kernel make that step; one multiplier solve for every drift. The kicks left
// over vanish for compositions of RATTLE, as the built-in orders from 2 on are.
//
// Order. On the state manifold a drift with its multiplier is a symmetric method for T alone,
// exp(c h A + (c h)^3 A_3 + (c h)^5 A_5 + ...), a kick is exp(d h B), and the flow exp(h (A + B)).
// So beyond order 2 more is asked for than without constraints: sum c_i^3 = 0 of order 3, and so
// on. Orders are found by comparing both as series in words of A, B, A_3, A_5, ...; methods that
// need T(p) to be quadratic (Runge-Kutta-Nystroem) are not recognised.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rattleback/integrators/method_info.hpp"
#include "rattleback/integrators/shake_rattle.hpp"
#include "rattleback/problem/quad.hpp"

namespace rattleback {

/// c_i and d_i as [Reich93 (34)] has them.
struct SplittingCoefficients {
  std::vector<Quad> c, d;
};
/// Of order 1 (c = d = 1), 2 (RATTLE), 4 (triple jump, [Reich93 Corollary 11.2]), 6 (7 drifts) and
/// 8 (15 drifts); throws InputError for others.
SplittingCoefficients splitting_of_order(int order);

/// Drifts that are not zero, and the kicks before, between and after them.
struct Substeps {
  std::vector<Quad> drifts, kicks;
};
Substeps substeps(const SplittingCoefficients& coefficients);

/// Why the coefficients are none of a method, as a sentence; empty where they are.
std::string obstacle_to_splitting(const SplittingCoefficients& coefficients);
/// The order on constrained systems, at most 10; of numbers that are exact to `tolerance`.
int splitting_order(const SplittingCoefficients& coefficients, double tolerance = 1e-11);
/// Whether the substeps are the same in both directions, to the last digits of double.
bool is_symmetric(const SplittingCoefficients& coefficients);

/// `order` is splitting_order(), which takes long to find for many substeps.
inline MethodInfo splitting_info(const SplittingCoefficients& coefficients, int order,
                                 std::string name) {
  return {.name = std::move(name),
          .order = order,
          .symmetric = is_symmetric(coefficients),
          .symplectic_on = SymplecticOn::state_manifold,
          .preserves_primary = true,
          .preserves_hidden = true,
          .applies = {.separable = true, .holonomic = true},
          .cite = "[Reich93 (32)]"};
}

/// Inner is SHAKE over verlet that presents its states on {g,H} = 0. A step that fails leaves the
/// state as it was.
template <class Sys, class S, class Inner>
class SplittingStepper {
 public:
  using State = StateOf<Sys, S>;
  using R = Real<S>;

  /// With `project` every step ends on {g,H} = 0, else states do where they are looked at.
  SplittingStepper(const Sys& system, Inner inner, const Substeps& substeps, bool project = true)
      : inner_(std::move(inner)),
        project_(project),
        work_{PositionOf<Sys, S>(system.dimension()), PositionOf<Sys, S>(system.dimension())},
        v_q_(system.dimension()),
        unused_(system.dimension()),
        lambda_(system.constraint_count()) {
    const auto half = [&](std::size_t k) {
      return k < substeps.drifts.size() ? Quad(substeps.drifts[k] / 2) : Quad(0);
    };
    for (const Quad& c : substeps.drifts) drifts_.push_back(static_cast<R>(c));
    for (std::size_t k = 0; k < substeps.kicks.size(); ++k) {
      const Quad rest = substeps.kicks[k] - (k > 0 ? half(k - 1) : Quad(0)) - half(k);
      rests_.push_back(abs(rest) < 1e-30 ? R(0) : static_cast<R>(rest));
    }
  }

  Status step(const Sys& system, State& z, const R& h) {
    copy(z.q, work_.q), copy(z.p, work_.p);
    lambda_.setConstant(S(0));
    int iterations = 0;
    kick(system, R(h * rests_[0]));
    for (std::size_t k = 0; k < drifts_.size(); ++k) {
      inner_.select(first_ + k);
      const Status status = inner_.step(system, work_, R(h * drifts_[k]));
      if (!status) return failed(status);
      iterations += status.iterations;
      for (Eigen::Index i = 0; i < lambda_.size(); ++i) lambda_[i] += inner_.lambda()[i];
      kick(system, R(h * rests_[k + 1]));
    }
    if (project_)
      if (const Status status = inner_.present(system, work_); !status) return failed(status);
    copy(work_.q, z.q), copy(work_.p, z.p);
    return {Outcome::ok, iterations};
  }
  void reset() { inner_.reset(); }
  /// The next step is substep k of a composition.
  void select(std::size_t k) { first_ = k * drifts_.size(); }
  Status present(const Sys& system, State& z) {
    return project_ ? Status{} : inner_.present(system, z);
  }
  /// The sum over the drifts: what the constraints gave in the whole step, as impulses.
  const Vector<S, dynamic>& lambda() const { return lambda_; }
  Projections projections(long steps, long looks) const { return {0, project_ ? steps : looks}; }
  std::string structure(const Sys& system) const { return inner_.structure(system); }

 private:
  /// What the inner method knows of its last step is of positions, and so are its first guesses
  /// but for what a kick changes.
  void kick(const Sys& system, const R& h) {
    if (h == 0) return;
    if (system.traits().natural)
      system.potential_gradient(work_.q, v_q_);
    else
      system.energy_gradient(work_.q, work_.p, v_q_, unused_);
    subtract_scaled(h, v_q_, work_.p);
  }
  /// What the inner method remembers is of a state on the way.
  Status failed(const Status& status) {
    inner_.reset();
    return status;
  }

  Inner inner_;
  std::vector<R> drifts_, rests_;
  bool project_;
  std::size_t first_ = 0;  // of the inner method's substeps
  State work_;
  PositionOf<Sys, S> v_q_, unused_;
  Vector<S, dynamic> lambda_;
};

}  // namespace rattleback

// Gauss-Legendre collocation, any number of stages s, on the formulations of [Reich93]:
//
//   Z_i = z + sum_j a_ij h Z'_j,   0 = kept(Z_i),   z1 = z + sum_i b_i h Z'_i        [Reich93 (12)]
//
// with the fields of driven_field.hpp. Orders of (q; p) from states on g = {g,H} = 0, with
// nu = s for even s and s + 1 for odd: (nu; nu) on (6), (nu; nu - 2) on (2) [Reich93 3.2], (2s; nu)
// on (17), (2s; 2s) on (8), and (2s; 2s) on (6) with its end projected
//   z1 = z~ + J phi'(z1)^T mu,   phi(z1) = 0.                                          [Reich93 4]
// Plain ones are symplectic on (6), (2), (8), in all of phase space. For odd s and off g = {g,H} =
// 0 a step on (6) reflects, phi -> -phi, and is not near the identity: `reversible` is two half
// steps. For H even in p they are the R Psi_-h/2 R Psi_h/2 of [Reich93 5.2], as Psi_h itself is
// R-reversible, contrary to what is said there. It is they that are composed: [Reich93 (15)], made
// of single midpoint steps, has order 2.
//
// First guess: the last step's stage polynomial, extrapolated. A solution far from its guess is
// held against the one that is reached from smaller steps.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/integrators/driven_stages.hpp"
#include "rattleback/integrators/method_info.hpp"

namespace rattleback {

enum class GaussVariant { plain, projected, reversible };

struct GaussChoice {
  int stages = 1;
  Formulation form = Formulation::index2;
  GaussVariant variant = GaussVariant::plain;
};

/// What compositions are made of: two half steps, but on (8), where a single one is near the
/// identity.
inline GaussChoice in_compositions(GaussChoice choice) {
  if (choice.form != Formulation::unconstrained) choice.variant = GaussVariant::reversible;
  return choice;
}

/// Without its name.
MethodInfo gauss_info(const GaussChoice& choice);
/// What is left of it in a composition, but for its order.
MethodInfo gauss_info_in_compositions(const GaussChoice& choice);

/// The stage polynomial of one step, as the first guess of the next.
template <class S>
class StageExtrapolation {
 public:
  explicit StageExtrapolation(const Tableau<Real<S>>& tableau)
      : c_(tableau.c),
        states_(tableau.stages(), tableau.stages()),
        multipliers_(tableau.stages(), tableau.stages()) {}

  /// For a step `ratio` times as long, that begins where the last one ended; or, `from` = 0, where
  /// it began.
  void prepare(const Real<S>& ratio, int from) {
    const int s = static_cast<int>(c_.size());
    for (int i = 0; i < s; ++i) {
      const Real<S> at = Real<S>(from) + ratio * c_[i];
      for (int j = 0; j < s; ++j) {
        // Lagrange polynomials on the nodes 0, c_1, ..., c_s, and on c_1, ..., c_s.
        multipliers_(i, j) = lagrange(j, at);
        states_(i, j) = lagrange(j, at) * at / c_[j] - lagrange(j, Real<S>(from)) * from / c_[j];
      }
    }
  }
  /// Increments of states, and multipliers, of stage i from those of the last step.
  const Matrix<Real<S>, dynamic>& states() const { return states_; }
  const Matrix<Real<S>, dynamic>& multipliers() const { return multipliers_; }

 private:
  Real<S> lagrange(int j, const Real<S>& at) const {
    Real<S> product(1);
    for (int k = 0; k < static_cast<int>(c_.size()); ++k)
      if (k != j) product *= (at - c_[k]) / (c_[j] - c_[k]);
    return product;
  }
  std::vector<Real<S>> c_;
  Matrix<Real<S>, dynamic> states_, multipliers_;
};

/// By stages of any kind on the nodes of the method. A step that fails leaves the state as it was.
template <class Sys, class S, class Stages = DrivenStages<Sys, S>>
class GaussStepper {
 public:
  using State = StateOf<Sys, S>;
  using Unknown = Vector<S, dynamic>;

  GaussStepper(const Sys& system, const GaussChoice& choice, const SolveOptions& options = {})
      : n_(system.dimension()),
        substeps_(choice.variant == GaussVariant::reversible ? 2 : 1),
        projected_(choice.variant == GaussVariant::projected),
        momenta_jump_(choice.form == Formulation::index3),
        stages_(system, choice.form, gauss_tableau<Real<S>>(choice.stages), options),
        extrapolation_(stages_.tableau()),
        guess_(stages_.unknowns()),
        last_(guess_),
        h_q_(n_),
        h_p_(n_),
        work_{PositionOf<Sys, S>(n_), PositionOf<Sys, S>(n_)} {
    if (projected_) end_.emplace(system, Formulation::index2, end_tableau(), options);
  }

  void reset() {
    known_ = false;
    stages_.forget();
    if (end_) end_->forget();
  }
  Status present(const Sys&, State&) { return {}; }
  Projections projections(long steps, long) const {
    return projected_ ? Projections{steps, steps} : Projections{};
  }
  std::string structure(const Sys&) const { return stages_.structure(); }

  Status step(const Sys& system, State& z, const Real<S>& h) {
    copy(z.q, work_.q), copy(z.p, work_.p);
    int iterations = 0;
    for (int k = 0; k < substeps_; ++k) {
      const Status status = substep(system, Real<S>(h / substeps_), work_);
      iterations += status.iterations;
      if (!status) {
        reset();
        return {status.outcome, iterations, status.residual};
      }
    }
    copy(work_.q, z.q), copy(work_.p, z.p);
    return {Outcome::ok, iterations};
  }

 private:
  /// Of the step itself: extrapolated from rest, a motion is wrong by half its length.
  static constexpr double far_away = 0.75;
  /// Of the state: other solutions are not nearer, but at turning points the step itself is short.
  static constexpr double worth_a_look = 0.2;
  static constexpr double much_faster = 3;  ///< than the last step

  static Tableau<Real<S>> end_tableau() { return theta_tableau(Real<S>(1)); }

  Status substep(const Sys& system, const Real<S>& h, State& z) {
    if (known_)
      extrapolate(h, Real<S>(h / last_h_), 1);
    else
      tangent(system, h, z);
    const Status found = stages_.solve(system, z, h);
    Status status = found;
    if (!found || is_doubtful(z, h)) status = continued(system, h, z);
    if (!status) return found ? status : found;
    copy(stages_.unknowns(), last_);
    last_h_ = h, speed_ = length(0) / magnitude(h), known_ = true;
    if (Status s = stages_.advance(system, h, z); !s) return s;
    return projected_ ? project(system, z, status) : status;
  }
  /// [Reich93 4]: the one stage of a step of length 0 whose end is the stage.
  Status project(const Sys& system, State& z, Status status) {
    Stages& end = *end_;
    end.unknowns().setConstant(S(0));
    const Status s = end.solve(system, z, Real<S>(0));
    if (!s) return s;
    for (int i = 0; i < n_; ++i) {
      z.q[i] += end.unknowns()[i];
      z.p[i] += end.unknowns()[n_ + i];
    }
    status.iterations += s.iterations;
    return status;
  }
  /// Stages on the tangent, multipliers unknown.
  void tangent(const Sys& system, const Real<S>& h, const State& z) {
    system.energy_gradient(z.q, z.p, h_q_, h_p_);
    guess_.setConstant(S(0));
    for (int j = 0; j < stages_.stages(); ++j) {
      const Real<S> at = h * stages_.tableau().c[j];
      for (int i = 0; i < n_; ++i) {
        guess_[j * stages_.width() + i] = h_p_[i] * at;
        guess_[j * stages_.width() + n_ + i] = h_q_[i] * Real<S>(-at * stages_.kappa(h));
      }
    }
    copy(guess_, stages_.unknowns());
  }
  /// From the polynomial of the last solution; `from` as in StageExtrapolation.
  void extrapolate(const Real<S>& h, const Real<S>& ratio, int from) {
    extrapolation_.prepare(ratio, from);
    const int w = stages_.width();
    // kappa, and what the multipliers are multiplied by, change with h.
    const Real<S> kappa = stages_.kappa(h) / stages_.kappa(last_h_);
    const Real<S> impulse = stages_.impulse(h) / stages_.impulse(last_h_);
    for (int i = 0; i < stages_.stages(); ++i)
      for (int c = 0; c < w; ++c) {
        S sum(0);
        const auto& weights = c < 2 * n_ ? extrapolation_.states() : extrapolation_.multipliers();
        for (int j = 0; j < stages_.stages(); ++j) sum += last_[j * w + c] * weights(i, j);
        guess_[i * w + c] = sum * (c < n_ ? Real<S>(1) : c < 2 * n_ ? kappa : impulse);
      }
    copy(guess_, stages_.unknowns());
  }
  /// Whether the solution is elsewhere than the guess said, in a measure of the step itself, or
  /// than the last step would have it.
  bool is_doubtful(const State& z, const Real<S>& h) const {
    const double moved = length(0), fast = much_faster * speed_ * magnitude(h);
    return far_from_guess(z) ||
           (known_ && moved > std::max(fast, worth_a_look * std::max(largest_magnitude(z.q),
                                                                     threshold::least_scale)));
  }
  /// Momenta tell nothing on the tangent, which has no multipliers, nor where they do not converge.
  bool far_from_guess(const State& z) const {
    return far(0, largest_magnitude(z.q)) ||
           (known_ && !momenta_jump_ && far(n_, largest_magnitude(z.p)));
  }
  bool far(int offset, double size) const {
    return missed(offset, offset + n_) >
           std::max(far_away * length(offset),
                    worth_a_look * std::max(size, threshold::least_scale));
  }
  /// The largest increment of q or of p in any stage.
  double length(int offset) const {
    double most = 0;
    for (int j = 0; j < stages_.stages(); ++j)
      for (int i = offset; i < offset + n_; ++i)
        most = larger(most, magnitude(base(stages_.unknowns()[j * stages_.width() + i])));
    return most;
  }
  static double round_off(double size) { return threshold::round_off_band * epsilon<S> * size; }
  /// By how much the guess of these variables was wrong.
  double missed(int first, int end) const {
    double most = 0;
    for (int j = 0; j < stages_.stages(); ++j)
      for (int i = j * stages_.width() + first; i < j * stages_.width() + end; ++i)
        most = larger(most, magnitude(base(S(stages_.unknowns()[i] - guess_[i]))));
    return most;
  }
  /// The solution that is reached from steps of h/8, h/4, h/2: at h it may be one of several. What
  /// the polynomial of one misses of the next grows like h^(s+1), unless another one is met.
  Status continued(const Sys& system, const Real<S>& h, const State& z) {
    const double size_q = largest_magnitude(z.q), size = std::max(size_q, largest_magnitude(z.p));
    const double growth = std::ldexp(4, stages_.stages() + 1);
    int iterations = 0;
    double before = 0;
    Real<S> part = h / 8;
    tangent(system, part, z);
    for (int level = 0; level < 4; ++level, part *= 2) {
      if (level > 0) extrapolate(part, Real<S>(2), 0);
      const Status status = stages_.solve(system, z, part);
      iterations += status.iterations;
      if (!status) return {status.outcome, iterations, status.residual};
      const double miss = missed(0, 2 * n_);
      if (level > 1 && (far(0, size_q) || miss > growth * before + round_off(size)))
        return {Outcome::branch_jump, iterations};
      before = miss;
      copy(stages_.unknowns(), last_);
      last_h_ = part;
    }
    return {Outcome::ok, iterations};
  }

  int n_, substeps_;
  bool projected_, momenta_jump_;
  Stages stages_;
  StageExtrapolation<S> extrapolation_;
  std::optional<Stages> end_;  // where it is projected
  Unknown guess_, last_;
  Real<S> last_h_{};
  double speed_ = 0;  // of the last step
  bool known_ = false;
  PositionOf<Sys, S> h_q_, h_p_;
  State work_;
};

/// Gauss-Legendre as a method.
struct Gauss {
  GaussChoice choice{};
  SolveOptions solve{};
  MethodInfo info() const { return gauss_info(choice); }
  MethodInfo info_in_compositions() const { return gauss_info_in_compositions(choice); }
  Gauss in_compositions() const { return {rattleback::in_compositions(choice), solve}; }
  template <class S, class Sys>
  auto stepper(const Sys& system) const {
    return GaussStepper<Sys, S>(system, choice, solve);
  }
};

}  // namespace rattleback

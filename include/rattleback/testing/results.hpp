// What the law checkers return: the measured numbers, and what was expected of them. holds() is
// false after a failed step. All can be printed.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "rattleback/integrators/method_info.hpp"

namespace rattleback::testing {

/// Base of all results: the first failed step, in words; empty when there was none.
struct Result {
  std::string failure;
};

/// Errors against the exact solution under halving of the step.
struct OrderResult : Result {
  int expected = 0;
  double plateau = 0;  ///< errors below this are round-off and count for nothing
  std::vector<double> steps, errors;

  /// log2 of successive error ratios, finest last, without the round-off plateau.
  std::vector<double> slopes() const;
  /// The finest slope; not a number when everything is below the plateau.
  double slope() const;
  bool holds(double tolerance) const;
  std::string text() const;
};

/// |backward(-h) forward(h) z - z|: 0 when one is the adjoint of the other.
struct ReversalResult : Result {
  double defect = 0;
  double step = 0;
  bool holds(double tolerance) const { return failure.empty() && defect <= tolerance; }
  std::string text() const;
};

/// max |omega(Du, Dv) - omega(u, v)| over an orthonormal basis of a tangent space, D the exact
/// Jacobian of some steps.
struct FormResult : Result {
  SymplecticOn on = SymplecticOn::nothing;
  int directions = 0;
  double defect = 0;
  double leaving = 0;  ///< how far the image is from the manifold, as relative residuals
  bool holds(double tolerance) const {
    return failure.empty() && defect <= tolerance && leaving <= tolerance;
  }
  std::string text() const;
};

/// The Jacobian of some steps from dual numbers against differences in quad precision.
struct JacobianResult : Result {
  double difference = 0;  ///< largest, of any entry
  double size = 0;        ///< the largest entry
  bool holds(double tolerance) const { return failure.empty() && difference <= tolerance * size; }
  std::string text() const;
};

/// Largest residuals of a run, relative to the terms that cancel in them: 1e-16 is round-off.
struct ResidualResult : Result {
  int steps = 0;
  double primary = 0;  ///< |g_i| / (|dg_i||z|)
  double hidden = 0;   ///< |{g_i,H}| / (|g_q||H_p| + |g_p||H_q|)
  std::string text() const;
};

/// Energy over a long run. A symplectic method conserves an energy of its own, H + h^p F(z) + ...:
/// H then is a function of where the motion is, and its values later are those it had before. They
/// are compared by percentiles: of a chaotic motion the extremes of F are rare, a thousand times
/// its usual size, and larger the longer one looks.
struct EnergyResult : Result {
  int steps = 0;
  double spread = 0;        ///< from the 10th to the 90th percentile of all steps
  double early_spread = 0;  ///< the same of the first quarter
  double drift = 0;         ///< the median of the last quarter less that of the first
  int one_way = 0;          ///< of 31 moves between medians, those that go the way of most
  double round_off = 0;     ///< a spread below this says nothing

  /// How much the spread grew after the first quarter: near 1 when bounded, 4 for a pure drift.
  double growth() const;
  /// The drift as part of the spread: small when energy oscillates, 15/16 for a pure drift.
  double drift_share() const;
  bool at_round_off() const { return spread <= round_off; }
  std::string text() const;
};

/// A kernel (integrators/kernel.hpp) at one point: largest defects, each relative to the size of
/// the terms: 1e-16 is round-off.
struct KernelResult : Result {
  double linearise = 0;  ///< g(q)
  double kick = 0;       ///< G^T lambda
  double hidden = 0;     ///< G W p
  double transpose = 0;  ///< lambda . G W p - W p . G^T lambda
  double gram = 0;       ///< (G W G^T) x - b after solve and after solve_fresh
  double shift = 0;      ///< W G^T delta, and its sum
  double newton = 0;     ///< (G_1 W G^T) x - b where solve_newton has ended
  int newton_steps = 0;  ///< how often it was called until within ten times of that
  double launch = 0;     ///< q_1
  double land = 0;       ///< g(q_1), in units of its round-off eps sum_j |G_ij||q|
  double arrive = 0;     ///< q_1 and p_1 for the lambda found, V_q(q_1), mu = G_1 W p_1
  bool floor = true;     ///< what is below eps |G_i||q| counts as round-off, what is far above not
  bool branch = true;    ///< same_branch says what the diagonals of G' W G^T say
  int turned = 0;        ///< at how many of the points tried it is false
  int multistep_verbs = 0;  ///< how many of the following it has
  double reach = 0;         ///< w, q_1, g(q_1) and G_1^T lambda, and w of follow
  bool settled = true;      ///< reach says what within_floor says
  double between = 0;       ///< (G_1 W G^T) x - b after factor_between and solve_between
  double left_over = 0;     ///< the largest part of the bound that a correction leaves of g
  double curvature = 0;     ///< g_qq(v, v)

  double largest() const;
  std::string text() const;
};

/// Steps through a kernel against steps through dense matrices.
struct KernelStepsResult : Result {
  double state = 0;   ///< largest difference of q and p, relative to their size
  double lambda = 0;  ///< of h G^T lambda, which moves q: lambda itself is uncertain by eps |q|/h
  /// p_1 - p + G^T lambda + a h V_q(q) + b h V_q(q_1) + G_1^T mu: whether the multipliers that are
  /// reported are those that acted
  double balance = 0;
  std::string text() const;
};

/// Two methods compared on fibres: both projected to {g,H} = 0.
struct FibreResult : Result {
  int steps = 0;
  double difference = 0;
  bool holds(double tolerance) const { return failure.empty() && difference <= tolerance; }
  std::string text() const;
};

std::ostream& operator<<(std::ostream& out, const OrderResult& r);
std::ostream& operator<<(std::ostream& out, const ReversalResult& r);
std::ostream& operator<<(std::ostream& out, const FormResult& r);
std::ostream& operator<<(std::ostream& out, const JacobianResult& r);
std::ostream& operator<<(std::ostream& out, const ResidualResult& r);
std::ostream& operator<<(std::ostream& out, const EnergyResult& r);
std::ostream& operator<<(std::ostream& out, const FibreResult& r);

}  // namespace rattleback::testing

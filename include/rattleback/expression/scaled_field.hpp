// The equations of motion of a natural system as one vector field, in time scaled by its own force:
// compiled code that answers for one point, or for eight at once.
//
//   mu = K^-1 G M^-1 p,   v = M^-1 (p - G^T mu),   K = G M^-1 G^T
//   lambda = K^-1 (v.g''.M^-1 p - G M^-1 V_q),     f = -V_q - G^T lambda
//   sigma = (f.M^-1 f + c^2)^(-1/4)
//
// q' = sigma v, p' = sigma f, t' = sigma. With v in place of M^-1 p, and with g'' taken between v
// and M^-1 p, g and G M^-1 p are first integrals of this field everywhere, not only where they are
// zero: a method that keeps quadratic integrals keeps quadratic constraints.
//
// Where sigma, lambda, mu and K are nearly known, they follow by Newton's method, with K as it was:
//   dmu = K^-1 G v^,  v^ = M^-1 (p - G^T mu),   dlambda = K^-1 (v.g''.M^-1 p + G M^-1 f^),
//   f^ = -V_q - G^T lambda
// Nothing waits for a division or a root then.
#pragma once

#include <memory>

#include "rattleback/expression/canonical.hpp"
#include "rattleback/expression/compiled_function.hpp"
#include "rattleback/problem/any_system.hpp"

namespace rattleback {

/// A program for one point, and for eight at once.
struct LaneProgram {
  static constexpr int lanes = 8;

  Program program;
  NativeCode native{};  ///< at eight points; empty where there is none

  /// At eight points; entry k of every array is eight doubles.
  template <class Lanes>
  void operator()(const Lanes* x, const Lanes* y, Lanes* a, Lanes* b) const {
    static_assert(sizeof(Lanes) == lanes * sizeof(double));
    if (native)
      native(reinterpret_cast<const double*>(x), reinterpret_cast<const double*>(y),
             reinterpret_cast<double*>(a), reinterpret_cast<double*>(b));
    else
      program.run(x, y, a, b);
  }
};

struct ScaledField {
  int dimension = 0, constraints = 0;
  bool quadratic = false;   ///< all constraints are, at most
  LaneProgram field;        ///< (q, c^2; p) -> (q', t'; p')
  int held = 0;             ///< number of sigma, lambda, mu and the factors of K, together
  int following = 0;        ///< the first of them, which `refined` improves
  LaneProgram holding;      ///< (q, c^2; p) -> (q', held; p')
  LaneProgram refined;      ///< (q, c^2, held; p) -> (q', following; p')
  CompiledFunction normal;  ///< (q; p) -> (g, G M^-1 p; G, M^-1 G^T): each m x n, row by row
  LaneProgram rates;        ///< (q, u; p, w) -> derivatives of g and of G M^-1 p along (u, w)
};

/// Null where the elimination of the multipliers would be longer than it is worth as code.
std::shared_ptr<const ScaledField> scaled_field(const CanonicalSystem& canonical);
/// Of a natural system with constraints on positions, made of expressions, made when first asked
/// for; null for others.
std::shared_ptr<const ScaledField> scaled_field(const AnySystem& system);

}  // namespace rattleback

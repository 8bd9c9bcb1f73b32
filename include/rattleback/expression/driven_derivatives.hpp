// What drives the stages of a Runge-Kutta method on the constrained equations, from the expressions
// of H and g, by its nonzeros. With phi = (g, rho), rho = {g,H}, and multipliers l as inputs beside
// z = (q, p), a stage's slope is h Z' = J grad(h H + D) with
//
//   index2            D = l.phi                           0 = D_l = phi              [Reich93 (6)]
//   index3            D = l.g                             0 = D_l = g                [Reich93 (2)]
//   index2-momentum   D = l.g                             0 = rho                    [Reich93 (17)]
//   unconstrained     D = h (lambda.phi - {mu.phi, H + lambda.phi}),  0 = D_l        [Reich93 (8)]
//
// The last one: H + D/h is stationary in l = (lambda, mu) where C lambda = -{phi,H} and C mu =
// -phi, C = {phi,phi}, and is there H_o = H - phi.C^-1 {phi,H}. So grad H_o is that by z alone, and
// no inverse of C, which is full, is ever made.
#pragma once

#include <memory>
#include <vector>

#include "rattleback/expression/sparse_derivatives.hpp"
#include "rattleback/problem/formulation.hpp"

namespace rattleback {

/// Functions are called with q and (p, l). Multipliers of constraint i are i, m + i, ...
struct DrivenDerivatives {
  using Place = SparseDerivatives::Place;
  int multipliers = 0;  ///< of a constraint
  /// Whether what is kept is D_l: then D_lz and D_ll are its slopes.
  bool stationary = true;
  CompiledFunction field;             ///< D_z; what is kept
  std::vector<Place> hessian_places;  ///< of D by (z, l), its lower half
  std::vector<Place> kept_places;     ///< of slopes by z of what is kept, where that is not D_l
  CompiledFunction slopes;            ///< both
};

/// Without the h of (8).
DrivenDerivatives driven_derivatives(const CanonicalSystem& canonical, Formulation form);
/// Of a system made of expressions, made when first asked for; null for others.
std::shared_ptr<const DrivenDerivatives> driven_derivatives(const AnySystem& system,
                                                            Formulation form);

}  // namespace rattleback

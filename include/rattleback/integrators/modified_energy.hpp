// The energy that a symplectic method keeps in place of H, up to what is smaller than any power of
// h.
//
// Of the splittings of T(p) + V(q) into drifts c_i and kicks d_i  [Reich93 (34)] it is known from
// brackets on the state manifold  [Reich93 Sec. 10, 12]:
//
//   H~ = H + h a {T,V} + h^2 (b {T,{T,V}} + c {V,{V,T}} + sum c_i^3 |II|^2 / 24) + O(h^3)
//   {T,V} = V_q.v                            v = M^-1 p
//   {T,{T,V}} = v.V_qq v + l.g_qq(v,v)       l = -A^-1 G M^-1 V_q,   A = G M^-1 G^T
//   {V,{V,T}} = f.M^-1 f                     f = V_q + G^T l
//   |II|^2 = g_qq(v,v).A^-1 g_qq(v,v)
//
// with a, b, c from the logarithm of the product of exponentials. The last term is not in the
// paper: a drift with its multiplier is no geodesic flow but a step of RATTLE along one. It is why
// members of the family that are of higher order without constraints are of order 2 with them. The
// sign of the term in h is that of kicks first, where the paper has the other one.
//
// Of any symplectic method it is estimated from its steps, without a look inside. The method takes
//
//   H^(q, alpha, p, beta) = alpha^2 H(q / alpha, p / alpha),   g^ = alpha^2 g(q / alpha, p / alpha)
//
// from alpha = 1, beta = 0: alpha stays, q and p move as before. H^ is homogeneous of degree 2, so
// is the H~ that belongs to it, and by Euler's identity H~ = (p.q' - q.p' - beta') / 2 where ' is
// the derivative along the modified flow, which passes through the states of the run: differences
// of these give it to any order  (Skeel, Hardy, SIAM J. Sci. Comput. 23, 2001, for Verlet's
// method).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "rattleback/expression/canonical.hpp"
#include "rattleback/integrators/family.hpp"

namespace rattleback {

struct SplittingErrors {
  double a, b, c;
  double cubes;  ///< sum c_i^3
};

/// Of sum c_i = sum d_i = 1; kick d_1 comes first, then drift c_1. RATTLE is c = (1, 0), d = (1/2,
/// 1/2).
SplittingErrors splitting_errors(std::span<const double> c, std::span<const double> d);

/// Of a method that is such a splitting, or a composition of one: rattle over verlet, verlet-b
/// and Euler's maps, and splitting. Nothing for others, and where steps vary.
std::optional<SplittingErrors> splitting_errors(const Method& method);

/// H~ up to O(h^2), at a state with g = {g,H} = 0. Throws ModelError for systems that are not
/// natural with constraints on positions.
double modified_energy(const AnySystem& system, const State<double>& z, double h,
                       const SplittingErrors& errors);

/// The system with alpha and beta, as the last coordinate.
SystemDescription homogeneous(const CanonicalSystem& system);

struct ModifiedEnergy {
  std::vector<double> times, energies, modified;  ///< H and H~ of the same states
  Status status{};                                ///< of the last step; what came before is there

  double energy_error() const;    ///< max |H - H(first)|
  double modified_error() const;  ///< the same of H~
};

/// Along so many steps, from differences over 2 reach + 1 states: its error is O(h^(2 reach)), and
/// round-off over h. Throws InputError for a method that is not symplectic, ModelError where it
/// does not take the system.
ModifiedEnergy estimate_modified_energy(const CanonicalSystem& system, const Method& method,
                                        const State<double>& start, double step, long steps,
                                        int reach = 4, const SolveOptions& solve = {});

}  // namespace rattleback

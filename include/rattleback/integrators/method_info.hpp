// What a method claims. The law suite holds it to every claim, in both directions.
#pragma once

#include <optional>
#include <string>

#include "rattleback/problem/system.hpp"

namespace rattleback {

/// Where the step map preserves the symplectic form.
enum class SymplecticOn {
  nothing,
  phase_space,       ///< on all of R^2n
  primary_manifold,  ///< presymplectic on g = 0, symplectic on the quotient by the fibres
  state_manifold     ///< on g = 0, {g,H} = 0
};

/// What a method needs of a system.
struct Applies {
  bool natural = false;     ///< only H = p.M^-1 p/2 + V(q)
  bool separable = false;   ///< only H = T(p) + V(q)
  bool lagrangian = false;  ///< only systems with a known Lagrangian
  bool holonomic = false;   ///< only constraints on positions

  bool operator()(const Traits& t) const {
    return (!natural || t.natural) && (!separable || t.separable) &&
           (!lagrangian || t.lagrangian) && (!holonomic || t.holonomic);
  }
};

struct MethodInfo {
  std::string name;  ///< as the command line takes it: "rattle:base=midpoint"
  int order = 0;     ///< of the error on the state manifold
  /// Of the momenta, where they have another order than the positions; 0: they do not converge.
  std::optional<int> momentum_order{};
  bool symmetric = false;
  SymplecticOn symplectic_on = SymplecticOn::nothing;
  bool preserves_primary = false;  ///< g = 0 at every step
  bool preserves_hidden = false;   ///< {g,H} = 0 at every step
  /// Of methods that are symplectic on nothing: symmetric ones whose energy stays bounded all the
  /// same, on systems that are reversible as the witness problems are.
  bool nearly_keeps_energy = false;
  /// Of methods that are symplectic in all of phase space: states drift off g = {g,H} = 0 for good,
  /// and the energy goes with them.
  bool loses_energy = false;
  /// The step that is given is the first one; the method chooses the others.
  bool varies_steps = false;
  Applies applies{};
  std::string cite;
};

/// Whether the energy error is claimed to stay bounded, without drift.
inline bool keeps_energy(const MethodInfo& info) {
  if (info.symplectic_on == SymplecticOn::nothing) return info.nearly_keeps_energy;
  return !info.loses_energy;
}
/// "2", or "4 (q), 2 (p)" where they differ.
std::string orders(const MethodInfo& info);

/// Words for tables: "g = {g,H} = 0", "a Lagrangian, g(q)", "g, {g,H}".
std::string to_string(SymplecticOn where);
std::string to_string(const Applies& needs);
std::string preserved(const MethodInfo& info);

/// How often a state was projected onto g = 0 and onto {g,H} = 0, apart from the multipliers that
/// are part of a step's own equations.
struct Projections {
  long position = 0, momentum = 0;
};

}  // namespace rattleback

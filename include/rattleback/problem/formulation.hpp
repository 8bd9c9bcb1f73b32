// The formulations of [Reich93] of the constrained equations, for Gauss-Legendre methods.
#pragma once

namespace rattleback {

/// [Reich93 (6)], [Reich93 (2)], [Reich93 (17)], [Reich93 (8)]
enum class Formulation { index2, index3, index2_momentum, unconstrained };
inline constexpr int formulation_count = 4;

/// Multipliers of a stage.
inline int multiplier_count(Formulation form, int constraints) {
  if (form == Formulation::unconstrained) return 0;
  return form == Formulation::index2 ? 2 * constraints : constraints;
}

/// The constraints of a stage are kept at the point at which its slope is taken.
struct AtStages {};

}  // namespace rattleback

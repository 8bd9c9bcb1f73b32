// How fast a system moves at a point: what a step size is measured against.
#pragma once

#include "rattleback/problem/any_system.hpp"

namespace rattleback::study {

/// The fastest rate of the motion linearised at z, constraint forces included, in radians per unit
/// of time, by a few power iterations: right to within some ten per cent. 0 where it is not known.
double fastest_rate(const AnySystem& system, const State<double>& z);

}  // namespace rattleback::study

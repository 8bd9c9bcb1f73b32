// A system that counts what it is asked.
#pragma once

#include <memory>

#include "rattleback/integrators/family.hpp"
#include "rattleback/problem/any_system.hpp"

namespace rattleback::study {

struct Evaluations {
  long force = 0;       ///< gradients of H, V or L
  long hessian = 0;     ///< second derivatives of H
  long constraint = 0;  ///< g, with or without its slopes
};

/// It has all that the system has, compiled code too, so that a stepper does on it what it does on
/// the system; a constant force is asked for where it would be remembered.
AnySystem counting(const AnySystem& system, const std::shared_ptr<Evaluations>& count);

/// Of so many steps from here, or up to the first one that fails.
Evaluations evaluations_of(const AnySystem& system, const Method& method,
                           const State<double>& start, double h, long steps,
                           const SolveOptions& solve = {});

}  // namespace rattleback::study

// A system that counts what it is asked.
#pragma once

#include <memory>

#include "rattleback/problem/any_system.hpp"

namespace rattleback::study {

struct Evaluations {
  long force = 0;       ///< gradients of H, V or L
  long constraint = 0;  ///< g, with or without its slopes
};

/// Steps take the general path on it: the same work per step, not the same speed.
AnySystem counting(const AnySystem& system, const std::shared_ptr<Evaluations>& count);

}  // namespace rattleback::study

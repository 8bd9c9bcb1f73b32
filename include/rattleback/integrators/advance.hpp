// Many steps in one go: between two looks at a state there is nothing but steps.
#pragma once

#include <algorithm>

#include "rattleback/problem/scalar.hpp"
#include "rattleback/solve/status.hpp"

namespace rattleback {

struct Advance {
  long steps = 0;  ///< done
  long newton = 0;
  int newton_max = 0;
  Status status{};  ///< of the last step tried
};

/// `count` steps, or up to the first one that fails. Steppers may bring a better loop of their own.
template <class Stepper, class Sys, class State, class H>
RATTLEBACK_INLINE Advance advance(Stepper& stepper, const Sys& system, State& z, const H& h,
                                  long count) {
  if constexpr (requires { stepper.advance(system, z, h, count); }) {
    return stepper.advance(system, z, h, count);
  } else {
    Advance done;
    for (; done.steps < count; ++done.steps) {
      done.status = stepper.step(system, z, h);
      if (!done.status) break;
      done.newton += done.status.iterations;
      done.newton_max = std::max(done.newton_max, done.status.iterations);
    }
    return done;
  }
}

}  // namespace rattleback

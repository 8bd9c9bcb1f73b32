// Many steps in one go: between two looks at a state there is nothing but steps.
#pragma once

#include <algorithm>
#include <limits>

#include "rattleback/problem/scalar.hpp"
#include "rattleback/solve/status.hpp"

namespace rattleback {

/// Of steps that vary: the time they reached, and the time at which the last one is to end.
struct Clock {
  double time = 0;
  double end = std::numeric_limits<double>::infinity();

  bool at_end() const { return time == end; }
};

/// The clock of a stepper or motion, null where all its steps have the size they are given.
template <class Moving>
RATTLEBACK_INLINE Clock* clock_of(Moving& moving) {
  if constexpr (requires { moving.clock(); })
    return moving.clock();
  else
    return nullptr;
}

/// Steps of a run that were taken as smaller ones, since one of their size had no solution.
struct Divided {
  long steps = 0;
  int parts = 1;  ///< that each is taken as, at the end

  friend bool operator==(const Divided&, const Divided&) = default;
};

/// Of a motion that divides steps; none of others.
template <class Moving>
RATTLEBACK_INLINE Divided divided_of(const Moving& moving) {
  if constexpr (requires { moving.divided(); })
    return moving.divided();
  else
    return {};
}

struct Advance {
  long steps = 0;  ///< done
  long newton = 0;
  int newton_max = 0;
  Status status{};  ///< of the last step tried
};

/// `count` steps, or up to the first one that fails or ends where the clock does. Steppers may
/// bring a better loop of their own.
template <class Stepper, class Sys, class State, class H>
RATTLEBACK_INLINE Advance advance(Stepper& stepper, const Sys& system, State& z, const H& h,
                                  long count) {
  if constexpr (requires { stepper.advance(system, z, h, count); }) {
    return stepper.advance(system, z, h, count);
  } else {
    Advance done;
    const Clock* clock = clock_of(stepper);
    for (; done.steps < count && !(clock && clock->at_end()); ++done.steps) {
      done.status = stepper.step(system, z, h);
      if (!done.status) break;
      done.newton += done.status.iterations;
      done.newton_max = std::max(done.newton_max, done.status.iterations);
    }
    return done;
  }
}

}  // namespace rattleback

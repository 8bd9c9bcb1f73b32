// What a run is asked for.
#pragma once

#include <functional>
#include <optional>

#include "rattleback/integrators/run.hpp"

namespace rattleback {

struct Progress {
  long step, steps;
  double seconds;
};

template <class Point>
struct RunOptions {
  double step = 0;
  long steps = 0;   ///< or
  double time = 0;  ///< a length that is rounded to whole steps; where they vary, the end
  long every = 0;   ///< store every k-th state; 0: about a thousand in all
  bool allow_inconsistent = false;
  double consistency = 1e-9;  ///< largest |g| and |{g,H}| of a start that is taken as it is
  /// Called with every stored state.
  std::function<void(long step, double t, const Point&)> observe{};
  /// Checked after every step; true ends the run.
  std::function<bool(double t, const Point&)> stop_when{};
  /// Called about ten times a second; false ends the run.
  std::function<bool(const Progress&)> progress{};
  bool keep_states = true;  ///< false: only figures and the final state, in constant memory
  /// Steps between restart points, 0: none. There the stepper forgets, in every run, all of its
  /// past that a checkpoint does not hold, so that a run continued from one equals the
  /// uninterrupted run to the bit.
  long restart_every = 0;
  /// Called with every stored state and what was measured there.
  std::function<void(const Sample&)> record{};
  /// Called at the start and at every restart point.
  std::function<void(const Checkpoint&)> checkpoint{};
  /// Where to go on, with the same step, every and restart_every; the start is then not looked at.
  std::optional<Checkpoint> resume{};
};

}  // namespace rattleback

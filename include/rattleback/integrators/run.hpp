// What a run gives back.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rattleback/integrators/advance.hpp"
#include "rattleback/integrators/failure.hpp"
#include "rattleback/integrators/method_info.hpp"
#include "rattleback/problem/scalar.hpp"
#include "rattleback/solve/status.hpp"

namespace rattleback {

/// The figures of a run, whatever its scalar and size.
struct RunFigures {
  std::string method;
  double step = 0;
  long steps = 0;                 ///< done
  long wanted = 0;                ///< where steps vary, as far as is known
  std::optional<double> clock{};  ///< the time reached, where steps vary
  double initial_energy = 0;
  double final_energy = 0;
  double energy_error = 0;  ///< max |H - H(0)| over stored states
  double energy_drift = 0;  ///< slope of H per unit of time, least squares over stored states
  double constraint = 0;    ///< max |g| over stored states
  double hidden = 0;        ///< max |{g,H}| over stored states
  double newton_mean = 0;
  int newton_max = 0;
  Projections projections{};
  Divided divided{};
  double seconds = 0;
  Status status{};       ///< of the last step
  bool stopped = false;  ///< by a stop condition or the progress callback
  Failure failure{};     ///< empty, or what went wrong, when and why

  bool ok() const { return failure.empty(); }
  double time() const { return clock.value_or(step * static_cast<double>(steps)); }
  /// A few lines for a person.
  std::string summary() const;
};

namespace detail {

/// Least-squares slope, updated one sample at a time. Open, so that a checkpoint can hold it.
struct Slope {
  void add(double t, double y) {
    ++count;
    const double dt = t - mean_t;
    mean_t += dt / static_cast<double>(count);
    mean_y += (y - mean_y) / static_cast<double>(count);
    s_tt += dt * (t - mean_t);
    s_ty += dt * (y - mean_y);
  }
  double value() const { return s_tt > 0 ? s_ty / s_tt : 0; }

  long count = 0;
  double mean_t = 0, mean_y = 0, s_tt = 0, s_ty = 0;
};

}  // namespace detail

/// A stored state and what was measured there.
struct Sample {
  long step;
  double t;
  std::span<const double> values;  ///< as looked at, in the order of the layout
  double energy;
  double constraint, hidden;  ///< max |g|, max |{g,H}|
  long newton;                ///< iterations since the last stored state
  std::span<const double>
      multipliers;  ///< of the last step; NaN before the first, empty if unknown
};

/// All that a run needs to go on from a restart point as if it had never stopped.
struct Checkpoint {
  std::vector<double> state;  ///< as the motion saved it: as stepped, not as looked at
  RunFigures figures{};
  detail::Slope drift{};
  long stored = 0;                     ///< states so far
  long newton = 0, newton_stored = 0;  ///< iterations in all, and up to the last stored state

  long step() const { return figures.steps; }
};

template <class Point>
struct MotionRun : RunFigures {
  std::vector<double> times;
  std::vector<Point> states;  ///< as looked at, the first and the last included
  std::vector<double> energies;
  Point final;  ///< the last good state, as looked at
};

template <class S, int N>
using Run = MotionRun<State<S, N>>;

namespace detail {

/// How many steps are wanted; throws InputError that names the option and quotes the value.
long step_count(double step, long steps, double time, long every);

/// The steps between restart points, a number never reached where there are none.
long restart_interval(long restart_every);

/// Throws InputError where a run with these options does not continue that one.
void require_continues(const RunFigures& past, const std::string& method, double step, long wanted,
                       long restart_every);

}  // namespace detail

}  // namespace rattleback

// The figures of a run as they come in, its stored states, and what is due when.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/integrators/advance.hpp"
#include "rattleback/integrators/motion.hpp"
#include "rattleback/integrators/run_options.hpp"

namespace rattleback {

namespace detail {

/// Steps between two looks at the clock: few enough that each takes about a twentieth of a second.
class Pace {
 public:
  long length() const { return length_; }
  void took(double seconds) {
    if (seconds < 0.05 && length_ < 1'000'000) length_ *= 2;
    if (seconds > 0.1 && length_ > 1) length_ /= 2;
  }

 private:
  long length_ = 1;
};

/// Keeps the stored states and the figures over them, and says what is due. It never sees the
/// motion, which is then kept in registers.
template <class Point>
class RunLog {
 public:
  using Options = RunOptions<Point>;

  RunLog(const std::string& method, const Options& options)
      : options_(options), before_(options.resume ? options.resume->figures.seconds : 0) {
    run.method = method;
    run.step = options.step;
    run.wanted = step_count(options.step, options.steps, options.time, options.every);
    every_ = options.every > 0 ? options.every : std::max(1L, run.wanted / 1000);
    restart_ = restart_interval(options.restart_every);
    last_report_ = block_began_ = seconds();
  }

  double seconds() const {
    return before_ + std::chrono::duration<double>(Clock::now() - begin_).count();
  }
  bool goes_on() const { return run.steps < run.wanted && run.status && !run.stopped; }
  /// Steps up to the next look at anything but the state.
  long block() const {
    if (options_.stop_when) return 1;
    const long until = std::min(
        {run.wanted, (run.steps / every_ + 1) * every_, (run.steps / restart_ + 1) * restart_});
    return (options_.progress ? std::min(until, run.steps + pace_.length()) : until) - run.steps;
  }
  /// Where steps vary: `time` is where the last one ends, and how many there will be is a guess.
  void begin(Clock& clock) {
    if (options_.steps == 0) clock.end = options_.time;
    read(clock);
  }
  void read(const Clock& clock) {
    run.clock = clock.time;
    if (options_.steps > 0) return;
    const double part = clock.time / clock.end, steps = static_cast<double>(run.steps);
    const double guess = part > 0 ? std::min(std::ceil(steps / part), 9e15) : 0.0;
    run.wanted = clock.at_end()
                     ? run.steps
                     : std::max(part > 0 ? static_cast<long>(guess) : run.wanted, run.steps + 1);
  }
  RATTLEBACK_INLINE void take(Advance done) {
    run.steps += done.steps;
    run.status = done.status;
    newton_ += done.newton;
    run.newton_max = std::max(run.newton_max, done.newton_max);
  }
  bool look_is_due() const {
    return run.status && (run.steps % every_ == 0 || run.steps == run.wanted || run.stopped);
  }
  bool restart_is_due() const { return run.status && run.steps % restart_ == 0; }
  /// A run that ended early is looked at where it ended.
  bool ends_unseen() const { return last_step_ != run.steps; }

  void store() {
    const double t = run.time();
    if (stored_ == 0) run.initial_energy = look.energy;
    run.final_energy = look.energy;
    run.energy_error = larger(run.energy_error, std::abs(look.energy - run.initial_energy));
    drift_.add(t, look.energy - run.initial_energy);
    run.energy_drift = drift_.value();
    run.constraint = larger(run.constraint, look.constraint);
    run.hidden = larger(run.hidden, look.hidden);
    if (options_.keep_states) {
      run.times.push_back(t);
      run.states.push_back(look.point);
      run.energies.push_back(look.energy);
    }
    run.final = look.point;
    last_step_ = run.steps;
    ++stored_;
    if (options_.observe) options_.observe(run.steps, t, look.point);
    if (options_.record) record(t);
    newton_stored_ = newton_;
  }
  /// `saved.state` is there already.
  void save() {
    saved.figures = run;
    saved.figures.seconds = seconds();
    saved.drift = drift_;
    saved.stored = stored_;
    saved.newton = newton_;
    saved.newton_stored = newton_stored_;
    options_.checkpoint(saved);
  }
  /// All but the motion.
  void restore(const Checkpoint& from, bool until_time) {
    require_continues(from.figures, run.method, run.step,
                      until_time ? from.figures.steps : run.wanted, options_.restart_every);
    const long wanted = run.wanted;
    static_cast<RunFigures&>(run) = from.figures;
    run.wanted = wanted;
    run.stopped = false;
    drift_ = from.drift;
    stored_ = from.stored;
    newton_ = from.newton;
    newton_stored_ = from.newton_stored;
    last_step_ = counted_ = run.steps;
  }

  long looks = 0;  ///< since projections were counted
  long uncounted_steps() const { return run.steps - counted_; }
  void count(const Projections& more) {
    run.projections.position += more.position;
    run.projections.momentum += more.momentum;
    counted_ = run.steps;
    looks = 0;
  }

  /// To whom it wants to know, about ten times a second.
  void report() {
    if (!options_.progress) return;
    const double now = seconds();
    pace_.took(now - std::exchange(block_began_, now));
    if (now - last_report_ <= 0.1 && run.steps != run.wanted) return;
    last_report_ = now;
    if (!options_.progress({run.steps, run.wanted, now})) run.stopped = true;
  }
  void finish() {
    const double newton = static_cast<double>(newton_);
    run.newton_mean = run.steps > 0 ? newton / static_cast<double>(run.steps) : 0;
    run.seconds = seconds();
  }

  MotionRun<Point> run;
  Look<Point> look;
  std::vector<double> values, multipliers;  ///< of the look, for who records them
  Checkpoint saved;

 private:
  using Clock = std::chrono::steady_clock;

  void record(double t) {
    // There are none before the first step.
    if (run.steps == 0)
      std::fill(multipliers.begin(), multipliers.end(), std::numeric_limits<double>::quiet_NaN());
    options_.record({run.steps, t, values, look.energy, look.constraint, look.hidden,
                     newton_ - newton_stored_, multipliers});
  }

  const Options& options_;
  Clock::time_point begin_ = Clock::now();
  double before_, last_report_ = 0, block_began_ = 0;
  long every_ = 1, restart_ = 1;
  Pace pace_;
  Slope drift_;
  long stored_ = 0, last_step_ = -1, counted_ = 0, newton_ = 0, newton_stored_ = 0;
};

}  // namespace detail

}  // namespace rattleback

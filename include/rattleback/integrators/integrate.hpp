// integrate(system, method, start, options): steps, stored states, observers, stop conditions,
// progress, and a summary. A failure keeps everything so far and explains itself.
#pragma once

#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "rattleback/geometry/consistent.hpp"
#include "rattleback/integrators/advance.hpp"
#include "rattleback/integrators/explain.hpp"
#include "rattleback/integrators/run.hpp"
#include "rattleback/integrators/shake_rattle.hpp"

namespace rattleback {

struct Progress {
  long step, steps;
  double seconds;
};

template <class State>
struct RunOptions {
  double step = 0;
  long steps = 0;   ///< or
  double time = 0;  ///< a length that is rounded to whole steps
  long every = 0;   ///< store every k-th state; 0: about a thousand in all
  bool allow_inconsistent = false;
  double consistency = 1e-9;  ///< largest |g| and |{g,H}| of a start that is taken as it is
  /// Called with every stored state.
  std::function<void(long step, double t, const State&)> observe{};
  /// Checked after every step; true ends the run.
  std::function<bool(double t, const State&)> stop_when{};
  /// Called about ten times a second; false ends the run.
  std::function<bool(const Progress&)> progress{};
  bool keep_states = true;  ///< false: only figures and the final state, in constant memory
  /// Steps between restart points, 0: none. There the stepper forgets its past in every run, so
  /// that a run continued from one equals the uninterrupted run to the bit.
  long restart_every = 0;
  /// Called with every stored state and what was measured there.
  std::function<void(const Sample<State>&)> record{};
  /// Called at the start and at every restart point.
  std::function<void(const Checkpoint<State>&)> checkpoint{};
  /// Where to go on, with the same step, every and restart_every; the start is then not looked at.
  std::optional<Checkpoint<State>> resume{};
};

namespace detail {

/// Keeps the stored states and the figures over them.
/// It never sees the stepper: one whose address is known elsewhere is not kept in registers.
template <class Sys, class S>
class Recorder {
 public:
  using Point = StateOf<Sys, S>;
  using Options = RunOptions<Point>;

  Recorder(const Sys& system, const Options& options, Run<S, Sys::dimension_at_compile_time>& run)
      : system_(system), options_(options), run_(run), residuals_(system) {}

  long last_step() const { return last_step_; }

  /// Stores nothing where the motion has left the domain of H.
  Status store(const Point& z, long newton) {
    const double t = run_.time();
    const double energy = static_cast<double>(base(system_.energy(z.q, z.p)));
    if (!std::isfinite(energy)) return {Outcome::not_finite, 0, energy};
    if (stored_ == 0) run_.initial_energy = energy;
    run_.final_energy = energy;
    run_.energy_error = larger(run_.energy_error, std::abs(energy - run_.initial_energy));
    drift_.add(t, energy - run_.initial_energy);
    run_.energy_drift = drift_.value();
    residuals_.evaluate(system_, z);
    const double constraint = residuals_.largest_primary(), hidden = residuals_.largest_hidden();
    run_.constraint = larger(run_.constraint, constraint);
    run_.hidden = larger(run_.hidden, hidden);
    if (options_.keep_states) {
      run_.times.push_back(t);
      run_.states.push_back(z);
      run_.energies.push_back(energy);
    }
    run_.final = z;
    last_step_ = run_.steps;
    ++stored_;
    if (options_.observe) options_.observe(run_.steps, t, z);
    if (options_.record)
      options_.record(
          {run_.steps, t, z, energy, constraint, hidden, newton - newton_stored_, multipliers_});
    newton_stored_ = newton;
    return {};
  }

  void save(const Point& z, long newton, double seconds) {
    if (!options_.checkpoint) return;
    Checkpoint<Point> saved{z, run_, drift_, stored_, newton, newton_stored_};
    saved.figures.seconds = seconds;
    options_.checkpoint(saved);
  }

  /// All but the state.
  void restore(const Checkpoint<Point>& saved) {
    require_continues(saved.figures, run_.method, run_.step, run_.wanted, options_.restart_every);
    const long wanted = run_.wanted;
    static_cast<RunFigures&>(run_) = saved.figures;
    run_.wanted = wanted;
    run_.stopped = false;
    drift_ = saved.drift;
    stored_ = saved.stored;
    newton_stored_ = saved.newton_stored;
    last_step_ = run_.steps;
  }

  /// Of the last step; there are none before the first.
  template <class Lambda>
  void take_multipliers(const Lambda& lambda) {
    multipliers_.resize(static_cast<std::size_t>(lambda.size()));
    for (std::size_t i = 0; i < multipliers_.size(); ++i)
      multipliers_[i] = run_.steps == 0
                            ? std::numeric_limits<double>::quiet_NaN()
                            : static_cast<double>(base(lambda[static_cast<Eigen::Index>(i)]));
  }

 private:
  const Sys& system_;
  const Options& options_;
  Run<S, Sys::dimension_at_compile_time>& run_;
  Residuals<Sys, S> residuals_;
  Slope drift_;
  long stored_ = 0, last_step_ = -1, newton_stored_ = 0;
  std::vector<double> multipliers_;
};

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

}  // namespace detail

/// Runs a stepper that was made for this system. Inlined, so that what is known of the method where
/// the stepper is made is known in its loop: 42 against 48 ns a step of the pendulum.
template <class S, class Sys, class Stepper>
RATTLEBACK_INLINE auto integrate_with(const Sys& system, Stepper& stepper,
                                      const std::string& method, const StateOf<Sys, S>& start,
                                      const RunOptions<StateOf<Sys, S>>& options) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  Run<S, Sys::dimension_at_compile_time> run;
  auto seconds = [&, before = options.resume ? options.resume->figures.seconds : 0.0] {
    return before + std::chrono::duration<double>(Clock::now() - begin).count();
  };
  run.method = method;
  run.step = options.step;
  run.wanted = detail::step_count(options.step, options.steps, options.time, options.every);
  const long every = options.every > 0 ? options.every : std::max(1L, run.wanted / 1000);
  const long restart = detail::restart_interval(options.restart_every);
  const Real<S> h(options.step);
  detail::Recorder<Sys, S> recorder(system, options, run);
  StateOf<Sys, S> z = options.resume ? options.resume->z : start;
  long newton_total = options.resume ? options.resume->newton : 0;
  long looks = 0, counted = 0;
  const auto store = [&](const StateOf<Sys, S>& shown) RATTLEBACK_INLINE_LAMBDA {
    if constexpr (requires { stepper.lambda(); })
      if (options.record) recorder.take_multipliers(stepper.lambda());
    return recorder.store(shown, newton_total);
  };
  const auto look = [&]() RATTLEBACK_INLINE_LAMBDA {
    StateOf<Sys, S> shown = z;
    const Status status = stepper.present(system, shown);
    ++looks;
    return status ? store(shown) : status;
  };
  const auto count_projections = [&]() RATTLEBACK_INLINE_LAMBDA {
    if constexpr (requires { stepper.projections(0L, 0L); }) {
      const Projections more = stepper.projections(run.steps - counted, looks);
      run.projections.position += more.position;
      run.projections.momentum += more.momentum;
    }
    counted = run.steps;
    looks = 0;
  };
  stepper.reset();
  if (options.resume) {
    recorder.restore(*options.resume);
    counted = run.steps;
    run.final = z;
    run.status = stepper.present(system, run.final);
  } else {
    run.status = store(z);
    recorder.save(z, 0, seconds());
  }

  detail::Pace pace;
  double last_report = seconds(), block_began = last_report;
  while (run.steps < run.wanted && run.status && !run.stopped) {
    // The tight loop: up to the next stored state, with nothing in it but steps.
    const long until = std::min(
        {run.wanted, (run.steps / every + 1) * every, (run.steps / restart + 1) * restart});
    const long block_end = options.progress ? std::min(until, run.steps + pace.length()) : until;
    const Advance done =
        advance(stepper, system, z, h, options.stop_when ? 1 : block_end - run.steps);
    run.steps += done.steps;
    run.status = done.status;
    newton_total += done.newton;
    run.newton_max = std::max(run.newton_max, done.newton_max);
    if (options.stop_when && run.status) run.stopped = options.stop_when(run.time(), z);
    if (run.status && (run.steps % every == 0 || run.steps == run.wanted || run.stopped))
      run.status = look();
    if (run.status && run.steps % restart == 0) {
      stepper.reset();
      count_projections();
      recorder.save(z, newton_total, seconds());
    }
    if (options.progress) {
      const double now = seconds();
      pace.took(now - block_began);
      block_began = now;
      if (now - last_report > 0.1 || run.steps == run.wanted) {
        last_report = now;
        if (!options.progress({run.steps, run.wanted, now})) run.stopped = true;
      }
    }
  }
  // A run that ended early is looked at where it ended, if that can be done.
  if (recorder.last_step() != run.steps)
    if (Status s = look(); !s && run.status) run.status = s;
  count_projections();
  run.newton_mean =
      run.steps > 0 ? static_cast<double>(newton_total) / static_cast<double>(run.steps) : 0;
  if (!run.status) {
    StateOf<Sys, S> shown = z;
    (void)static_cast<bool>(stepper.present(system, shown));
    run.failure = explain(system, run.status, shown, run.step, run.time());
    run.status.outcome = run.failure.outcome;
  }
  run.seconds = seconds();
  return run;
}

/// integrate(system, Rattle{}, start, {.step = 0.01, .steps = 1000})
template <ConstrainedSystem Sys, class M>
auto integrate(const Sys& system, const M& method, const StateOf<Sys, double>& start,
               const RunOptions<StateOf<Sys, double>>& options) {
  if (!options.allow_inconsistent) require_consistent(system, start, {options.consistency});
  auto stepper = method.template stepper<double>(system);
  return integrate_with<double>(system, stepper, method.info().name, start, options);
}

}  // namespace rattleback

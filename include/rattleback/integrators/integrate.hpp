// integrate(system, method, start, options): steps, stored states, observers, stop conditions,
// progress, and a summary. A failure keeps everything so far and explains itself.
#pragma once

#include <chrono>
#include <cmath>
#include <functional>
#include <utility>

#include "rattleback/geometry/consistent.hpp"
#include "rattleback/integrators/compensated.hpp"
#include "rattleback/integrators/explain.hpp"
#include "rattleback/integrators/run.hpp"

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
  /// Sums that keep what rounding drops (compensated.hpp): energy round-off grows like the square
  /// root of the number of steps, at several times the cost of a step.
  bool compensated = false;
  bool allow_inconsistent = false;
  double consistency = 1e-9;  ///< largest |g| and |{g,H}| of a start that is taken as it is
  /// Called with every stored state.
  std::function<void(long step, double t, const State&)> observe{};
  /// Checked after every step; true ends the run.
  std::function<bool(double t, const State&)> stop_when{};
  /// Called about ten times a second; false ends the run.
  std::function<bool(const Progress&)> progress{};
};

namespace detail {

/// Keeps the stored states and the figures over them.
template <class Sys, class S>
class Recorder {
 public:
  using Point = StateOf<Sys, S>;
  using Options = RunOptions<Point>;

  Recorder(const Sys& system, const Options& options, Run<S, Sys::dimension_at_compile_time>& run)
      : system_(system), options_(options), run_(run), residuals_(system) {}

  void store(long step, const Point& z) {
    const double t = run_.step * static_cast<double>(step);
    const double energy = static_cast<double>(base(system_.energy(z.q, z.p)));
    if (run_.states.empty()) run_.initial_energy = energy;
    run_.final_energy = energy;
    run_.energy_error = larger(run_.energy_error, std::abs(energy - run_.initial_energy));
    drift_.add(t, energy - run_.initial_energy);
    run_.energy_drift = drift_.value();
    residuals_.evaluate(system_, z);
    run_.constraint = larger(run_.constraint, residuals_.largest_primary());
    run_.hidden = larger(run_.hidden, residuals_.largest_hidden());
    run_.times.push_back(t);
    run_.states.push_back(z);
    run_.energies.push_back(energy);
    run_.final = z;
    if (options_.observe) options_.observe(step, t, z);
  }

 private:
  const Sys& system_;
  const Options& options_;
  Run<S, Sys::dimension_at_compile_time>& run_;
  Residuals<Sys, S> residuals_;
  Slope drift_;
};

}  // namespace detail

/// Runs a stepper that was made for this system.
template <class S, class Sys, class Stepper>
auto integrate_with(const Sys& system, Stepper& stepper, const std::string& method,
                    const StateOf<Sys, S>& start, const RunOptions<StateOf<Sys, S>>& options) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };

  Run<S, Sys::dimension_at_compile_time> run;
  run.method = method;
  run.step = options.step;
  run.wanted = detail::step_count(options.step, options.steps, options.time, options.every);
  const long every = options.every > 0 ? options.every : std::max(1L, run.wanted / 1000);
  const Real<S> h(options.step);
  detail::Recorder<Sys, S> recorder(system, options, run);
  StateOf<Sys, S> z = start;
  stepper.reset();
  recorder.store(0, z);

  long newton_total = 0;
  double last_report = 0;
  while (run.steps < run.wanted && run.status && !run.stopped) {
    // The tight loop: up to the next stored state, with nothing in it but steps.
    const long until = std::min(run.wanted, (run.steps / every + 1) * every);
    const long block_end = std::min(until, run.steps + 1'000'000);
    for (; run.steps < block_end; ++run.steps) {
      run.status = stepper.step(system, z, h);
      if (!run.status) break;
      newton_total += run.status.iterations;
      run.newton_max = std::max(run.newton_max, run.status.iterations);
      if (options.stop_when &&
          options.stop_when(run.step * static_cast<double>(run.steps + 1), z)) {
        run.stopped = true;
        ++run.steps;
        break;
      }
    }
    if (run.status && (run.steps % every == 0 || run.steps == run.wanted || run.stopped)) {
      StateOf<Sys, S> shown = z;
      if (Status s = stepper.present(system, shown); !s)
        run.status = s;
      else
        recorder.store(run.steps, shown);
    }
    if (options.progress && (seconds() - last_report > 0.1 || run.steps == run.wanted)) {
      last_report = seconds();
      if (!options.progress({run.steps, run.wanted, last_report})) run.stopped = true;
    }
  }
  run.newton_mean =
      run.steps > 0 ? static_cast<double>(newton_total) / static_cast<double>(run.steps) : 0;
  if (!run.status) {
    StateOf<Sys, S> shown = z;
    if (stepper.present(system, shown) && run.times.back() != run.time())
      recorder.store(run.steps, shown);
    run.failure = explain(system, run.status, shown, run.step, run.time());
  }
  run.seconds = seconds();
  return run;
}

/// integrate(system, Rattle{}, start, {.step = 0.01, .steps = 1000})
template <ConstrainedSystem Sys, class M>
auto integrate(const Sys& system, const M& method, const StateOf<Sys, double>& start,
               const RunOptions<StateOf<Sys, double>>& options) {
  if (!options.allow_inconsistent) require_consistent(system, start, {options.consistency});
  if (options.compensated) {
    if constexpr (Compensable<Sys, M>) {
      auto stepper = compensated_stepper(system, method);
      return integrate_with<double>(system, stepper, method.info().name, start, options);
    } else {
      detail::refuse_compensated(method.info().name);
    }
  }
  auto stepper = method.template stepper<double>(system);
  return integrate_with<double>(system, stepper, method.info().name, start, options);
}

}  // namespace rattleback

// run_motion(motion, options): steps, stored states, observers, stop conditions, restart points,
// progress, and the figures over all. A failure keeps everything so far and explains itself.
#pragma once

#include <utility>

#include "rattleback/integrators/any_motion.hpp"
#include "rattleback/integrators/run_log.hpp"

namespace rattleback {

namespace detail {

/// Stores what log.look shows of the motion, if there is an energy.
template <class M, class Options, class Log>
RATTLEBACK_INLINE Status store_look(M& motion, const Options& options, Log& log) {
  const Status status = motion.measure(log.look);
  if (!status) return status;
  if (options.record) {
    motion.values(log.look.point, log.values);
    motion.multipliers(log.multipliers);
  }
  log.store();
  return status;
}

template <class M, class Options, class Log>
RATTLEBACK_INLINE Status look_at(M& motion, const Options& options, Log& log) {
  log.look.point = motion.state();
  const Status status = motion.present(log.look.point);
  ++log.looks;
  return status ? store_look(motion, options, log) : status;
}

template <class M, class Options, class Log>
RATTLEBACK_INLINE void save_motion(M& motion, const Options& options, Log& log) {
  if (!options.checkpoint) return;
  motion.save(log.saved.state);
  log.save();
}

/// At the start, which is shown as it was given, or where another run was saved.
template <class M, class Options, class Log>
RATTLEBACK_INLINE void begin(M& motion, const Options& options, Log& log) {
  Clock* clock = clock_of(motion);
  if (options.resume) {
    log.restore(*options.resume, clock && options.steps == 0);
    motion.restore(options.resume->state);
    if (clock) log.begin(*clock);
    log.run.final = motion.state();
    log.run.status = motion.present(log.run.final);
  } else {
    motion.reset();
    if (clock) log.begin(*clock);
    log.look.point = motion.state();
    log.run.status = store_look(motion, options, log);
    save_motion(motion, options, log);
  }
}

template <class M, class Options, class Log>
RATTLEBACK_INLINE void conclude(M& motion, const Options& options, Log& log) {
  auto& run = log.run;
  if (log.ends_unseen())
    if (Status s = look_at(motion, options, log); !s && run.status) run.status = s;
  log.count(motion.projections(log.uncounted_steps(), log.looks));
  run.divided = divided_of(motion);
  if (!run.status) {
    log.look.point = motion.state();
    (void)static_cast<bool>(motion.present(log.look.point));
    run.failure = motion.explain(run.status, log.look.point, run.step, run.time());
    if (run.failure.empty()) run.failure.what = "a step failed, and the motion does not say why";
    run.status.outcome = run.failure.outcome;
  }
  log.finish();
}

}  // namespace detail

/// Inlined, so that what is known of the motion where it is made is known in its loop.
template <Motion M>
RATTLEBACK_INLINE MotionRun<typename M::Point> run_motion(
    M& motion, const RunOptions<typename M::Point>& options) {
  detail::RunLog<typename M::Point> log(motion.info().method, options);
  auto& run = log.run;
  detail::begin(motion, options, log);
  while (log.goes_on()) {
    // The tight loop: up to the next stored state, with nothing in it but steps.
    log.take(motion.advance(options.step, log.block()));
    if (const Clock* clock = clock_of(motion)) log.read(*clock);
    if (options.stop_when && run.status)
      run.stopped = options.stop_when(run.time(), motion.state());
    if (log.look_is_due()) run.status = detail::look_at(motion, options, log);
    if (log.restart_is_due()) {
      detail::settle(motion);
      log.count(motion.projections(log.uncounted_steps(), log.looks));
      detail::save_motion(motion, options, log);
    }
    log.report();
  }
  detail::conclude(motion, options, log);
  return std::move(run);
}

/// The same, compiled once.
MotionRun<AnyMotion::Point> run_motion(AnyMotion& motion,
                                       const RunOptions<AnyMotion::Point>& options);

}  // namespace rattleback

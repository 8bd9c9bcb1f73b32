// Runs with their states going to a file: what a command line needs, in constant memory.
#pragma once

#include <algorithm>

#include "rattleback/integrators/registry.hpp"
#include "rattleback/report/run_file.hpp"

namespace rattleback {

/// Steps between restart points: 10 000, fewer for large systems. What is stored has no part in it,
/// so that it does not change what is computed. A killed run loses at most these and the seconds
/// between checkpoints.
long usual_restart_every(int dimension);

/// What a run file says of this run. Options left at 0 (every, restart_every) are chosen here and
/// filled in, so that file and run agree.
template <class Point>
RunHeader describe_run(const MotionInfo& motion, RunOptions<Point>& options) {
  RunHeader header{motion};
  header.step = options.step;
  header.wanted = detail::step_count(options.step, options.steps, options.time, options.every);
  if (options.every == 0) options.every = std::max(1L, header.wanted / 1000);
  if (options.restart_every == 0)
    options.restart_every = usual_restart_every(motion.layout.fields.at(0).columns());
  header.every = options.every;
  header.restart_every = options.restart_every;
  return header;
}

/// Runs with the states going to the sink instead of memory. What the run threw or why it failed,
/// the sink holds everything up to there.
MotionRun<AnyMotion::Point> run_to_sink(AnyMotion& motion, RunOptions<AnyMotion::Point> options,
                                        RunSink& sink);

namespace detail {

/// Fields of other sizes are refused; what their columns are called may change.
void require_same_fields(const Layout& stored, const Layout& moving);

}  // namespace detail

/// The options of a run that goes on in a file: step, every and restart_every are the file's.
/// steps = time = 0: as many as were wanted at first.
template <class Point>
void go_on_in(RunFile& file, const Layout& layout, RunOptions<Point>& options) {
  const RunHeader& header = file.header();
  detail::require_same_fields(header.layout, layout);
  options.step = header.step;
  options.every = header.every;
  options.restart_every = header.restart_every;
  if (options.steps == 0 && options.time == 0) options.steps = header.wanted;
  options.resume = file.resumed_from();
  file.set_wanted(detail::step_count(options.step, options.steps, options.time, options.every));
}

/// Goes on with a run as above, its states following those in the file.
MotionRun<AnyMotion::Point> resume_run(AnyMotion& motion, RunOptions<AnyMotion::Point> options,
                                       RunFile& file);

// The same of a system and a method.

RunHeader describe_run(const AnySystem& system, const Method& method,
                       RunOptions<State<double>>& options,
                       const std::vector<std::string>& coordinates);
Run<double, dynamic> run_to_sink(const AnySystem& system, const Method& method,
                                 const State<double>& start, RunOptions<State<double>> options,
                                 RunSink& sink, const SolveOptions& solve = {});
Run<double, dynamic> resume_run(const AnySystem& system, const Method& method,
                                const State<double>& start, RunOptions<State<double>> options,
                                RunFile& file, const SolveOptions& solve = {});

}  // namespace rattleback

// integrate() with its states going to a file: what a command line needs, in constant memory.
#pragma once

#include "rattleback/integrators/registry.hpp"
#include "rattleback/report/run_file.hpp"

namespace rattleback {

/// Steps between restart points: about 10 000, fewer for large systems, a multiple of `every` where
/// that is less. A killed run loses at most these and the seconds between checkpoints.
long usual_restart_every(long every, int dimension);

/// What a run file says of this run. Options left at 0 (every, restart_every) are chosen here and
/// filled in, so that file and run agree.
RunHeader describe_run(const AnySystem& system, const Method& method,
                       RunOptions<State<double>>& options,
                       const std::vector<std::string>& coordinates);

/// Runs with the states going to the sink instead of memory. What the run threw or why it failed,
/// the sink holds everything up to there.
Run<double, dynamic> run_to_sink(const AnySystem& system, const Method& method,
                                 const State<double>& start, RunOptions<State<double>> options,
                                 RunSink& sink, const SolveOptions& solve = {});

/// Goes on with a run; step, every and restart_every are those of the file. steps = time = 0: as
/// many as were wanted at first.
Run<double, dynamic> resume_run(const AnySystem& system, const Method& method,
                                const State<double>& start, RunOptions<State<double>> options,
                                RunFile& file, const SolveOptions& solve = {});

}  // namespace rattleback

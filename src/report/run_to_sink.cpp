#include "rattleback/report/run_to_sink.hpp"

namespace rattleback {

namespace {

/// The states go to the sink, and to whom they went before.
template <class Point>
void send(RunOptions<Point>& options, RunSink& sink) {
  options.keep_states = false;
  options.record = [&sink, also = options.record](const Sample& sample) {
    sink.add(sample);
    if (also) also(sample);
  };
  options.checkpoint = [&sink, also = options.checkpoint](const Checkpoint& checkpoint) {
    sink.checkpoint(checkpoint);
    if (also) also(checkpoint);
  };
}

}  // namespace

long usual_restart_every(int dimension) {
  return std::clamp(2'000'000L / std::max(dimension, 1), 10L, 10'000L);
}

void detail::require_same_fields(const Layout& stored, const Layout& moving) {
  if (stored.text() != moving.text())
    throw InputError("resume", "the run has " + stored.text() + ", the model " + moving.text());
}

MotionRun<AnyMotion::Point> run_to_sink(AnyMotion& motion, RunOptions<AnyMotion::Point> options,
                                        RunSink& sink) {
  send(options, sink);
  auto run = run_motion(motion, options);
  sink.finish(run);
  return run;
}

MotionRun<AnyMotion::Point> resume_run(AnyMotion& motion, RunOptions<AnyMotion::Point> options,
                                       RunFile& file) {
  go_on_in(file, motion.info().layout, options);
  return run_to_sink(motion, std::move(options), file);
}

RunHeader describe_run(const AnySystem& system, const Method& method,
                       RunOptions<State<double>>& options,
                       const std::vector<std::string>& coordinates) {
  const auto start = Vector<double, dynamic>::Zero(system.dimension());
  return describe_run(phase_space_motion(system, method, {start, start}, coordinates)->info(),
                      options);
}

Run<double, dynamic> run_to_sink(const AnySystem& system, const Method& method,
                                 const State<double>& start, RunOptions<State<double>> options,
                                 RunSink& sink, const SolveOptions& solve) {
  send(options, sink);
  auto run = integrate(system, method, start, options, solve);
  sink.finish(run);
  return run;
}

Run<double, dynamic> resume_run(const AnySystem& system, const Method& method,
                                const State<double>& start, RunOptions<State<double>> options,
                                RunFile& file, const SolveOptions& solve) {
  go_on_in(file, phase_space(std::vector<std::string>(system.dimension())), options);
  return run_to_sink(system, method, start, std::move(options), file, solve);
}

}  // namespace rattleback

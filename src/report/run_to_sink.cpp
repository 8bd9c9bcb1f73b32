#include "rattleback/report/run_to_sink.hpp"

#include <algorithm>

namespace rattleback {

long usual_restart_every(long every, int dimension) {
  const long steps = std::clamp(2'000'000L / std::max(dimension, 1), 10L, 10'000L);
  return every > 0 && every < steps ? steps / every * every : steps;
}

RunHeader describe_run(const AnySystem& system, const Method& method,
                       RunOptions<State<double>>& options,
                       const std::vector<std::string>& coordinates) {
  RunHeader header;
  header.model = system.name();
  header.method = method.info().name;
  header.step = options.step;
  header.wanted = detail::step_count(options.step, options.steps, options.time, options.every);
  if (options.every == 0) options.every = std::max(1L, header.wanted / 1000);
  if (options.restart_every == 0)
    options.restart_every = usual_restart_every(options.every, system.dimension());
  header.every = options.every;
  header.restart_every = options.restart_every;
  header.coordinates = coordinates;
  header.constraints = system.constraint_count();
  if (static_cast<int>(coordinates.size()) != system.dimension())
    throw InputError("coordinates", std::to_string(coordinates.size()) + " names for " +
                                        std::to_string(system.dimension()) + " coordinates");
  if (method.info().applies(system.traits()))
    header.multipliers = static_cast<int>(method.stepper<double>(system)->lambda().size());
  return header;
}

Run<double, dynamic> run_to_sink(const AnySystem& system, const Method& method,
                                 const State<double>& start, RunOptions<State<double>> options,
                                 RunSink& sink, const SolveOptions& solve) {
  options.keep_states = false;
  options.record = [&sink, also = options.record](const RunSample& sample) {
    sink.add(sample);
    if (also) also(sample);
  };
  options.checkpoint = [&sink, also = options.checkpoint](const RunCheckpoint& checkpoint) {
    sink.checkpoint(checkpoint);
    if (also) also(checkpoint);
  };
  auto run = integrate(system, method, start, options, solve);
  sink.finish(run);
  return run;
}

Run<double, dynamic> resume_run(const AnySystem& system, const Method& method,
                                const State<double>& start, RunOptions<State<double>> options,
                                RunFile& file, const SolveOptions& solve) {
  const RunHeader& header = file.header();
  if (header.dimension() != system.dimension())
    throw InputError("resume", "the run has " + std::to_string(header.dimension()) +
                                   " coordinates, the model " + std::to_string(system.dimension()));
  options.step = header.step;
  options.every = header.every;
  options.restart_every = header.restart_every;
  if (options.steps == 0 && options.time == 0) options.steps = header.wanted;
  options.resume = file.resumed_from();
  file.set_wanted(detail::step_count(options.step, options.steps, options.time, options.every));
  return run_to_sink(system, method, start, std::move(options), file, solve);
}

}  // namespace rattleback

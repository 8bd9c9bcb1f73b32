#include <algorithm>
#include <csignal>
#include <cstdio>
#include <optional>

#include "exit_code.hpp"
#include "joint_turns.hpp"
#include "memory_limit.hpp"
#include "picture.hpp"
#include "progress_bar.hpp"
#include "rattleback/report/plot.hpp"
#include "rattleback/study/load.hpp"
#include "rattleback/study/memory.hpp"
#include "run_output.hpp"
#include "signals.hpp"
#include "sweep.hpp"
#include "verbs.hpp"

namespace rattleback::app {

namespace {

bool is_run_file(const std::string& path) {
  return path.ends_with(".h5") || path.ends_with(".hdf5");
}

void require_sensible(const RunRequest& request) {
  if (!request.report.empty())
    throw InputError("--report", "HTML reports are not available yet; --plot draws a picture");
  if (!request.plot.empty()) require_picture(request.plot);
  if (!(request.checkpoint_every >= 0))
    throw InputError("--checkpoint-every", "must not be negative");
}

/// The model of a new run or of a sweep; nothing where a stored run goes on.
std::optional<ModelFile> model_of(const RunRequest& request) {
  if (!request.resume.empty() && !request.resume.ends_with(".csv")) return std::nullopt;
  if (request.file.empty())
    throw InputError(request.resume, "to go on with a sweep, give its model file too");
  ModelFile model = load(request.file, request.settings);
  if (!request.resume.empty() && !model.sweep)
    throw InputError(request.resume, "only runs stored as .h5 can be resumed, and sweeps");
  return model;
}

FinishedRun run_with_bar(Job& job, bool show_progress) {
  ProgressBar bar("steps", show_progress);
  return study::run(job, [&](const Progress& p) {
    bar.show(static_cast<double>(p.step), static_cast<double>(p.steps), p.seconds);
    return caught_signal() == 0;
  });
}

/// Over the first steps; nothing where it is not asked for.
std::optional<ModifiedEnergy> modified_energy_of(const RunRequest& request, const Job& job) {
  if (!request.modified_energy) return std::nullopt;
  if (!job.problem) throw InputError("--modified-energy", "is not for bodies and joints");
  const Problem& problem = *job.problem;
  constexpr int most = 200;  // alpha is part of every expression: full matrices
  if (problem.system.dimension() > most)
    throw InputError("--modified-energy", "is for up to " + std::to_string(most) +
                                              " coordinates, and there are " +
                                              std::to_string(problem.system.dimension()));
  return estimate_modified_energy(problem.form, *job.plan.method, finite_start(problem),
                                  job.plan.step, std::min(job.plan.steps, 1000L), 4,
                                  job.plan.solve);
}

void print(const RunRequest& request, const Job& job, const FinishedRun& run,
           const std::optional<ModifiedEnergy>& modified,
           const std::vector<std::vector<double>>& joints) {
  if (request.json)
    std::printf("%s\n", run_json(job, run, modified, joints).text().c_str());
  else if (!request.quiet)
    std::fputs(run_text(job, run, modified).c_str(), stdout);
  if (!request.json && !request.quiet && !job.file.empty())
    std::printf("written            %s\n", job.file.c_str());
  std::fflush(stdout);
}

void say_how_it_ended(const Job& job, const FinishedRun& run) {
  if (!run.ok()) complain(run.failure.text());
  if (!run.stopped || caught_signal() == 0) return;
  std::string text = caught_signal() == SIGINT ? "interrupted" : "terminated";
  text += " at t = " + shortest(run.time());
  if (job.file.empty())
    text += "; nothing was kept: --out RUN.h5 makes a run that can be resumed";
  else if (is_run_file(job.file))
    text += "; to go on: rattleback run --resume " + job.file;
  else
    text += "; everything up to there is in " + job.file;
  complain(text);
}

int exit_code(const FinishedRun& run) {
  if (!run.ok()) return integration_failed;
  return run.stopped && caught_signal() != 0 ? signalled + caught_signal() : done;
}

}  // namespace

int run(const RunRequest& request) {
  require_sensible(request);
  leave_on_signals();
  std::optional<ModelFile> model = model_of(request);
  if (model && !model->mechanism) require_memory(request.file, memory_to_run(model->system));
  if (model && model->sweep) {
    catch_signals();
    return sweep(request, *model);
  }
  JobRequest wanted = request;
  wanted.before_file = catch_signals;
  Job job = model ? new_job(wanted, std::move(*model)) : resumed_job(wanted);
  require_axes(request.plot_coordinates, job.header);

  // A picture is drawn from the run file where there is one.
  const PlotOptions options{.axes = request.plot_coordinates};
  std::optional<PlotSink> picture;
  if (!request.plot.empty() && !is_run_file(job.file)) picture.emplace(job.header, options);
  if (picture) job.options.record = [&](const Sample& sample) { picture->add(sample); };
  const auto modified = modified_energy_of(request, job);
  std::optional<JointTurns> turns;
  if (request.json && job.mechanism && !job.mechanism->coordinates.empty()) {
    turns.emplace(*job.mechanism);
    job.options.observe = [&](long, double t, const auto& state) { turns->observe(t, state); };
  }
  const FinishedRun run = run_with_bar(job, !request.quiet);
  print(request, job, run, modified, turns ? turns->numbers() : JointTurns::Numbers{});
  say_how_it_ended(job, run);
  if (picture)
    picture->draw(request.plot);
  else if (!request.plot.empty())
    plot_run_file(job.file, request.plot, options);
  return exit_code(run);
}

}  // namespace rattleback::app

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <optional>

#include "exit_code.hpp"
#include "picture.hpp"
#include "progress_bar.hpp"
#include "rattleback/geometry/point_report.hpp"
#include "rattleback/report/run_to_sink.hpp"
#include "rattleback/solve/rank_revealing.hpp"
#include "rattleback/study/minimal_multipliers.hpp"
#include "rattleback/study/plan.hpp"
#include "rattleback/study/verdict.hpp"
#include "run_output.hpp"
#include "signals.hpp"
#include "sweep.hpp"
#include "verbs.hpp"

namespace rattleback::app {

namespace {

/// Passes on until the file refuses, so that the run ends with its figures and not with a throw.
class GuardedSink final : public RunSink {
 public:
  explicit GuardedSink(RunSink* sink) : sink_(sink) {}
  const std::string& error() const { return error_; }

  void add(const RunSample& sample) override {
    guard([&] { sink_->add(sample); });
  }
  void checkpoint(const RunCheckpoint& checkpoint) override {
    guard([&] { sink_->checkpoint(checkpoint); });
  }
  /// Nothing yet: the file is to hold what is said to the user, see close().
  void finish(const RunFigures&) override {}
  void close(const RunFigures& figures) {
    guard([&] { sink_->finish(figures); });
  }

 private:
  template <class Write>
  void guard(Write write) {
    if (sink_ == nullptr || !error_.empty()) return;
    try {
      write();
    } catch (const FileError& error) {
      error_ = error.what();
    }
  }
  RunSink* sink_;
  std::string error_;
};

bool is_run_file(const std::string& path) {
  return path.ends_with(".h5") || path.ends_with(".hdf5");
}

/// A run about to start: new, or going on in a file.
struct Job {
  Problem problem;
  Plan plan;
  RunOptions<State<double>> options;
  RunHeader header;
  std::unique_ptr<RunSink> sink;  ///< null: nothing is kept
  RunFile* resumed = nullptr;     ///< the sink, where a run goes on
  std::string file;               ///< where the states go
};

bool first_step_works(const Problem& problem, const Plan& plan) {
  const auto stepper = plan.method->stepper<double>(problem.system, plan.solve);
  stepper->reset();
  State<double> z = *problem.start;
  return static_cast<bool>(stepper->step(problem.system, z, plan.step));
}

/// Of many constraints the first step says whether they are worth an analysis.
bool changed_by_first_step(Problem& problem, const Plan& plan) {
  return problem.system.constraint_count() > most_judged_constraints &&
         !first_step_works(problem, plan) && reconsider(problem);
}

Job new_job(const RunRequest& request, ModelFile model) {
  Job job{.problem = prepare(std::move(model)), .file = request.out};
  require_well_posed(job.problem);
  job.plan = make_plan(job.problem, request);
  if (changed_by_first_step(job.problem, job.plan)) job.plan = make_plan(job.problem, request);
  const ModelFile& file = job.problem.file;
  job.options.step = job.plan.step;
  job.options.steps = job.plan.steps;
  job.options.every = job.plan.every;
  job.header = describe_run(job.problem.system, *job.plan.method, job.options,
                            job.problem.form.source.coordinates);
  job.header.model_text = file.text;
  job.header.settings["path"] = file.path;
  if (request.multipliers == "minimal") {
    job.header.settings["multipliers"] = request.multipliers;
    if (job.problem.complete && job.header.multipliers > 0)
      job.header.multipliers = job.problem.complete->constraint_count();
  }
  for (const auto& [name, value] : request.settings) job.header.settings["set " + name] = value;
  if (!request.out.empty()) job.sink = make_sink(request.out, job.header, request.checkpoint_every);
  return job;
}

Settings settings_of(const RunHeader& header) {
  Settings settings;
  for (const auto& [key, value] : header.settings)
    if (key.rfind("set ", 0) == 0) settings.emplace_back(key.substr(4), value);
  return settings;
}

/// A resumed run stays what it was: options may repeat that, not change it.
void require_same(const RunRequest& request, const RunHeader& header) {
  const auto refuse = [](const std::string& option, const std::string& is) {
    throw InputError(option, "the run to be resumed was made with " + is + ", which stays");
  };
  if (request.method && find_method(*request.method) != find_method(header.method))
    refuse("--method", header.method);
  if (request.step && *request.step != header.step) refuse("--step", shortest(header.step));
  if (request.every && *request.every != header.every)
    refuse("--every", std::to_string(header.every));
  if (!request.out.empty() && request.out != request.resume) refuse("--out", request.resume);
  for (const auto& setting : request.settings) {
    const auto found = header.settings.find("set " + setting.first);
    if (found == header.settings.end() || found->second != setting.second)
      refuse("--set", "other parameters");
  }
}

Job resumed_job(const RunRequest& request) {
  const RunHeader header = read_run_header(request.resume).header;
  require_same(request, header);
  if (header.model_text.empty())
    throw InputError(request.resume, "holds no model: it was not written by this program");
  const auto path = header.settings.find("path");
  ModelFile model =
      parse_model(header.model_text, path == header.settings.end() ? request.resume : path->second,
                  settings_of(header));
  if (!request.file.empty() && read_model(request.file, settings_of(header)).text != model.text)
    throw InputError(request.file, "is not the model that " + request.resume +
                                       " holds; leave it out to go on with that one");
  Job job{.problem = prepare(std::move(model)), .header = header, .file = request.resume};
  job.plan.method = find_method(header.method);
  job.plan.step = header.step;
  job.plan.every = header.every;
  job.plan.solve.tolerance = job.problem.file.run.tolerance.value_or(0);
  require_well_posed(job.problem);  // leaves out the same constraints again
  changed_by_first_step(job.problem, job.plan);
  job.plan.notes = job.problem.notes;
  if (request.steps && request.time) throw InputError("--time", "give --steps or --time, not both");
  job.options.steps = request.steps.value_or(0);
  job.options.time = request.time.value_or(0);
  auto file = RunFile::resume(request.resume, request.checkpoint_every);
  job.plan.notes.push_back("resumed " + request.resume + " at step " +
                           std::to_string(file->resumed_from().step()));
  job.resumed = file.get();
  job.sink = std::move(file);
  return job;
}

FinishedRun execute(Job& job, const GuardedSink& guard, RunSink& sink, bool show_progress) {
  const Problem& problem = job.problem;
  ProgressBar bar("steps", show_progress);
  job.options.allow_inconsistent = true;  // judged already, with the constraint's name
  job.options.progress = [&](const Progress& p) {
    bar.show(static_cast<double>(p.step), static_cast<double>(p.steps), p.seconds);
    return caught_signal() == 0 && guard.error().empty();
  };
  if (!job.resumed)
    return run_to_sink(problem.system, *job.plan.method, *problem.start, job.options, sink,
                       job.plan.solve);
  // As resume_run, with the guard between.
  job.options.step = job.header.step;
  job.options.every = job.header.every;
  job.options.restart_every = job.header.restart_every;
  if (job.options.steps == 0 && job.options.time == 0) job.options.steps = job.header.wanted;
  job.options.resume = job.resumed->resumed_from();
  job.resumed->set_wanted(
      detail::step_count(job.options.step, job.options.steps, job.options.time, job.options.every));
  return run_to_sink(problem.system, *job.plan.method, *problem.start, job.options, sink,
                     job.plan.solve);
}

/// A first step that fails may be the model's fault, which the analysis then tells.
std::string fault_of_model(const Problem& problem, const FinishedRun& run) {
  if (run.ok() || run.steps > 0) return {};
  const std::string why = refusal(analysis_of(problem));
  return why.empty() ? why : problem.file.path + ": " + why;
}

/// The constraint that is closest to depending on the others.
std::string weakest_constraint(const Problem& problem, const State<double>& z, double smallest) {
  const RankReport rank = RankRevealing(2 * smallest).factor(slopes(problem.system, z));
  int i = 0;
  while (i < rank.rank && i + 1 < problem.system.constraint_count() && rank.independent[i] == i)
    ++i;
  return "'" + problem.label(i) + "'";
}

/// What the start had and the last state has not: numbers relative to that state do not show it.
std::string lost_on_the_way(const Problem& problem, const FinishedRun& run) {
  constexpr double most_left = 0.05;
  const AnySystem& system = problem.system;
  const int m = system.constraint_count();
  if (run.ok() || run.steps == 0 || m == 0 || m > PointReport::most_constraints) return {};
  const PointReport before = report_point(system, *problem.start);
  const PointReport after = report_point(system, run.final);
  if (!before.finite() || !after.finite()) return {};
  const double dg_before = before.jacobian_rank * slopes(system, *problem.start).norm();
  const double dg_after = after.jacobian_rank * slopes(system, run.final).norm();
  const auto fell = [](const std::string& what, double from, double to) {
    return "the smallest singular value of " + what + " fell from " + detail::quote(from) +
           " at the start to " + detail::quote(to) +
           ": the motion comes to a singular point, where rank is lost";
  };
  if (dg_after < most_left * dg_before)
    return fell("dg", dg_before, dg_after) + ". Weakest there: constraint " +
           weakest_constraint(problem, run.final, after.jacobian_rank);
  if (after.nondegeneracy < most_left * before.nondegeneracy)
    return fell("N = {{g,H},g} (relative)", before.nondegeneracy, after.nondegeneracy);
  return {};
}

/// Says it better than the step could, whose own guess is its size.
void explain_better(const Problem& problem, const std::string& fault, FinishedRun& run) {
  if (!fault.empty()) run.failure = {.what = fault};
  if (std::string cause = lost_on_the_way(problem, run); !cause.empty()) run.failure.cause = cause;
}

int exit_code(const FinishedRun& run) {
  if (!run.ok()) return integration_failed;
  return run.stopped && caught_signal() != 0 ? signalled + caught_signal() : done;
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

}  // namespace

int run(const RunRequest& request) {
  if (!request.report.empty())
    throw InputError("--report", "HTML reports are not available yet; --plot draws a picture");
  if (!request.plot.empty()) require_picture(request.plot);
  if (!(request.checkpoint_every >= 0))
    throw InputError("--checkpoint-every", "must not be negative");
  catch_signals();
  std::optional<ModelFile> model;
  if (request.resume.empty() || request.resume.ends_with(".csv")) {
    if (request.file.empty())
      throw InputError(request.resume, "to go on with a sweep, give its model file too");
    model = read_model(request.file, request.settings);
    if (model->sweep) return sweep(request, *model);
    if (!request.resume.empty())
      throw InputError(request.resume, "only runs stored as .h5 can be resumed, and sweeps");
  }
  Job job = model ? new_job(request, std::move(*model)) : resumed_job(request);
  require_axes(request.plot_coordinates, job.header.coordinates);

  // A picture is drawn from the run file where there is one.
  const bool keep = !request.plot.empty() && !is_run_file(job.file);
  MemorySink memory(job.header);
  if (keep) job.options.record = [&](const RunSample& sample) { memory.add(sample); };
  GuardedSink guarded(job.sink.get());
  std::optional<MinimalMultipliers> spread;
  if (job.problem.complete && job.header.settings.count("multipliers"))
    spread.emplace(*job.problem.complete, job.problem.system, guarded);
  FinishedRun run =
      execute(job, guarded, spread ? static_cast<RunSink&>(*spread) : guarded, !request.quiet);
  const std::string fault = fault_of_model(job.problem, run);
  explain_better(job.problem, fault, run);
  guarded.close(run);
  if (!fault.empty()) throw ModelError(fault);
  if (run.ok() && !guarded.error().empty()) run.failure = {.what = guarded.error()};
  memory.finish(run);
  job.sink.reset();  // closes the file

  if (request.json)
    std::printf("%s\n", run_json(job.problem, job.plan, run).text().c_str());
  else if (!request.quiet)
    std::fputs(run_text(job.problem, job.plan, run).c_str(), stdout);
  if (!request.json && !request.quiet && !job.file.empty())
    std::printf("written            %s\n", job.file.c_str());
  std::fflush(stdout);
  say_how_it_ended(job, run);
  if (!request.plot.empty())
    draw(keep ? memory.data() : read_run(job.file), request.plot, request.plot_coordinates);
  return exit_code(run);
}

}  // namespace rattleback::app

#include "rattleback/study/job.hpp"

#include <optional>
#include <utility>

#include "guarded_sink.hpp"
#include "job_header.hpp"
#include "rattleback/multibody/mechanism_motion.hpp"
#include "rattleback/study/diagnosis.hpp"
#include "rattleback/study/minimal_multipliers.hpp"
#include "rattleback/study/verdict.hpp"

namespace rattleback::study {

namespace {

bool first_step_works(const Problem& problem, const Plan& plan) {
  return static_cast<bool>(motion_of(problem, plan)->advance(plan.step, 1).status);
}

/// Of many constraints the first step says whether they are worth an analysis.
bool changed_by_first_step(Problem& problem, const Plan& plan) {
  return problem.system.constraint_count() > most_judged_constraints &&
         !first_step_works(problem, plan) && reconsider(problem);
}

RunOptions<AnyMotion::Point> options_of(const Plan& plan) {
  RunOptions<AnyMotion::Point> options;
  options.step = plan.step;
  if (plan.time)
    options.time = *plan.time;
  else
    options.steps = plan.steps;
  options.every = plan.every;
  return options;
}

void prepare_motion(Job& job) {
  job.motion = job.mechanism ? mechanism_motion(*job.mechanism, *job.plan.method, job.plan.solve)
                             : motion_of(*job.problem, job.plan);
  job.start = job.motion->state();
  job.options = options_of(job.plan);
}

/// Of the rows that a run goes on behind.
std::vector<ObservedFigures> observed_before(const std::string& path, long rows) {
  std::vector<ObservedFigures> figures;
  read_rows(path, [&](const RunData& data) {
    const Table& table = data.field("observables");
    if (figures.empty())
      for (const std::string& name : data.header.layout.fields.back().labels)
        figures.push_back({.name = name});
    for (long row = 0; row < table.rows && rows > 0; ++row, --rows)
      for (int k = 0; k < table.columns; ++k) figures[k].add(table(row, k));
  });
  return figures;
}

/// Why it failed, in the run; what is returned is the model's fault, if that is why.
std::string explain_end(const Problem& problem, FinishedRun& run) {
  std::string fault = fault_of_model(problem, run);
  if (fault.empty())
    explain_better(problem, run);
  else
    run.failure = {.what = fault};
  return fault;
}

}  // namespace

std::shared_ptr<const Mechanism> starting(const ModelFile& file) {
  try {
    if (file.initial && file.initial->project)
      return std::make_shared<const Mechanism>(with_consistent_velocities(*file.mechanism));
    if (!file.initial || !file.initial->allow_inconsistent)
      require_consistent_velocities(*file.mechanism);
  } catch (const ModelError& error) {
    throw ModelError(file.path + ": " + error.what());
  }
  return file.mechanism;
}

Job new_job(const JobRequest& request, ModelFile model) {
  if (!request.out.empty()) require_free(request.out, request.existing());  // before all the work
  Job job{.file = request.out};
  if (model.mechanism) {
    job.mechanism = starting(model);
    job.plan = mechanism_plan(model, request);
    job.plan.notes.insert(job.plan.notes.begin(), model.notes.begin(), model.notes.end());
    prepare_motion(job);
    job.header = header_of(request, model, job);
  } else {
    Problem& problem = job.problem.emplace(prepare(std::move(model)));
    require_well_posed(problem);
    job.plan = make_plan(problem, request);
    if (changed_by_first_step(problem, job.plan)) job.plan = make_plan(problem, request);
    (void)Observables(problem, job.plan);  // refused before there is a file
    prepare_motion(job);
    job.header = header_of(request, problem.file, job);
  }
  if (request.before_file) request.before_file();
  if (!request.out.empty())
    job.sink = make_sink(request.out, job.header, request.checkpoint_every, request.existing());
  return job;
}

Job resumed_job(const JobRequest& request) {
  const RunData stored = read_run_header(request.resume);
  const RunHeader& header = stored.header;
  require_same(request, header);
  ModelFile model = model_of(request, header);
  Job job{.header = header, .file = request.resume};
  job.plan.method = method_named(header.method);
  job.plan.step = header.step;
  job.plan.every = header.every;
  job.plan.solve.tolerance = model.run.tolerance.value_or(0);
  if (model.mechanism) {
    job.mechanism = starting(model);
  } else {
    Problem& problem = job.problem.emplace(prepare(std::move(model)));
    require_well_posed(problem);  // leaves out the same constraints again
    changed_by_first_step(problem, job.plan);
    job.plan.notes = problem.notes;
  }
  prepare_motion(job);
  if (job.problem && !job.problem->file.observables.empty())
    job.observed =
        observed_before(request.resume, stored.checkpoint ? stored.checkpoint->stored : 0);
  job.options.steps = request.steps.value_or(0);
  job.options.time = request.time.value_or(request.steps ? 0 : wanted_time(header));
  if (request.before_file) request.before_file();
  auto file = RunFile::resume(request.resume, request.checkpoint_every);
  job.plan.notes.push_back("resumed " + request.resume + " at step " +
                           std::to_string(file->resumed_from().step()));
  go_on_in(*file, stored_layout(job), job.options);
  job.sink = std::move(file);
  return job;
}

JobWords in_words(const Job& job) {
  const auto plural = [](std::size_t count, const std::string& thing) {
    return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
  };
  if (job.problem)
    return {
        job.problem->system.name(),
        plural(static_cast<std::size_t>(job.problem->system.dimension()), "coordinate") + ", " +
            plural(static_cast<std::size_t>(job.problem->system.constraint_count()), "constraint"),
        class_in_words(*job.problem), path_in_words(*job.problem, *job.plan.method)};
  const Mechanism& m = *job.mechanism;
  std::string bodies =
      std::to_string(m.bodies.size()) + (m.bodies.size() == 1 ? " body" : " bodies");
  return {m.name, bodies + ", " + plural(m.joints.size(), "joint"), "bodies and joints",
          plural(static_cast<std::size_t>(job.motion->info().constraints), "equation") +
              " solved in blocks"};
}

FinishedRun run(Job& job, const std::function<bool(const Progress&)>& progress) {
  GuardedSink guarded(job.sink.get());
  std::optional<MinimalMultipliers> spread;
  if (job.problem && job.problem->complete && job.header.settings.contains("multipliers"))
    spread.emplace(*job.problem->complete, guarded);
  job.options.progress = [&](const Progress& p) {
    return (!progress || progress(p)) && guarded.error().empty();
  };
  RunSink* sink = spread ? static_cast<RunSink*>(&*spread) : &guarded;
  std::optional<ObservingSink> observing;
  if (job.problem && !job.problem->file.observables.empty())
    sink = &observing.emplace(*job.problem, job.plan, *sink, std::exchange(job.options.record, {}),
                              job.observed);
  FinishedRun run = run_to_sink(*job.motion, job.options, *sink);
  if (observing) job.observed = observing->figures();
  const std::string fault = job.problem ? explain_end(*job.problem, run) : "";
  guarded.close(run);
  job.sink.reset();  // closes the file
  if (!fault.empty()) throw ModelError(fault);
  if (run.ok()) run.failure = {.what = guarded.error()};
  return run;
}

FinishedRun run(const Problem& problem, const Plan& plan) {
  (void)require_start(problem);
  FinishedRun run = run_motion(*motion_of(problem, plan), options_of(plan));
  if (const std::string fault = explain_end(problem, run); !fault.empty()) throw ModelError(fault);
  return run;
}

}  // namespace rattleback::study

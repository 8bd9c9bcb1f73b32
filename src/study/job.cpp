#include "rattleback/study/job.hpp"

#include <optional>
#include <set>
#include <utility>

#include "guarded_sink.hpp"
#include "rattleback/multibody/mechanism_motion.hpp"
#include "rattleback/study/diagnosis.hpp"
#include "rattleback/study/load.hpp"
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

/// That of the motion, and what is observed.
Layout stored_layout(const Job& job) {
  Layout layout = job.motion->info().layout;
  if (job.problem)
    if (auto field = Observables::field(job.problem->file))
      layout.fields.push_back(std::move(*field));
  return layout;
}

/// Multipliers are those of the constraints as they were written.
void name_constraints(const Problem& problem, RunHeader& header) {
  constexpr int most_texts = 1000;  // beyond, a text for each would outweigh the run
  const AnySystem& all = problem.complete ? *problem.complete : problem.system;
  if (header.multipliers == all.constraint_count() && header.multipliers <= most_texts)
    header.multiplier_constraints = problem.written();
}

/// Of a mechanism they are what its joints do, and called so.
void name_reactions(const Mechanism& mechanism, RunHeader& header) {
  constexpr std::size_t most_joints = 1000;
  if (mechanism.joints.empty() || mechanism.joints.size() > most_joints) return;
  header.multiplier_constraints = reaction_names(mechanism);
  header.settings["multiplier names"] = "constraints";
}

/// All that the run can be resumed from, beside its states.
RunHeader header_of(const JobRequest& request, const ModelFile& file, Job& job) {
  RunHeader header = describe_run(job.motion->info(), job.options);
  header.layout = stored_layout(job);
  header.model_text = file.text;
  header.settings["path"] = file.path;
  if (request.multipliers == Multipliers::minimal) header.settings["multipliers"] = "minimal";
  if (job.problem) name_constraints(*job.problem, header);
  if (job.mechanism) name_reactions(*job.mechanism, header);
  if (job.plan.time && job.motion->clock())
    header.settings["time"] = to_string(OptionValue(*job.plan.time));
  for (const auto& [name, value] : request.settings) header.settings["set " + name] = value;
  std::size_t count = 0;  // paths are no names for settings
  for (const auto& [path, text] : file.files)
    header.settings.insert_or_assign("file " + std::to_string(++count), path + "\n" + text);
  return header;
}

Settings settings_of(const RunHeader& header) {
  Settings settings;
  for (const auto& [key, value] : header.settings)
    if (key.starts_with("set ")) settings.emplace_back(key.substr(4), value);
  return settings;
}

/// What the model was read from beside its own text.
KeptFiles files_of(const RunHeader& header) {
  KeptFiles files;
  for (const auto& [key, value] : header.settings)
    if (const std::size_t end = value.find('\n'); key.starts_with("file ") && end < value.size())
      files.emplace(value.substr(0, end), value.substr(end + 1));
  return files;
}

/// Wherever they are.
std::multiset<std::string> texts(const KeptFiles& files) {
  std::multiset<std::string> all;
  for (const auto& file : files) all.insert(file.second);
  return all;
}

/// Of phase-space systems or of mechanisms.
Method method_named(const std::string& specification) {
  const std::string family = specification.substr(0, specification.find(':'));
  for (const Family& known : mechanism_families())
    if (known.name == family) return find_mechanism_method(specification);
  return find_method(specification);
}

/// Wishes may repeat what a run is, not change it.
void require_same(const JobRequest& request, const RunHeader& header) {
  const auto refuse = [](const std::string& wish, const std::string& is) {
    throw InputError(wish, "the run to be resumed was made with " + is + ", which stays");
  };
  if (request.method && method_named(*request.method) != method_named(header.method))
    refuse("method", header.method);
  if (request.step && *request.step != header.step) refuse("step", detail::quote(header.step));
  if (request.every && *request.every != header.every)
    refuse("every", std::to_string(header.every));
  if (!request.out.empty() && request.out != request.resume) refuse("out", request.resume);
  for (const auto& [name, value] : request.settings) {
    const auto found = header.settings.find("set " + name);
    if (found == header.settings.end()) refuse(name, "the value of its file");
    if (found->second != value) refuse(name, found->second);
  }
  if (request.steps && request.time) throw InputError("time", "give steps or time, not both");
}

/// Of a run whose steps vary; 0 where its steps are counted.
double wanted_time(const RunHeader& header) {
  const auto found = header.settings.find("time");
  return found == header.settings.end() ? 0 : std::stod(found->second);
}

ModelFile model_of(const JobRequest& request, const RunHeader& header) {
  if (header.model_text.empty())
    throw InputError(request.resume, "holds no model: it was not written by this program");
  const Settings settings = settings_of(header);
  const auto path = header.settings.find("path");
  ModelFile model =
      load_text(header.model_text, path == header.settings.end() ? "model" : path->second, settings,
                files_of(header));
  if (request.file.empty()) return model;
  const ModelFile given = load(request.file, settings);
  if (given.text != model.text || texts(given.files) != texts(model.files))
    throw InputError(request.file, "is not the model that " + request.resume +
                                       " holds; leave it out to go on with that one");
  return model;
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

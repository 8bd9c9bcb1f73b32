#include "sweep.hpp"

#include <tbb/parallel_for.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>

#include "exit_code.hpp"
#include "json.hpp"
#include "plan.hpp"
#include "progress_bar.hpp"
#include "rattleback/report/file_error.hpp"
#include "rattleback/report/run_to_sink.hpp"
#include "run_output.hpp"
#include "signals.hpp"
#include "sweep_file.hpp"
#include "verdict.hpp"

namespace rattleback::app {

namespace {

using Clock = std::chrono::steady_clock;

CsvRow head_of(const ModelFile& model) {
  CsvRow head{"member"};
  for (const auto& axis : model.sweep->axes) head.push_back(axis.name);
  for (const char* name :
       {"status", "method", "step", "steps", "time", "energy_initial", "energy_final",
        "energy_max_error", "energy_drift_per_time", "constraint_max", "hidden_constraint_max",
        "newton_mean", "newton_max", "seconds"})
    head.emplace_back(name);
  for (const char* when : {"initial_", "final_"})
    for (const char* momentum : {"", "p_"})
      for (const auto& q : model.system.coordinates)
        head.push_back(std::string(when) + momentum + q);
  head.emplace_back("error");
  return head;
}

void append(CsvRow& row, const State<double>& z) {
  for (const auto* v : {&z.q, &z.p})
    for (const double x : *v) row.push_back(shortest(x));
}

/// One member after another, each on its own: what differs between them is in its code.
class Sweep {
 public:
  Sweep(const RunRequest& request, const ModelFile& model)
      : request_(request), model_(model), columns_(head_of(model).size()) {}

  /// Nothing where a signal came before the end.
  std::optional<CsvRow> row(long member) const {
    CsvRow row{std::to_string(member)};
    for (const double value : model_.sweep->values(member)) row.push_back(shortest(value));
    const std::size_t known = row.size();
    try {
      const Problem problem = problem_of(member);
      const Plan plan = make_plan(problem, request_);
      const FinishedRun run = integrated(problem, plan);
      if (run.stopped) return std::nullopt;
      append(row, run, problem);
      row.push_back(run.failure);
    } catch (const FileError&) {
      throw;
    } catch (const Error& error) {
      row.resize(known);
      row.emplace_back("refused");
      row.resize(columns_ - 1);
      row.emplace_back(error.what());
    }
    return row;
  }

 private:
  Problem problem_of(long member) const {
    Settings settings = request_.settings;
    for (auto& setting : model_.sweep->settings(member)) settings.push_back(std::move(setting));
    ModelFile file = parse_model(model_.text, model_.path, settings);
    if (file.initial) file.initial = model_.sweep->start(member, *file.initial);
    Problem problem = prepare(std::move(file));
    require_well_posed(problem);
    return problem;
  }
  static FinishedRun integrated(const Problem& problem, const Plan& plan) {
    RunOptions<State<double>> options;
    options.step = plan.step;
    options.steps = plan.steps;
    options.every = plan.every;
    options.restart_every = usual_restart_every(plan.every, problem.system.dimension());
    options.allow_inconsistent = true;  // judged already
    options.keep_states = false;
    options.progress = [](const Progress&) { return caught_signal() == 0; };
    return integrate(problem.system, *plan.method, *problem.start, options, plan.solve);
  }
  static void append(CsvRow& row, const FinishedRun& run, const Problem& problem) {
    row.emplace_back(run.ok() ? "done" : "failed");
    row.push_back(run.method);
    row.push_back(shortest(run.step));
    row.push_back(std::to_string(run.steps));
    for (const double x :
         {run.time(), run.initial_energy, run.final_energy, run.energy_error, run.energy_drift,
          run.constraint, run.hidden, run.newton_mean, double(run.newton_max), run.seconds})
      row.push_back(shortest(x));
    app::append(row, *problem.start);
    app::append(row, run.final);
  }

  const RunRequest& request_;
  const ModelFile& model_;
  std::size_t columns_;
};

/// Rows of a resumed table must be of this sweep.
void require_members(const SweepFile& file, const ModelFile& model, const std::string& path) {
  for (const auto& [member, row] : file.rows()) {
    bool same = member >= 0 && member < model.sweep->size();
    const std::vector<double> values = same ? model.sweep->values(member) : std::vector<double>{};
    for (std::size_t k = 0; same && k < values.size(); ++k)
      same = row[k + 1] == shortest(values[k]);
    if (!same)
      throw FileError(path, "member " + std::to_string(member) + " is not one of this sweep");
  }
}

void integrate_members(const Sweep& sweep, SweepFile& file, const std::vector<long>& members,
                       long all, bool show_progress) {
  ProgressBar bar("runs", show_progress);
  std::mutex mutex;
  const auto begin = Clock::now();
  std::atomic<bool> halted{false};
  std::exception_ptr failure;
  tbb::parallel_for(std::size_t{0}, members.size(), [&](std::size_t i) {
    if (halted || caught_signal() != 0) return;
    try {
      if (const auto row = sweep.row(members[i])) file.add(members[i], *row);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
      halted = true;
    }
    const std::unique_lock lock(mutex, std::try_to_lock);
    if (lock)
      bar.show(static_cast<long>(file.count()), all,
               std::chrono::duration<double>(Clock::now() - begin).count());
  });
  if (failure) std::rethrow_exception(failure);
}

struct Counts {
  long done = 0, failed = 0, refused = 0;
};

Counts count(const SweepFile& file, std::size_t status_column) {
  Counts counts;
  for (const auto& [member, row] : file.rows()) {
    const std::string& status = row[status_column];
    ++(status == "done" ? counts.done : status == "failed" ? counts.failed : counts.refused);
  }
  return counts;
}

Json sweep_json(const ModelFile& model, const SweepFile& file, const Counts& counts,
                double seconds) {
  const CsvRow head = head_of(model);
  std::vector<Json> runs;
  for (const auto& [member, row] : file.rows()) {
    Json run = Json::object({});
    for (std::size_t i = 0; i < head.size(); ++i) {
      const bool text = head[i] == "status" || head[i] == "method" || head[i] == "error";
      if (text)
        run.add(head[i], row[i]);
      else
        run.add(head[i],
                row[i].empty() ? Json(nullptr) : Json(std::strtod(row[i].c_str(), nullptr)));
    }
    runs.push_back(run);
  }
  return Json::object({{"model", model.system.name},
                       {"members", model.sweep->size()},
                       {"done", counts.done},
                       {"failed", counts.failed},
                       {"refused", counts.refused},
                       {"seconds", seconds},
                       {"runs", Json::array(runs)}});
}

}  // namespace

int sweep(const RunRequest& request, const ModelFile& model) {
  if (!request.plot.empty()) throw InputError("--plot", "a sweep is a table: there is no picture");
  const std::string path = request.resume.empty() ? request.out : request.resume;
  if (!path.empty() && !path.ends_with(".csv"))
    throw InputError(path, "a sweep is written as .csv, one row per member");
  const auto begin = Clock::now();
  const CsvRow head = head_of(model);
  SweepFile file = request.resume.empty() ? SweepFile(path, head) : SweepFile::resume(path, head);
  require_members(file, model, path);
  std::vector<long> members;
  for (long i = 0; i < model.sweep->size(); ++i)
    if (!file.rows().contains(i)) members.push_back(i);
  integrate_members(Sweep(request, model), file, members, model.sweep->size(), !request.quiet);
  file.finish();
  const Counts counts = count(file, 1 + model.sweep->axes.size());
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (request.json)
    std::printf("%s\n", sweep_json(model, file, counts, seconds).text().c_str());
  else if (!request.quiet)
    std::printf("sweep of %s: %ld members, %ld done, %ld failed, %ld refused, %.3g s\n%s%s%s",
                model.system.name.c_str(), model.sweep->size(), counts.done, counts.failed,
                counts.refused, seconds, path.empty() ? "" : "written  ", path.c_str(),
                path.empty() ? "" : "\n");
  std::fflush(stdout);
  if (counts.failed + counts.refused > 0)
    complain("not all members finished; the column 'error' says why");
  if (caught_signal() != 0) {
    complain(path.empty()
                 ? "interrupted; nothing was kept: --out FILE.csv makes a sweep that can "
                   "be resumed"
                 : "interrupted; to go on: rattleback run " + request.file + " --resume " + path);
    return signalled + caught_signal();
  }
  return counts.failed > 0 ? integration_failed : counts.refused > 0 ? ill_posed : done;
}

}  // namespace rattleback::app

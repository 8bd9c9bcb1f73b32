#include "sweep.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <mutex>

#include "exit_code.hpp"
#include "json.hpp"
#include "progress_bar.hpp"
#include "rattleback/problem/pack.hpp"
#include "rattleback/report/file_error.hpp"
#include "run_output.hpp"
#include "signals.hpp"
#include "sweep_members.hpp"

namespace rattleback::app {

namespace {

using Clock = std::chrono::steady_clock;

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

/// The rows that are missing.
void complete(SweepFile& file, const SweepMembers& sweep, long all, bool show_progress) {
  std::vector<long> batches;
  long left = 0;
  for (long i = 0; i < sweep.batches(); ++i) {
    const std::vector<long> members = sweep.members(i);
    if (std::ranges::all_of(members, [&](long k) { return file.rows().contains(k); })) continue;
    batches.push_back(i);
    left += std::ssize(members);
  }
  ProgressBar bar("runs", show_progress);
  const auto begin = Clock::now();
  std::atomic<double> done = static_cast<double>(all - left);
  std::mutex mutex;
  std::exception_ptr failure;
  std::atomic<bool> halted{false};
  const auto go_on = [&] { return !halted && caught_signal() == 0; };
  const auto count = [&](double more) {
    done += more;
    if (const std::unique_lock lock(mutex, std::try_to_lock); lock)
      bar.show(done, static_cast<double>(all),
               std::chrono::duration<double>(Clock::now() - begin).count());
  };
  tbb::parallel_for(std::size_t{0}, batches.size(), [&](std::size_t i) {
    if (!go_on()) return;
    try {
      double counted = 0;
      const auto rows = sweep.rows(batches[i], [&](double now) {
        count(now - std::exchange(counted, now));
        return go_on();
      });
      if (!rows) return;
      const std::vector<long> members = sweep.members(batches[i]);
      for (std::size_t k = 0; k < members.size(); ++k) file.add(members[k], (*rows)[k]);
      count(static_cast<double>(members.size()) - counted);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
      halted = true;
    }
  });
  if (failure) std::rethrow_exception(failure);
}

struct Counts {
  long done = 0, failed = 0, refused = 0, packed = 0;
};

Counts count(const SweepFile& file, const CsvRow& head) {
  const auto column = [&](const char* name) {
    return std::ranges::find(head, name) - head.begin();
  };
  Counts counts;
  for (const auto& [member, row] : file.rows()) {
    const std::string& status = row[column("status")];
    counts.packed += row[column("packed")] == "1";
    ++(status == "done" ? counts.done : status == "failed" ? counts.failed : counts.refused);
  }
  return counts;
}

Json sweep_json(const ModelFile& model, const SweepFile& file, const Counts& counts,
                double seconds) {
  const CsvRow head = sweep_head(model);
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
                       {"packed", counts.packed},
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
  const CsvRow head = sweep_head(model);
  SweepFile file = request.resume.empty() ? SweepFile(path, head) : SweepFile::resume(path, head);
  require_members(file, model, path);
  complete(file, SweepMembers(request, model), model.sweep->size(), !request.quiet);
  file.finish();
  const Counts counts = count(file, head);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (request.json)
    std::printf("%s\n", sweep_json(model, file, counts, seconds).text().c_str());
  else if (!request.quiet)
    std::printf(
        "sweep of %s: %ld members, %ld done, %ld failed, %ld refused, %.3g s\n"
        "%ld in packs of up to %d, %d threads\n%s%s%s",
        model.system.name.c_str(), model.sweep->size(), counts.done, counts.failed, counts.refused,
        seconds, counts.packed, ScalarTraits<Pack>::lanes, tbb::this_task_arena::max_concurrency(),
        path.empty() ? "" : "written  ", path.c_str(), path.empty() ? "" : "\n");
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

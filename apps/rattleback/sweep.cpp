#include "sweep.hpp"

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <mutex>
#include <optional>

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
void require_member(const ModelFile& model, const std::string& path, long member,
                    const CsvRow& row) {
  bool same = member >= 0 && member < model.sweep->size();
  const std::vector<double> values = same ? model.sweep->values(member) : std::vector<double>{};
  for (std::size_t k = 0; same && k < values.size(); ++k) same = row[k + 1] == shortest(values[k]);
  if (!same)
    throw FileError(path, "member " + std::to_string(member) + " is not one of this sweep");
}

/// How many members ended in which way.
class Counts {
 public:
  explicit Counts(const CsvRow& head)
      : status_(std::ranges::find(head, "status") - head.begin()),
        packed_(std::ranges::find(head, "packed") - head.begin()) {}
  void add(const CsvRow& row) {
    const std::string& status = row[static_cast<std::size_t>(status_)];
    packed += row[static_cast<std::size_t>(packed_)] == "1";
    ++(status == "done" ? done : status == "failed" ? failed : refused);
  }
  long done = 0, failed = 0, refused = 0, packed = 0;

 private:
  std::ptrdiff_t status_, packed_;
};

/// A batch on its way through the threads; no rows: it was stopped.
struct Batch {
  long number = -1;
  std::optional<std::vector<CsvRow>> rows;
};

/// The rows that are missing, in the order of members: only the few batches under way are in
/// memory.
class Completion {
 public:
  Completion(SweepFile& file, const SweepMembers& sweep, Counts& counts, bool show_progress)
      : file_(file), sweep_(sweep), counts_(counts), bar_("runs", show_progress) {}

  void run() {
    using Mode = tbb::filter_mode;
    constexpr std::size_t in_memory = 16;  // batches of each thread
    const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
    tbb::parallel_pipeline(
        in_memory * threads,
        tbb::make_filter<void, Batch>(Mode::serial_in_order, [this](tbb::flow_control& flow) {
          return next(flow);
        }) & tbb::make_filter<Batch, Batch>(Mode::parallel, [this](Batch batch) {
          return computed(std::move(batch));
        }) & tbb::make_filter<Batch, void>(Mode::serial_in_order, [this](const Batch& batch) {
          keep(batch);
        }));
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  bool go_on() const { return !halted_ && caught_signal() == 0; }

  Batch next(tbb::flow_control& flow) {
    for (; go_on() && number_ < sweep_.batches(); ++number_) {
      const std::vector<long> members = sweep_.members(number_);
      if (!std::ranges::all_of(members, [&](long k) { return file_.has(k); }))
        return {number_++, {}};
      count(static_cast<double>(members.size()));
    }
    flow.stop();
    return {};
  }
  Batch computed(Batch batch) {
    guard([&] {
      double counted = 0;
      batch.rows = sweep_.rows(batch.number, [&](double now) {
        count(now - std::exchange(counted, now));
        return go_on();
      });
      if (batch.rows) count(static_cast<double>(batch.rows->size()) - counted);
    });
    return batch;
  }
  void keep(const Batch& batch) {
    if (!batch.rows) return;
    guard([&] {
      const std::vector<long> members = sweep_.members(batch.number);
      for (std::size_t k = 0; k < members.size(); ++k) {
        if (file_.has(members[k])) continue;
        file_.add(members[k], (*batch.rows)[k]);
        counts_.add((*batch.rows)[k]);
      }
    });
  }
  template <class Work>
  void guard(Work work) {
    if (halted_) return;
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      halted_ = true;
    }
  }
  void count(double more) {
    done_ += more;
    if (const std::unique_lock lock(mutex_, std::try_to_lock); lock)
      bar_.show(done_, static_cast<double>(sweep_.size()),
                std::chrono::duration<double>(Clock::now() - begin_).count());
  }

  SweepFile& file_;
  const SweepMembers& sweep_;
  Counts& counts_;
  ProgressBar bar_;
  Clock::time_point begin_ = Clock::now();
  long number_ = 0;
  std::atomic<double> done_ = 0;
  std::atomic<bool> halted_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

Json row_json(const CsvRow& head, const CsvRow& row) {
  Json run = Json::object({});
  for (std::size_t i = 0; i < head.size(); ++i) {
    const bool text = head[i] == "status" || head[i] == "method" || head[i] == "error";
    if (text)
      run.add(head[i], row[i]);
    else
      run.add(head[i], row[i].empty() ? Json(nullptr) : Json(std::strtod(row[i].c_str(), nullptr)));
  }
  return run;
}

/// One object, written as its rows are read.
void print_json(const ModelFile& model, const SweepFile& file, const Counts& counts,
                double seconds) {
  const CsvRow head = sweep_head(model);
  std::string begin = Json::object({{"model", model.system.name},
                                    {"members", model.sweep->size()},
                                    {"done", counts.done},
                                    {"failed", counts.failed},
                                    {"refused", counts.refused},
                                    {"packed", counts.packed},
                                    {"seconds", seconds}})
                          .text();
  begin.pop_back();
  std::printf("%s, \"runs\": [", begin.c_str());
  const char* between = "";
  file.each_row([&](long, const CsvRow& row) {
    std::printf("%s%s", std::exchange(between, ", "), row_json(head, row).text().c_str());
  });
  std::printf("]}\n");
}

void print_text(const ModelFile& model, const Counts& counts, double seconds,
                const std::string& path) {
  std::printf(
      "sweep of %s: %ld members, %ld done, %ld failed, %ld refused, %.3g s\n"
      "%ld in packs of up to %d, %d threads\n%s%s%s",
      model.system.name.c_str(), model.sweep->size(), counts.done, counts.failed, counts.refused,
      seconds, counts.packed, ScalarTraits<Pack>::lanes, tbb::this_task_arena::max_concurrency(),
      path.empty() ? "" : "written  ", path.c_str(), path.empty() ? "" : "\n");
}

void require_sensible(const RunRequest& request, const ModelFile& model, const std::string& path) {
  if (!request.plot.empty()) throw InputError("--plot", "a sweep is a table: there is no picture");
  if (!path.empty() && !path.ends_with(".csv"))
    throw InputError(path, "a sweep is written as .csv, one row per member");
  for (const auto& [name, value] : request.settings)
    for (const auto& axis : model.sweep->axes)
      if (axis.target == ModelFile::Sweep::Target::parameter && axis.name == name)
        throw InputError("--set", ("'" + name)
                                      .append("' is swept by [sweep] of " + model.path)
                                      .append(", which gives its values; got " + name)
                                      .append("=" + value));
}

}  // namespace

int sweep(const RunRequest& request, const ModelFile& model) {
  const std::string path = request.resume.empty() ? request.out : request.resume;
  require_sensible(request, model, path);
  const auto begin = Clock::now();
  const CsvRow head = sweep_head(model);
  const SweepMembers members(request, model);
  Counts counts(head);
  SweepFile file = request.resume.empty()
                       ? SweepFile(path, head, members.size(), request.existing())
                       : SweepFile(path, head, members.size(), [&](long member, const CsvRow& row) {
                           require_member(model, path, member, row);
                           counts.add(row);
                         });
  Completion(file, members, counts, !request.quiet).run();
  file.finish();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (request.json)
    print_json(model, file, counts, seconds);
  else if (!request.quiet)
    print_text(model, counts, seconds, path);
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

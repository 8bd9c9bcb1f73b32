// A run of a model with its states going to a file: new, or going on where that file ends.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "rattleback/report/run_to_sink.hpp"
#include "rattleback/study/observables.hpp"
#include "rattleback/study/plan.hpp"

namespace rattleback::study {

/// Which multipliers are stored where constraints are redundant.
enum class Multipliers { kept, minimal };  ///< of those kept, or of all with least norm

struct JobRequest : Wishes {
  std::string file{};  ///< the model; may be empty with `resume`
  Settings settings{};
  std::string out{};            ///< .h5, .csv or .npy; empty: nothing is kept
  std::string resume{};         ///< a run file to go on with
  bool force = false;           ///< replaces what is in `out`
  double checkpoint_every = 5;  ///< seconds
  Multipliers multipliers = Multipliers::kept;
  /// Before the file is touched: from there on it must be left by the run itself, not by a signal.
  std::function<void()> before_file{};

  Existing existing() const { return force ? Existing::replace : Existing::refuse; }
};

/// A run about to start.
struct Job {
  std::optional<Problem> problem{};              ///< or
  std::shared_ptr<const Mechanism> mechanism{};  ///< as it starts
  Plan plan;
  AnyMotionPointer motion;
  AnyMotion::Point start;  ///< of the motion
  RunOptions<AnyMotion::Point> options;
  RunHeader header;
  std::unique_ptr<RunSink> sink;            ///< null: nothing is kept
  std::string file;                         ///< where the states go
  std::vector<ObservedFigures> observed{};  ///< once it has run
};

/// "planar pendulum: 2 coordinates, 1 constraint", what it is, and how its steps are computed.
struct JobWords {
  std::string name, size, form, path;
};
JobWords in_words(const Job& job);

/// The mechanism of a file as it starts. Throws ModelError where its joints or velocities do not
/// fit.
std::shared_ptr<const Mechanism> starting(const ModelFile& file);

/// Throws ModelError where the model is ill posed or its start inconsistent.
Job new_job(const JobRequest& request, ModelFile model);
/// With the model, method and step that the run file holds. Throws InputError where the request
/// wants others: a resumed run stays what it was.
Job resumed_job(const JobRequest& request);

/// Runs it and closes its file. A run that fails says why, with what is known of the model; so does
/// one whose file could not be written any more. Where the model turns out to have no motion at
/// all, throws ModelError in the words of the analysis, once that is in the file too.
FinishedRun run(Job& job, const std::function<bool(const Progress&)>& progress = {});

/// The same without a file, every stored state in memory.
FinishedRun run(const Problem& problem, const Plan& plan);

}  // namespace rattleback::study

#include "rattleback/study/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "contest.hpp"

namespace rattleback::study {

namespace {

constexpr long most_reference_steps = 4'000'000;
/// Changes of round-off differ by less, those of larger steps by more: 256 at order 8.
constexpr double above_noise = 10;
constexpr double short_run = 0.05;  ///< seconds; below it a run is timed several times

/// Runs of one problem over one length of time.
class Bench {
 public:
  Bench(const Contest& contest, double time, const ComparisonWatch& watch)
      : contest_(contest), time_(time), watch_(watch) {}

  bool go_on() const { return watch_.go_on(); }

  AnyMotionPointer motion(const Method& method) const { return contest_.motion(method); }
  FinishedRun run(const Method& method, long steps) const {
    auto wanted = options(steps);
    if (method.info().varies_steps) wanted.steps = 0, wanted.time = time_;
    return run_motion(*motion(method), wanted);
  }

  ComparedRun measured(const Method& method, long steps) const {
    FinishedRun best = run(method, steps);
    for (int again = 0; again < 4 && best.ok() && best.seconds < short_run; ++again)
      best.seconds = std::min(best.seconds, run(method, steps).seconds);
    const Evaluations count =
        contest_.evaluations(method, time_ / static_cast<double>(steps), steps, best);
    return {.figures = best, .final = contest_.claimed(method, best), .evaluations = count};
  }

 private:
  RunOptions<AnyMotion::Point> options(long steps) const {
    RunOptions<AnyMotion::Point> options;
    options.step = time_ / static_cast<double>(steps);
    options.steps = steps;
    options.every = std::max(1L, steps / 100);
    options.keep_states = false;
    options.progress = [this](const Progress&) { return go_on(); };
    return options;
  }

  const Contest& contest_;
  double time_;
  const ComparisonWatch& watch_;
};

/// `space` says how far points are apart. Orders are of errors that the reference resolves.
void fill_in_errors(std::vector<ComparedRun>& runs, const AnyMotion& space,
                    const AnyMotion::Point& truth, double resolution) {
  const ComparedRun* before = nullptr;
  const auto resolved = [&](const ComparedRun& run) {
    return run.error && *run.error > resolution;
  };
  for (ComparedRun& run : runs) {
    run.order = std::nullopt;
    run.error = run.figures.ok() ? std::optional(distance(space, truth, run.final)) : std::nullopt;
    if (before && before->figures.method == run.figures.method && resolved(*before) &&
        resolved(run))
      run.order = std::log(*before->error / *run.error) /
                  std::log(std::abs(before->figures.step / run.figures.step));
    before = &run;
  }
}

double smallest_error(const std::vector<ComparedRun>& runs) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const ComparedRun& run : runs)
    if (run.error) smallest = std::min(smallest, *run.error);
  return smallest;
}

/// Runs of the method of the reference. Its own error is what the last halving of its step changed.
class ReferenceSearch {
 public:
  ReferenceSearch(const Bench& bench, Method method, std::vector<ComparedRun>& runs)
      : bench_(bench), method_(std::move(method)), runs_(runs), space_(bench.motion(method_)) {}

  /// Smaller steps than those compared, until its error is a hundredth of the smallest one seen, or
  /// no longer shrinks. That is round-off, of which larger steps have less until they are too
  /// large.
  Reference find(long steps) {
    for (long n = 2 * steps; goes_on() && n <= most_reference_steps; n *= 2) {
      const double least = best_.error;
      if (!(change_to(n) < least)) break;
    }
    for (long n = steps; goes_on() && n % 2 == 0; n /= 2) {
      const double change = change_to(n);
      if (!(change < above_noise * best_.error)) break;
    }
    if (best_.step > 0) return best_;
    if (!bench_.go_on()) return {};
    throw ModelError("no reference: " + method_.info().name + why_not());
  }

 private:
  const FinishedRun& at(long steps) {
    const auto known = known_.find(steps);
    return known != known_.end() ? known->second
                                 : known_.emplace(steps, bench_.run(method_, steps)).first->second;
  }
  /// What the halving to so many steps changed. Where it is the least, that is the reference.
  double change_to(long steps) {
    const FinishedRun &coarse = at(steps / 2), &fine = at(steps);
    if (!is_whole(coarse) || !is_whole(fine)) return std::numeric_limits<double>::infinity();
    const double change = distance(*space_, fine.final, coarse.final);
    if (change < best_.error) {
      best_.error = change;
      best_.step = fine.step;
      fill_in_errors(runs_, *space_, fine.final, 10 * change);
    }
    return change;
  }
  bool goes_on() const { return bench_.go_on() && !(best_.error < 0.01 * smallest_error(runs_)); }
  std::string why_not() const {
    for (const auto& [steps, run] : known_)
      if (!run.ok()) return " failed: " + run.failure.text();
    return " would take more than " + std::to_string(most_reference_steps) + " steps";
  }
  static bool is_whole(const FinishedRun& run) { return run.ok() && !run.stopped; }

  const Bench& bench_;
  Method method_;
  std::vector<ComparedRun>& runs_;
  AnyMotionPointer space_;
  std::map<long, FinishedRun> known_;
  Reference best_{.method = method_.info().name, .error = std::numeric_limits<double>::infinity()};
};

struct Grid {
  double time;
  long steps;  ///< with the largest step
};

/// The model's step four times over, and no more than a thousand steps of the model's.
Grid choose_grid(const Contest& contest, const Method& first, const ComparisonWishes& wishes,
                 std::vector<std::string>& notes) {
  const Plan plan = contest.plan(first);
  const double step = wishes.step.value_or(4 * plan.step);
  const double usual = plan.step * static_cast<double>(std::min(plan.steps, 1000L));
  const double time = wishes.time.value_or(usual);
  if (!wishes.time)
    notes.push_back("time " + detail::quote(time) + ": the model's own length, at most 1000 steps");
  if (!(time / step >= 1))
    throw InputError(
        "time", detail::quote(time) + " is shorter than the largest step, " + detail::quote(step));
  return {time, detail::step_count(step, 0, time, 0)};
}

/// The methods that apply; the others are in the result with the reason.
std::vector<Method> choose_methods(const Contest& contest, const ComparisonWishes& wishes,
                                   Comparison& result) {
  std::vector<Method> methods;
  for (const auto& name : wishes.methods) {
    try {
      methods.push_back(contest.choose(name, result.notes));
    } catch (const ModelError& error) {
      result.refused.push_back({name, error.what()});
    }
  }
  if (methods.empty()) throw ModelError(result.refused.front().reason);
  for (const Method& method : methods)
    if (const std::string note = contest.note_on(method); !note.empty())
      result.notes.push_back(note);
  return methods;
}

/// Where the line through two runs, in logarithms, has this error.
Recommended between(const ComparedRun& coarse, const ComparedRun& fine, double accuracy) {
  const double part = std::log(*coarse.error / accuracy) / std::log(*coarse.error / *fine.error);
  const auto at = [&](double from, double to) { return from * std::pow(to / from, part); };
  return {fine.figures.method, at(coarse.figures.step, fine.figures.step),
          at(coarse.figures.seconds, fine.figures.seconds)};
}

void require_sensible(const ComparisonWishes& wishes) {
  if (wishes.methods.empty()) throw InputError("methods", "none was given");
  if (wishes.halvings < 0 || wishes.halvings > 20)
    throw InputError("halvings", "0 to 20, got " + std::to_string(wishes.halvings));
  if (wishes.accuracy && !(*wishes.accuracy > 0 && *wishes.accuracy < 1))
    throw InputError("accuracy",
                     "a number between 0 and 1, got " + detail::quote(*wishes.accuracy));
}

}  // namespace

std::optional<Recommended> cheapest(const std::vector<ComparedRun>& runs, double accuracy) {
  std::optional<Recommended> best;
  const ComparedRun* before = nullptr;  // of the same method, with a larger step
  for (const ComparedRun& run : runs) {
    if (before && before->figures.method != run.figures.method) before = nullptr;
    if (run.error && *run.error <= accuracy) {
      const bool crosses = before && before->error && *before->error > accuracy && *run.error > 0;
      const Recommended here =
          crosses ? between(*before, run, accuracy)
                  : Recommended{run.figures.method, run.figures.step, run.figures.seconds};
      if (!best || here.seconds < best->seconds) best = here;
    }
    before = &run;
  }
  return best;
}

Comparison compare(const Contest& contest, const ComparisonWishes& wishes,
                   const ComparisonWatch& watch) {
  require_sensible(wishes);
  Comparison result{.model = contest.model(), .notes = contest.notes()};
  const std::vector<Method> methods = choose_methods(contest, wishes, result);
  const Grid grid = choose_grid(contest, methods.front(), wishes, result.notes);
  result.time = grid.time;
  const Bench bench(contest, grid.time, watch);

  const long all = static_cast<long>(methods.size()) * (wishes.halvings + 1);
  double seconds = 0;
  for (const Method& method : methods)
    for (int k = 0; k <= wishes.halvings && bench.go_on(); ++k) {
      result.runs.push_back(bench.measured(method, grid.steps << k));
      seconds += result.runs.back().figures.seconds;
      watch.done(std::ssize(result.runs), all, seconds);
    }
  if (bench.go_on())
    result.reference = ReferenceSearch(bench, contest.reference(), result.runs)
                           .find(grid.steps << wishes.halvings);
  result.accuracy = wishes.accuracy;
  if (wishes.accuracy) result.recommended = cheapest(result.runs, *wishes.accuracy);
  return result;
}

}  // namespace rattleback::study

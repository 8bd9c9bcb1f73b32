#include "rattleback/study/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rattleback/integrators/phase_space_motion.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/study/plan.hpp"
#include "rattleback/study/verdict.hpp"

namespace rattleback::study {

namespace {

constexpr long counted_steps = 200;
constexpr long most_reference_steps = 4'000'000;
constexpr double short_run = 0.05;  ///< seconds; below it a run is timed several times

/// Whether the method leaves momenta anywhere on their fibre.
bool claims_fibres(const MethodInfo& info) {
  return info.symplectic_on == SymplecticOn::primary_manifold && !info.preserves_hidden;
}

/// Runs of one problem over one length of time.
class Bench {
 public:
  Bench(const Problem& problem, double time, const ComparisonWatch& watch)
      : problem_(problem), start_(require_start(problem)), time_(time), watch_(watch) {}

  bool go_on() const { return watch_.go_on(); }

  AnyMotionPointer motion(const Method& method) const {
    return motion_of(problem_, {.method = method, .solve = solve_});
  }
  FinishedRun run(const Method& method, long steps) const {
    auto wanted = options(steps);
    if (method.info().varies_steps) wanted.steps = 0, wanted.time = time_;
    return run_motion(*motion(method), wanted);
  }

  ComparedRun measured(const Method& method, long steps) const {
    FinishedRun best = run(method, steps);
    for (int again = 0; again < 4 && best.ok() && best.seconds < short_run; ++again)
      best.seconds = std::min(best.seconds, run(method, steps).seconds);
    const Evaluations count = evaluations(method, steps);
    return {.figures = best, .final = claimed(method, best), .evaluations = count};
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

  /// What the method claims of the end: the fibre of SHAKE is that of RATTLE [McLachlan12 (11)].
  AnyMotion::Point claimed(const Method& method, const FinishedRun& run) const {
    if (!run.ok() || !claims_fibres(method.info())) return run.final;
    const Traits t = problem_.system.traits();
    const Method shown = find_method(
        t.natural && t.holonomic ? "rattle:project=output" : "rattle:base=midpoint,project=output");
    State<double> z = phase_point(run.final);
    const Status found =
        shown.stepper<double>(problem_.system, solve_)->present(problem_.system, z);
    if (!found) z.q.setConstant(std::numeric_limits<double>::quiet_NaN());
    AnyMotion::Point on_state_manifold;
    flatten(z, on_state_manifold);
    return on_state_manifold;
  }

  /// Counted over the first steps and scaled to all of them.
  Evaluations evaluations(const Method& method, long steps) const {
    const auto count = std::make_shared<Evaluations>();
    const AnySystem counted = counting(problem_.system, count);
    const long some = std::min(steps, counted_steps);
    const auto after = [&](long n) {
      *count = {};
      auto stepper = method.stepper<double>(counted, solve_);
      stepper->reset();
      State<double> z = start_;
      const double h = time_ / static_cast<double>(steps);
      for (long i = 0; i < n; ++i)
        if (!stepper->step(counted, z, h)) break;
      return *count;
    };
    const Evaluations all = after(some);
    const double scale = static_cast<double>(steps) / static_cast<double>(some);
    const auto scaled = [&](long n) { return std::lround(static_cast<double>(n) * scale); };
    return {scaled(all.force), scaled(all.hessian), scaled(all.constraint)};
  }

  const Problem& problem_;
  const State<double>& start_;
  double time_;
  const ComparisonWatch& watch_;
  SolveOptions solve_{.tolerance = problem_.file.run.tolerance.value_or(0)};
};

/// The method of highest order that applies; of several, one that keeps the structure.
const Method& best_reference(const Problem& problem) {
  const Method* best = nullptr;
  const auto rank = [](const Method& m) {
    return 2 * m.info().order + (m.info().symplectic_on != SymplecticOn::nothing ? 1 : 0);
  };
  for (const Method& m : law_methods())
    if (!m.info().varies_steps && obstacle_of_form(m, problem).empty() &&
        (!best || rank(m) > rank(*best)))
      best = &m;
  if (!best) throw ModelError(problem.file.path + ": no method applies");
  return *best;
}

/// `space` says how far points are apart.
void fill_in_errors(std::vector<ComparedRun>& runs, const AnyMotion& space,
                    const AnyMotion::Point& truth) {
  const ComparedRun* before = nullptr;
  for (ComparedRun& run : runs) {
    run.order = std::nullopt;
    run.error = run.figures.ok() ? std::optional(distance(space, truth, run.final)) : std::nullopt;
    if (before && before->figures.method == run.figures.method && before->error && run.error &&
        *run.error > 0)
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

/// Halves the step until the reference's own error, estimated from its last halving, is a
/// hundredth of the smallest error seen, or no longer shrinks.
Reference find_reference(const Bench& bench, const Method& method, long steps,
                         std::vector<ComparedRun>& runs) {
  Reference best{.method = method.info().name, .error = std::numeric_limits<double>::infinity()};
  const AnyMotionPointer space = bench.motion(method);
  auto coarse = bench.run(method, steps);
  while (bench.go_on() && 2 * steps <= most_reference_steps) {
    steps *= 2;
    const auto fine = bench.run(method, steps);
    if (!fine.ok()) break;
    const double change = coarse.ok() ? distance(*space, fine.final, coarse.final) : best.error;
    if (!(change < best.error)) break;
    best.error = change;
    best.step = fine.step;
    fill_in_errors(runs, *space, fine.final);
    if (best.error < 0.01 * smallest_error(runs)) break;
    coarse = fine;
  }
  if (best.step == 0)
    throw ModelError("no reference: " + method.info().name + " failed: " + coarse.failure.text());
  return best;
}

struct Grid {
  double time;
  long steps;  ///< with the largest step
};

/// The model's step four times over, and no more than a thousand steps of the model's.
Grid choose_grid(const Problem& problem, const Method& first, const ComparisonWishes& wishes,
                 std::vector<std::string>& notes) {
  const Plan plan = make_plan(problem, {.method = first.info().name});
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
std::vector<Method> choose_methods(const Problem& problem, const ComparisonWishes& wishes,
                                   Comparison& result) {
  std::vector<Method> methods;
  for (const auto& name : wishes.methods) {
    try {
      methods.push_back(choose_method(problem, name, result.notes));
    } catch (const ModelError& error) {
      result.refused.push_back({name, error.what()});
    }
  }
  if (methods.empty()) throw ModelError(result.refused.front().reason);
  for (const Method& method : methods)
    if (claims_fibres(method.info()))
      result.notes.push_back(method.info().name +
                             " leaves momenta anywhere on their fibre: compared is the point of it "
                             "on {g,H} = 0");
  return methods;
}

void require_sensible(const ComparisonWishes& wishes) {
  if (wishes.methods.empty()) throw InputError("methods", "none was given");
  if (wishes.halvings < 0 || wishes.halvings > 20)
    throw InputError("halvings", "0 to 20, got " + std::to_string(wishes.halvings));
}

}  // namespace

Comparison compare(const Problem& problem, const ComparisonWishes& wishes,
                   const ComparisonWatch& watch) {
  require_sensible(wishes);
  Comparison result{.model = problem.system.name(), .notes = problem.notes};
  const std::vector<Method> methods = choose_methods(problem, wishes, result);
  const Grid grid = choose_grid(problem, methods.front(), wishes, result.notes);
  result.time = grid.time;
  const Bench bench(problem, grid.time, watch);

  const long all = static_cast<long>(methods.size()) * (wishes.halvings + 1);
  double seconds = 0;
  for (const Method& method : methods)
    for (int k = 0; k <= wishes.halvings && bench.go_on(); ++k) {
      result.runs.push_back(bench.measured(method, grid.steps << k));
      seconds += result.runs.back().figures.seconds;
      watch.done(std::ssize(result.runs), all, seconds);
    }
  if (bench.go_on())
    result.reference =
        find_reference(bench, best_reference(problem), grid.steps << wishes.halvings, result.runs);
  return result;
}

}  // namespace rattleback::study

#include "rattleback/integrators/ensemble.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cstdio>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/integrators/family.hpp"

namespace rattleback {

namespace detail {

void run_batches(long count, int threads, const std::function<void(long)>& body) {
  const auto all = [&] {
    tbb::parallel_for(
        tbb::blocked_range<long>(0, count, 1),
        [&](const tbb::blocked_range<long>& range) {
          for (long i = range.begin(); i < range.end(); ++i) body(i);
        },
        tbb::simple_partitioner());
  };
  if (threads <= 0) return all();
  if (threads == 1) {
    for (long i = 0; i < count; ++i) body(i);
    return;
  }
  // As many as asked for, also above the number of processors.
  const auto limit = tbb::global_control::max_allowed_parallelism;
  tbb::global_control allowed(limit, static_cast<std::size_t>(threads));
  tbb::task_arena(threads).execute(all);
}

std::string ensemble_summary(const EnsembleFigures& figures,
                             const std::vector<const RunFigures*>& copies, long alone) {
  double energy = 0, constraint = 0, hidden = 0;
  long failed = 0, stopped = 0, steps = 0;
  const RunFigures* first_failure = nullptr;
  std::size_t which = 0;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const RunFigures& c = *copies[i];
    energy = larger(energy, c.energy_error);
    constraint = larger(constraint, c.constraint);
    hidden = larger(hidden, c.hidden);
    steps += c.steps;
    failed += !c.ok();
    stopped += c.stopped;
    if (!c.ok() && !first_failure) first_failure = &c, which = i;
  }
  char text[1024];
  std::snprintf(text, sizeof text,
                "method             %s\n"
                "copies             %zu, of %ld steps each, h = %.9g\n"
                "energy             largest error %.3g\n"
                "constraint         max |g| = %.3g\n"
                "hidden constraint  max |{g,H}| = %.3g\n"
                "time taken         %.3g s (%.3g ns a step and copy)\n",
                figures.method.c_str(), copies.size(), figures.wanted, figures.step, energy,
                constraint, hidden, figures.seconds,
                steps > 0 ? 1e9 * figures.seconds / static_cast<double>(steps) : 0.0);
  std::string summary = text;
  if (stopped > 0) summary += "stopped            " + std::to_string(stopped) + " before the end\n";
  if (alone > 0) summary += "run alone          " + std::to_string(alone) + ", not in packs\n";
  if (first_failure)
    summary += "FAILED             " + std::to_string(failed) + ", the first is copy " +
               std::to_string(which) + ": " + first_failure->failure.text() + "\n";
  return summary;
}

}  // namespace detail

namespace {

using detail::Batch;

struct WithSolve {
  const Method& method;
  const SolveOptions& solve;
  template <class S>
  AnyStepperPointer<S> stepper(const AnySystem& system) const {
    return method.stepper<S>(system, solve);
  }
};

struct SystemsOfCopies {
  std::span<const AnySystem> systems;
  template <class S>
  auto in(const Batch& batch) const {
    if constexpr (std::is_same_v<S, double>) {
      return &systems[batch[0]];
    } else {
      std::vector<const AnySystem*> members;
      for (const long i : batch) members.push_back(&systems[i]);
      return std::optional(packed_system(members));
    }
  }
};

/// Systems of one shape fill one pack after another.
std::vector<Batch> batches_of_one_shape(std::span<const AnySystem> systems) {
  std::vector<Batch> batches;
  std::vector<std::size_t> open;  // the last batch of every shape
  for (long i = 0; i < std::ssize(systems); ++i) {
    const auto same = std::ranges::find_if(open, [&](std::size_t batch) {
      return same_shape(systems[batches[batch][0]], systems[i]);
    });
    if (same != open.end() && std::ssize(batches[*same]) < ScalarTraits<Pack>::lanes) {
      batches[*same].push_back(i);
      continue;
    }
    if (same == open.end())
      open.push_back(batches.size());
    else
      *same = batches.size();
    batches.push_back({i});
  }
  return batches;
}

}  // namespace

Ensemble<dynamic> integrate_ensemble(std::span<const AnySystem> systems, const Method& method,
                                     const std::vector<State<double>>& starts,
                                     const EnsembleOptions<State<double>>& options,
                                     const SolveOptions& solve) {
  if (systems.size() != starts.size())
    throw InputError("systems", "there are " + std::to_string(starts.size()) + " starts and " +
                                    std::to_string(systems.size()) + " systems");
  if (method.info().varies_steps)
    throw ModelError("method " + method.info().name +
                     " varies its steps, and copies that run together have the same ones; run them "
                     "one by one");
  detail::EnsembleRunner<dynamic> runner(starts, options, method.info().name);
  return runner.run<Pack>(WithSolve{method, solve}, SystemsOfCopies{systems},
                          batches_of_one_shape(systems));
}

}  // namespace rattleback

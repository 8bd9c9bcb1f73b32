#include "rattleback/integrators/ensemble.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cstdio>

namespace rattleback::detail {

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
  // As many as asked for, also above the number of processors.
  const auto limit = tbb::global_control::max_allowed_parallelism;
  tbb::global_control allowed(limit, static_cast<std::size_t>(threads));
  tbb::task_arena(threads).execute(all);
}

std::string ensemble_summary(const EnsembleFigures& figures,
                             const std::vector<const CopyFigures*>& copies) {
  double energy = 0, constraint = 0, hidden = 0;
  long failed = 0, alone = 0, stopped = 0, steps = 0;
  const CopyFigures* first_failure = nullptr;
  std::size_t which = 0;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const CopyFigures& c = *copies[i];
    energy = larger(energy, c.energy_error);
    constraint = larger(constraint, c.constraint);
    hidden = larger(hidden, c.hidden);
    steps += c.steps;
    failed += !c.ok();
    alone += c.alone;
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
  if (alone > 0)
    summary += "run alone          " + std::to_string(alone) + ", because a pack failed\n";
  if (first_failure)
    summary += "FAILED             " + std::to_string(failed) + ", the first is copy " +
               std::to_string(which) + ": " + first_failure->failure + "\n";
  return summary;
}

}  // namespace rattleback::detail

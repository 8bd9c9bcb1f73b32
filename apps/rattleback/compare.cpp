#include <algorithm>
#include <cstdio>

#include "compare_output.hpp"
#include "exit_code.hpp"
#include "picture.hpp"
#include "progress_bar.hpp"
#include "rattleback/study/load.hpp"
#include "rattleback/study/verdict.hpp"
#include "signals.hpp"
#include "verbs.hpp"

namespace rattleback::app {

namespace {

Comparison compare_with_bar(const Problem& problem, const CompareRequest& request) {
  ProgressBar bar("runs", !request.quiet);
  return study::compare(problem, request,
                        {.go_on = [] { return caught_signal() == 0; },
                         .done =
                             [&](long done, long all, double seconds) {
                               bar.show(static_cast<double>(done), static_cast<double>(all),
                                        seconds);
                             }});
}

}  // namespace

int compare(const CompareRequest& request) {
  if (!request.plot.empty()) require_picture(request.plot);
  catch_signals();
  ModelFile model = load(request.file, request.settings);
  if (model.mechanism)
    throw InputError(request.file, "compare takes no models of bodies and joints yet; run does");
  Problem problem = prepare(std::move(model));
  require_well_posed(problem);
  const Comparison result = compare_with_bar(problem, request);
  std::fputs(request.json ? (comparison_json(result).text() + "\n").c_str()
                          : comparison_text(result).c_str(),
             stdout);
  std::fflush(stdout);
  if (!request.plot.empty()) draw_comparison(result, request.plot);
  if (caught_signal() != 0) return signalled + caught_signal();
  const bool all_failed =
      std::ranges::none_of(result.runs, [](const ComparedRun& run) { return run.figures.ok(); });
  return all_failed ? integration_failed : done;
}

}  // namespace rattleback::app

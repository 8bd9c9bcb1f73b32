#include <algorithm>
#include <cstdio>
#include <utility>

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

Comparison compare_with_bar(ModelFile model, const CompareRequest& request) {
  ProgressBar bar("runs", !request.quiet);
  const study::ComparisonWatch watch{.go_on = [] { return caught_signal() == 0; },
                                     .done =
                                         [&](long done, long all, double seconds) {
                                           bar.show(static_cast<double>(done),
                                                    static_cast<double>(all), seconds);
                                         }};
  if (model.mechanism) return study::compare_mechanism(model, request, watch);
  Problem problem = prepare(std::move(model));
  require_well_posed(problem);
  return study::compare(problem, request, watch);
}

}  // namespace

int compare(const CompareRequest& request) {
  if (!request.plot.empty()) require_picture(request.plot);
  catch_signals();
  const Comparison result = compare_with_bar(load(request.file, request.settings), request);
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

// A model file from C++: what it is, how it is best run, and the run; what the program does with
// `rattleback run examples/pendulum.toml --set g0=2 --time 100`.
#include <iostream>
#include <rattleback/study.hpp>

int main(int argc, char** argv) {
  namespace study = rattleback::study;
  const char* file = argc > 1 ? argv[1] : "examples/pendulum.toml";
  study::Problem problem = study::prepare(study::load(file, {{"g0", "2"}}));
  std::cout << study::analysis_of(problem).text();
  study::require_well_posed(problem);
  const study::Plan plan = study::make_plan(problem, {.method = "auto", .time = 100});
  for (const auto& note : plan.notes) std::cout << "chosen: " << note << '\n';
  const study::FinishedRun run = study::run(problem, plan);
  std::cout << run.summary();
  return run.ok() ? 0 : 1;
}

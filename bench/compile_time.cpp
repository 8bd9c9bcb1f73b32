// How long the smallest program of the manual takes to compile, optimised, in processor time.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "figures.hpp"

namespace {

constexpr const char* smallest_program = R"(#include <rattleback/rattleback.hpp>
#include <iostream>
int main() {
  namespace rb = rattleback;
  auto pendulum = rb::natural_system(rb::mass(1.0, 1.0),
      [](const auto& q) { return q[1]; },
      [](const auto& q) { return (q.squaredNorm() - 1) / 2; });
  auto start = rb::consistent(pendulum, {.q = {1, 0}, .p = {0, -2}});
  auto run = rb::integrate(pendulum, rb::Rattle{}, start, {.step = 0.01, .steps = 1'000'000});
  std::cout << run.summary();
}
)";

double processor_seconds_of_children() {
  rusage use{};
  getrusage(RUSAGE_CHILDREN, &use);
  return static_cast<double>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

double compile() {
  namespace fs = std::filesystem;
  const fs::path source = fs::temp_directory_path() / "rattleback_smallest_program.cpp";
  std::ofstream(source) << smallest_program;
  const std::string command =
      std::string(RATTLEBACK_BENCH_COMPILE) + " -o /dev/null " + source.string();
  const double before = processor_seconds_of_children();
  const int failed = std::system(command.c_str());
  const double t = processor_seconds_of_children() - before;
  fs::remove(source);
  return failed ? std::nan("") : t;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Figures figures;
  figures.add({.name = "compile the smallest program",
               .ours = compile,
               .against = [] { return 6.0; },  // what we allow ourselves
               .goal = 1,
               .repetitions = 4,
               .unit = 1,
               .unit_name = "s"});
  return figures.run(argc, argv);
}

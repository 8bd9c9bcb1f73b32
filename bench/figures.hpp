// Figures of ./dev bench. A figure compares ours with something else in the same run: both are
// Google benchmarks, repeated in random order, and the minimum of each counts (the machine is
// rarely idle). Prints `figure | ours | against | ratio | goal | ok` (or `short`) per figure.
#pragma once

#include <benchmark/benchmark.h>
#include <time.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace bench {

inline double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
/// Seconds that work() takes on this thread.
template <class Work>
double seconds(Work&& work) {
  const double start = thread_seconds();
  work();
  return thread_seconds() - start;
}

/// One side: does the work once and returns the seconds per unit (a step, a link and step).
using Measure = std::function<double()>;

struct Figure {
  std::string name;
  Measure ours, against;
  double goal;
  bool faster = false;  ///< ratio = against/ours, at least goal; else ours/against, at most goal
  int repetitions = 9;
  double unit = 1e9;  ///< how many of what is printed are a second
  std::string unit_name = "ns";
};

class Figures {
 public:
  void add(Figure figure) { figures_.push_back(std::move(figure)); }

  /// Arguments: names, or starts of names, of figures; none for all.
  int run(int argc, char** argv) {
    std::vector<std::string> wanted(argv + 1, argv + argc);
    std::vector<std::string> options{argv[0], "--benchmark_enable_random_interleaving=true"};
    const bool verbose = std::erase(wanted, "--verbose") > 0;
    std::vector<const Figure*> chosen;
    for (const Figure& f : figures_)
      if (wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const std::string& w) {
            return f.name.rfind(w, 0) == 0;
          }))
        chosen.push_back(&f);
    for (const Figure* f : chosen) register_sides(*f);
    std::vector<char*> raw;
    for (std::string& o : options) raw.push_back(o.data());
    int count = static_cast<int>(raw.size());
    benchmark::Initialize(&count, raw.data());
    Reporter reporter(verbose);
    if (!chosen.empty()) benchmark::RunSpecifiedBenchmarks(&reporter);
    for (const Figure* f : chosen) print(*f, reporter);
    return 0;
  }

 private:
  /// Keeps the minimum of every benchmark.
  class Reporter : public benchmark::ConsoleReporter {
   public:
    explicit Reporter(bool verbose) : ConsoleReporter(OO_Tabular), verbose_(verbose) {}
    bool ReportContext(const Context& context) override {
      return verbose_ ? ConsoleReporter::ReportContext(context) : true;
    }
    void ReportRuns(const std::vector<Run>& runs) override {
      if (verbose_) ConsoleReporter::ReportRuns(runs);
      for (const Run& run : runs) {
        if (run.run_type != Run::RT_Iteration) continue;
        const std::string& name = run.run_name.function_name;
        const double t = run.real_accumulated_time / static_cast<double>(run.iterations);
        auto [at, fresh] = least_.try_emplace(name, t);
        if (!fresh) at->second = std::min(at->second, t);
      }
    }
    double least(const std::string& name) const {
      const auto at = least_.find(name);
      return at == least_.end() ? std::nan("") : at->second;
    }

   private:
    bool verbose_;
    std::map<std::string, double> least_;
  };

  static void register_sides(const Figure& f) {
    const auto side = [&](const char* which, const Measure& measure) {
      benchmark::RegisterBenchmark((f.name + "/" + which).c_str(),
                                   [measure](benchmark::State& state) {
                                     for (auto _ : state) state.SetIterationTime(measure());
                                   })
          ->UseManualTime()
          ->Iterations(1)
          ->Repetitions(f.repetitions);
    };
    side("ours", f.ours);
    side("against", f.against);
  }
  static void print(const Figure& f, const Reporter& reporter) {
    const double ours = reporter.least(f.name + "/ours"),
                 against = reporter.least(f.name + "/against");
    const double ratio = f.faster ? against / ours : ours / against;
    const bool ok = f.faster ? ratio >= f.goal : ratio <= f.goal;
    std::printf("%s | %.4g %s | %.4g %s | %.3g | %s%g | %s\n", f.name.c_str(), ours * f.unit,
                f.unit_name.c_str(), against * f.unit, f.unit_name.c_str(), ratio,
                f.faster ? ">= " : "<= ", f.goal, ok ? "ok" : "short");
    std::fflush(stdout);
  }

  std::vector<Figure> figures_;
};

}  // namespace bench

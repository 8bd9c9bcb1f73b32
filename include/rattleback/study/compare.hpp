// Several methods over several steps on one problem: errors against a reference that is better than
// they are, orders, and what each run costs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/integrators/run.hpp"
#include "rattleback/study/counting.hpp"
#include "rattleback/study/problem.hpp"

namespace rattleback::study {

struct ComparisonWishes {
  std::vector<std::string> methods;
  std::optional<double> step;      ///< the largest; standard: four times that of the model
  std::optional<double> time;      ///< standard: that of the model, at most a thousand of its steps
  int halvings = 4;                ///< of the step
  std::optional<double> accuracy;  ///< an error that the cheapest method is wanted for
};

struct ComparedRun {
  RunFigures figures;
  std::vector<double> final;
  Evaluations evaluations;
  /// Largest difference from the reference at the end. A method that leaves its momenta anywhere on
  /// the fibre claims that fibre, and is measured by the point of it on {g, H} = 0.
  std::optional<double> error;
  std::optional<double> order;  ///< from the step before
};

struct Reference {
  std::string method;
  double step = 0;
  double error = 0;  ///< its own: what its last halving changed
};

/// The cheapest way to an error, read off the runs: between two of them by their slope.
struct Recommended {
  std::string method;
  double step = 0, seconds = 0;
};

/// A method that cannot run this problem.
struct NotCompared {
  std::string method, reason;
};

struct Comparison {
  std::string model;
  double time = 0;
  Reference reference{};
  std::vector<ComparedRun> runs{};
  std::vector<NotCompared> refused{};
  std::optional<double> accuracy{};          ///< that was wanted
  std::optional<Recommended> recommended{};  ///< nothing where no run gets there
  std::vector<std::string> notes{};
};

/// Asked during runs; false ends the comparison with what there is.
struct ComparisonWatch {
  std::function<bool()> go_on = [] { return true; };
  /// Of so many runs so many are done, in so many seconds.
  std::function<void(long done, long all, double seconds)> done = [](long, long, double) {};
};

/// Nothing where no run reaches that error.
std::optional<Recommended> cheapest(const std::vector<ComparedRun>& runs, double accuracy);

/// The problem is well posed (see require_well_posed). Throws InputError for unknown methods, and
/// ModelError where none applies or there is no reference.
Comparison compare(const Problem& problem, const ComparisonWishes& wishes,
                   const ComparisonWatch& watch = {});
/// Of a model of bodies and joints. Errors are turns, shifts and momenta. Throws ModelError where
/// its joints or velocities do not fit, too.
Comparison compare_mechanism(const ModelFile& file, const ComparisonWishes& wishes,
                             const ComparisonWatch& watch = {});

}  // namespace rattleback::study

// Which curves the first panel of a picture shows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rattleback/report/plot.hpp"

namespace rattleback::detail {

constexpr std::size_t most_curves = 6;

/// A column of a field, a multiplier, or the time.
struct Series {
  static constexpr int time = -1, multiplier = -2;
  int field = time, column = 0;

  double operator()(const RunData& run, long row) const {
    if (field == time) return run.time[static_cast<std::size_t>(row)];
    if (field == multiplier) return run.multipliers(row, column);
    return run.fields[static_cast<std::size_t>(field)](row, column);
  }
};

/// One curve, or one for each point of a family.
struct Curves {
  std::vector<std::string> labels;          // of the axes
  std::vector<std::vector<Series>> curves;  // series per axis
  std::vector<std::string> names;           // of the curves, where there are several

  bool solid() const { return labels.size() == 3; }
  bool several() const { return curves.size() > 1; }
  /// Columns of the first field only: these are drawn to scale.
  bool lengths() const;
};

/// Those of the options, else what the labels of the first field suggest. Throws InputError.
Curves choose_curves(const RunHeader& run, const PlotOptions& options);

}  // namespace rattleback::detail

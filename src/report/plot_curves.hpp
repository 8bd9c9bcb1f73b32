// Which curves the first panel of a picture shows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rattleback/report/plot.hpp"

namespace rattleback::detail {

constexpr std::size_t most_curves = 6;

/// A column of the run.
struct Series {
  enum class Kind { time, position, momentum } kind = Kind::time;
  int index = 0;

  double operator()(const RunData& run, long row) const {
    switch (kind) {
      case Kind::position:
        return run.q(row, index);
      case Kind::momentum:
        return run.p(row, index);
      default:
        return run.time[static_cast<std::size_t>(row)];
    }
  }
};

/// One curve, or one for each point of a family.
struct Curves {
  std::vector<std::string> labels;          // of the axes
  std::vector<std::vector<Series>> curves;  // series per axis
  std::vector<std::string> names;           // of the curves, where there are several

  bool solid() const { return labels.size() == 3; }
  bool several() const { return curves.size() > 1; }
  /// Positions only: these are drawn to scale.
  bool lengths() const;
};

/// Those of the options, else what the names of the coordinates suggest. Throws InputError.
Curves choose_curves(const RunData& run, const PlotOptions& options);

}  // namespace rattleback::detail

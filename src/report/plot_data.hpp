// The numbers of a picture: ranges, and runs of any length thinned to what it can show.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <vector>

#include "plot_curves.hpp"

namespace rattleback::detail {

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double x) {
    if (!std::isfinite(x)) return;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  bool empty() const { return !(low <= high); }
  double size() const { return high - low; }
  /// With some air, and never a single value.
  Range padded(double part) const;
};

/// The drawn points of a curve, the last one among them, a column per axis.
Table curve_points(const RunData& run, const std::vector<Series>& axes);
/// Its first and last one.
Table curve_ends(const RunData& run, const std::vector<Series>& axes);
/// Of each axis, over all curves and all rows, with some air.
std::vector<Range> axis_ranges(const RunData& run, const Curves& curves);
/// Whether drawn neighbours are so far apart that a line between them says nothing.
bool scattered(const RunData& run, const Curves& curves);

/// Of the values in each column of a plot over time.
std::vector<Range> column_ranges(const std::vector<double>& values);
/// Where column i is drawn: where it begins, the last one at the end of the run.
double column_time(const RunData& run, std::size_t i);

/// The decades of a logarithmic axis. What is below them, zeros too, lies on the lower edge, which
/// is then called 0: a few values far below the rest do not squeeze the picture.
struct Decades {
  int low = -17, high = -15;
  bool below = false;

  explicit Decades(std::initializer_list<const std::vector<double>*> drawn);
};

}  // namespace rattleback::detail

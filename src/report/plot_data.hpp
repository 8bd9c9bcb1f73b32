// The numbers of a picture: runs of any length thinned to what it can show, in one pass over their
// rows and in constant memory.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
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
  void add(const Range& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
  bool empty() const { return !(low <= high); }
  double size() const { return high - low; }
  /// With some air, and never a single value.
  Range padded(double part) const;
};

/// Values over time by columns of the picture, as many rows in each: the least and the greatest, so
/// that no peak is lost. Too many columns become half as many, two by two.
class TimeColumns {
 public:
  enum Value { energy_error, constraint, hidden, count };
  struct Column {
    double time;  ///< of its first row; of the last column, of its last
    std::array<Range, count> values;
  };

  void add(double time, const std::array<double, count>& values);
  const std::vector<Column>& all() const { return columns_; }

 private:
  std::vector<Column> columns_;
  long rows_ = 1, in_last_ = 0;  // in a column, in the last one
  double begin_ = 0;             // of the last one
};

/// A curve: every so many-th row, twice as many whenever there are too many, and the rows where an
/// axis is least or greatest.
class CurvePoints {
 public:
  explicit CurvePoints(std::size_t axes) : last_(axes), extremes_(2 * axes), ranges_(axes) {}

  void add(long row, const std::vector<double>& point);
  /// The drawn points, the last one among them, a column per axis.
  Table drawn() const;
  /// The first and the last one.
  Table ends() const;
  /// Over all rows.
  const std::vector<Range>& ranges() const { return ranges_; }
  /// From one drawn point to the next.
  long stride() const { return stride_; }
  /// Their usual distance, and the size of what is drawn, both summed over the axes.
  double usual_jump() const;
  double size() const;

 private:
  struct Extreme {
    long row = -1;
    std::vector<double> point;
  };
  std::size_t axes() const { return ranges_.size(); }
  long count() const { return static_cast<long>(points_.size() / axes()); }

  std::vector<double> points_, last_;
  std::vector<Extreme> extremes_;  // least and greatest of each axis
  std::vector<Range> ranges_;
  long stride_ = 1, last_row_ = -1;
};

/// All that is drawn of a run.
class PlotData {
 public:
  /// Throws InputError where there are no such axes.
  PlotData(const RunHeader& header, const PlotOptions& options);
  /// The next rows.
  void add(const RunData& rows);

  const RunHeader& header() const { return header_; }
  const Curves& curves() const { return curves_; }
  long rows() const { return rows_; }
  const std::vector<CurvePoints>& points() const { return points_; }
  const std::vector<TimeColumns::Column>& columns() const { return columns_.all(); }
  const Range& times() const { return times_; }
  const Range& energy_error() const { return energy_error_; }
  /// Of each axis, over all curves and all rows, with some air.
  std::vector<Range> axis_ranges() const;
  /// Whether drawn neighbours are so far apart that a line between them says nothing.
  bool scattered() const;

 private:
  RunHeader header_;
  Curves curves_;
  long rows_ = 0;
  double first_energy_ = 0;
  std::vector<CurvePoints> points_;
  TimeColumns columns_;
  Range times_, energy_error_;
};

/// The decades of a logarithmic axis. What is below them, zeros too, lies on the lower edge, which
/// is then called 0: a few values far below the rest do not squeeze the picture.
struct Decades {
  int low = -17, high = -15;
  bool below = false;

  explicit Decades(const std::vector<double>& drawn);
};

}  // namespace rattleback::detail

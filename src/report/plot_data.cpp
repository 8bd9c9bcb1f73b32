#include "plot_data.hpp"

namespace rattleback::detail {

namespace {

constexpr long most_points = 12'000;  // of a curve
constexpr long most_columns = 800;    // of a plot over time

/// Rows from one of at most so many to the next.
long stride(long rows, long most) { return std::max(1L, (rows + most - 1) / most); }

void add_row(Table& table, const RunData& run, const std::vector<Series>& axes, long row) {
  for (const Series& s : axes) table.values.push_back(s(run, row));
  ++table.rows;
}

}  // namespace

Range Range::padded(double part) const {
  if (empty()) return {-1, 1};
  double air = part * size();
  const double least = 1e-12 * std::max(std::abs(low), std::abs(high));
  if (!(air > least)) air = std::max({std::abs(low), std::abs(high), 1.0}) * 0.5;
  return {low - air, high + air};
}

Table curve_points(const RunData& run, const std::vector<Series>& axes) {
  Table points{0, static_cast<int>(axes.size()), {}};
  const long step = stride(run.rows(), most_points);
  for (long row = 0; row < run.rows(); row += step) add_row(points, run, axes, row);
  if ((run.rows() - 1) % step != 0) add_row(points, run, axes, run.rows() - 1);
  return points;
}

Table curve_ends(const RunData& run, const std::vector<Series>& axes) {
  Table ends{0, static_cast<int>(axes.size()), {}};
  for (long row : {0L, run.rows() - 1}) add_row(ends, run, axes, row);
  return ends;
}

std::vector<Range> axis_ranges(const RunData& run, const Curves& curves) {
  std::vector<Range> ranges(curves.labels.size());
  for (const auto& axes : curves.curves)
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      for (long row = 0; row < run.rows(); ++row) ranges[axis].add(axes[axis](run, row));
  for (Range& range : ranges) range = range.padded(0.06);
  return ranges;
}

bool scattered(const RunData& run, const Curves& curves) {
  const long step = stride(run.rows(), most_points);
  double jumps = 0, size = 0;
  long count = 0;
  for (const auto& axes : curves.curves)
    for (const Series& s : axes) {
      Range range;
      for (long row = 0; row < run.rows(); row += step) {
        range.add(s(run, row));
        const double jump = row > 0 ? std::abs(s(run, row) - s(run, row - step)) : NAN;
        if (std::isfinite(jump)) jumps += jump, ++count;
      }
      size += range.empty() ? 0 : range.size();
    }
  const auto series = static_cast<double>(curves.curves.size() * curves.labels.size());
  const double usual = jumps / static_cast<double>(std::max(count, 1L)) * series;
  return run.rows() > 50 && usual > (step > 1 ? 0.02 : 0.2) * size;
}

std::vector<Range> column_ranges(const std::vector<double>& values) {
  const auto rows = static_cast<long>(values.size()), step = stride(rows, most_columns);
  std::vector<Range> ranges;
  for (long row = 0; row < rows; row += step) {
    Range& range = ranges.emplace_back();
    for (long k = row; k < std::min(row + step, rows); ++k)
      range.add(values[static_cast<std::size_t>(k)]);
  }
  return ranges;
}

double column_time(const RunData& run, std::size_t i) {
  const auto step = static_cast<std::size_t>(stride(run.rows(), most_columns));
  return (i + 1) * step < run.time.size() ? run.time[i * step] : run.time.back();
}

Decades::Decades(std::initializer_list<const std::vector<double>*> drawn) {
  std::vector<double> positive;
  for (const auto* values : drawn)
    for (double v : *values)
      if (v > 0 && std::isfinite(v)) positive.push_back(v);
  std::sort(positive.begin(), positive.end());
  if (!positive.empty()) {
    low = static_cast<int>(std::floor(std::log10(positive[positive.size() / 50])));
    high = static_cast<int>(std::ceil(std::log10(positive.back()) + 0.1));
  }
  high = std::max(high, low + 2);
  for (const auto* values : drawn)
    for (double v : *values) below = below || v < std::pow(10.0, low);
  low -= below;
}

}  // namespace rattleback::detail

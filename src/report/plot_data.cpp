#include "plot_data.hpp"

namespace rattleback::detail {

namespace {

constexpr long most_points = 12'000;  // of a curve
constexpr long most_columns = 800;    // of a plot over time

}  // namespace

Range Range::padded(double part) const {
  if (empty()) return {-1, 1};
  double air = part * size();
  const double least = 1e-12 * std::max(std::abs(low), std::abs(high));
  if (!(air > least)) air = std::max({std::abs(low), std::abs(high), 1.0}) * 0.5;
  return {low - air, high + air};
}

// ---- over time ---------------------------------------------------------------------------------

void TimeColumns::add(double time, const std::array<double, count>& values) {
  if (columns_.empty() || in_last_ == rows_) {
    if (!columns_.empty()) columns_.back().time = begin_;
    if (std::ssize(columns_) == most_columns) {
      for (std::size_t i = 0; 2 * i + 1 < columns_.size(); ++i) {
        Column& joined = columns_[i] = columns_[2 * i];
        for (int k = 0; k < count; ++k) joined.values[k].add(columns_[2 * i + 1].values[k]);
      }
      columns_.resize(columns_.size() / 2);
      rows_ *= 2;
    }
    columns_.push_back({});
    in_last_ = 0;
    begin_ = time;
  }
  Column& last = columns_.back();
  last.time = time;
  ++in_last_;
  for (int k = 0; k < count; ++k) last.values[k].add(values[k]);
}

// ---- curves ------------------------------------------------------------------------------------

void CurvePoints::add(long row, const std::vector<double>& point) {
  for (std::size_t axis = 0; axis < axes(); ++axis) {
    const Range before = ranges_[axis];
    ranges_[axis].add(point[axis]);
    if (ranges_[axis].low < before.low) extremes_[2 * axis] = {row, point};
    if (ranges_[axis].high > before.high) extremes_[2 * axis + 1] = {row, point};
  }
  last_ = point;
  last_row_ = row;
  if (row % stride_ != 0) return;
  if (count() == most_points) {
    for (long i = 0; 2 * i < count(); ++i)
      for (std::size_t k = 0; k < axes(); ++k)
        points_[i * axes() + k] = points_[2 * i * axes() + k];
    points_.resize(points_.size() / 2);
    stride_ *= 2;
    if (row % stride_ != 0) return;
  }
  points_.insert(points_.end(), point.begin(), point.end());
}

Table CurvePoints::drawn() const {
  std::vector<Extreme> more = extremes_;
  more.push_back({last_row_, last_});
  std::erase_if(more, [&](const Extreme& e) { return e.row < 0 || e.row % stride_ == 0; });
  std::ranges::sort(more, {}, &Extreme::row);
  const auto same = std::ranges::unique(more, {}, &Extreme::row);
  more.erase(same.begin(), same.end());
  Table table{count() + std::ssize(more), static_cast<int>(axes()), {}};
  auto next = more.begin();
  for (long i = 0; i < count(); ++i) {
    const auto at = points_.begin() + i * static_cast<long>(axes());
    table.values.insert(table.values.end(), at, at + static_cast<long>(axes()));
    for (; next != more.end() && next->row < (i + 1) * stride_; ++next)
      table.values.insert(table.values.end(), next->point.begin(), next->point.end());
  }
  return table;
}

Table CurvePoints::ends() const {
  Table table{2, static_cast<int>(axes()), {points_.begin(), points_.begin() + std::ssize(last_)}};
  table.values.insert(table.values.end(), last_.begin(), last_.end());
  return table;
}

double CurvePoints::usual_jump() const {
  double sum = 0;
  for (std::size_t k = 0; k < axes(); ++k) {
    double jumps = 0;
    long finite = 0;
    for (std::size_t i = axes() + k; i < points_.size(); i += axes())
      if (const double jump = std::abs(points_[i] - points_[i - axes()]); std::isfinite(jump))
        jumps += jump, ++finite;
    sum += jumps / static_cast<double>(std::max(finite, 1L));
  }
  return sum;
}

double CurvePoints::size() const {
  double sum = 0;
  for (std::size_t k = 0; k < axes(); ++k) {
    Range range;
    for (std::size_t i = k; i < points_.size(); i += axes()) range.add(points_[i]);
    sum += range.empty() ? 0 : range.size();
  }
  return sum;
}

// ---- the run -----------------------------------------------------------------------------------

PlotData::PlotData(const RunHeader& header, const PlotOptions& options)
    : header_(header),
      curves_(choose_curves(header, options)),
      points_(curves_.curves.size(), CurvePoints(curves_.labels.size())) {}

void PlotData::add(const RunData& rows) {
  std::vector<double> point(curves_.labels.size());
  for (long i = 0; i < rows.rows(); ++i, ++rows_) {
    const auto at = static_cast<std::size_t>(i);
    if (rows_ == 0) first_energy_ = rows.energy[at];
    const double error = rows.energy[at] - first_energy_;
    times_.add(rows.time[at]);
    energy_error_.add(error);
    columns_.add(rows.time[at], {error, rows.constraint[at], rows.hidden[at]});
    for (std::size_t c = 0; c < points_.size(); ++c) {
      for (std::size_t k = 0; k < point.size(); ++k) point[k] = curves_.curves[c][k](rows, i);
      points_[c].add(rows_, point);
    }
  }
}

std::vector<Range> PlotData::axis_ranges() const {
  std::vector<Range> ranges(curves_.labels.size());
  for (const CurvePoints& curve : points_)
    for (std::size_t axis = 0; axis < ranges.size(); ++axis) ranges[axis].add(curve.ranges()[axis]);
  for (Range& range : ranges) range = range.padded(0.06);
  return ranges;
}

bool PlotData::scattered() const {
  double jump = 0, size = 0;
  for (const CurvePoints& curve : points_) jump += curve.usual_jump(), size += curve.size();
  return rows_ > 50 && jump > (points_[0].stride() > 1 ? 0.02 : 0.2) * size;
}

Decades::Decades(const std::vector<double>& drawn) {
  std::vector<double> positive;
  for (double v : drawn)
    if (v > 0 && std::isfinite(v)) positive.push_back(v);
  std::sort(positive.begin(), positive.end());
  if (!positive.empty()) {
    low = static_cast<int>(std::floor(std::log10(positive[positive.size() / 50])));
    high = static_cast<int>(std::ceil(std::log10(positive.back()) + 0.1));
  }
  high = std::max(high, low + 2);
  for (double v : drawn) below = below || v < std::pow(10.0, low);
  low -= below;
}

}  // namespace rattleback::detail

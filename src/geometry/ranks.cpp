#include "ranks.hpp"

#include <algorithm>
#include <limits>

namespace rattleback::detail {

std::vector<SizedRow> equilibrated(const std::vector<SizedRow>& rows, int columns, double tolerance,
                                   bool symmetric, const std::vector<double>& column_scale) {
  const auto unit = [&](int j) { return column_scale.empty() ? 1.0 : column_scale[j]; };
  std::vector<double> factor(rows.size(), 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double largest = 0;
    for (const auto& [j, x] : rows[i])
      if (j < columns) largest = std::max(largest, std::abs(x.value) * unit(j));
    // A row of round-off stays one: its own size is the measure then.
    for (const auto& [j, x] : rows[i])
      if (j < columns) largest = std::max(largest, tolerance * x.size * unit(j));
    if (largest > 0) factor[i] = 1 / (symmetric ? std::sqrt(largest) : largest);
  }
  std::vector<SizedRow> result(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const auto& [j, x] : rows[i]) {
      if (j >= columns || x.ratio() <= tolerance) continue;
      const double f = factor[i] * unit(j) * (symmetric ? factor[j] : 1);
      result[i].emplace(j, Sized(x.value * f, x.size * f));
    }
  return result;
}

void RankFinder::add(const std::vector<SizedRow>& rows, int columns, const Elimination& elimination,
                     bool is_start, const std::vector<double>& column_scale) {
  int rank = elimination.rank();
  const double infinity = std::numeric_limits<double>::infinity();
  const double dropped = elimination.most_dropped();
  double gap = dropped > 0 ? elimination.least_kept() / dropped : infinity;
  double smallest = rank > 0 ? elimination.least_kept() : 0;
  if (static_cast<int>(rows.size()) <= most_dense && rank > 0) {
    const auto sigma = singular_values(
        equilibrated(rows, columns, decision_.tolerance, false, column_scale), columns);
    smallest = sigma[rank - 1] / sigma[0];
    const double next = rank < static_cast<int>(sigma.size()) ? sigma[rank] / sigma[0] : 0;
    gap = next > 0 ? smallest / next : infinity;
  }
  if (is_start) decision_.at_start = rank;
  const bool fresh = decision_.gap == 0 && decision_.rank == 0;
  if (!fresh && rank < decision_.rank) return;
  if (fresh || rank > decision_.rank) {
    decision_.rank = rank;
    decision_.gap = gap;
    decision_.smallest = smallest;
  } else {
    decision_.gap = std::min(decision_.gap, gap);
    decision_.smallest = std::min(decision_.smallest, smallest);
  }
}

}  // namespace rattleback::detail

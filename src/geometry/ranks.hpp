// One rank from several sample points, with its gap.
#pragma once

#include "elimination.hpp"
#include "rattleback/geometry/dirac.hpp"

namespace rattleback::detail {

class RankFinder {
 public:
  static constexpr int most_dense = 40;  ///< rows; singular values of more take too long

  RankFinder(std::string what, int rows, double tolerance) {
    decision_.what = std::move(what);
    decision_.rows = rows;
    decision_.tolerance = tolerance;
  }
  /// column_scale: units of the columns, none for 1.
  void add(const std::vector<SizedRow>& rows, int columns, const Elimination& elimination,
           bool is_start, const std::vector<double>& column_scale = {});
  const RankDecision& decision() const { return decision_; }

 private:
  RankDecision decision_;
};

/// Rows divided by the size of their entries (symmetric: columns too), round-off set to zero.
std::vector<SizedRow> equilibrated(const std::vector<SizedRow>& rows, int columns, double tolerance,
                                   bool symmetric, const std::vector<double>& column_scale = {});

}  // namespace rattleback::detail

// A largest set of independent rows of a large sparse matrix, from the LDL^T of R R^T with rows of
// unit length: there nothing grows, however many rows depend on others, and a pivot is the squared
// sine of the angle between a row and those before it.
#pragma once

#include <utility>
#include <vector>

#include "rattleback/solve/sparse_row.hpp"

namespace rattleback {

struct IndependentRows {
  std::vector<int> kept, dependent;  ///< ascending
  double least_kept = 1;             ///< squared sine, of the rows kept last
  double most_dropped = 0;
};

/// Rows that are nearly dependent are looked at last, in the order of their pivots, so that what is
/// kept is well conditioned; of parallel rows the first is kept. Squared sines below `zero` are
/// zero. A row without entries depends on the others.
IndependentRows independent_rows(const std::vector<SparseRow>& rows, double zero = 1e-12);

/// Row `row` as the combination of the kept ones nearest to it, without factors that are round-off.
std::vector<std::pair<int, double>> combination(const std::vector<SparseRow>& rows,
                                                const std::vector<int>& kept, int row);

}  // namespace rattleback

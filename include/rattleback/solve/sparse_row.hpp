// A row of a sparse matrix as the list of its nonzeros.
#pragma once

#include <utility>
#include <vector>

namespace rattleback {

/// (column, value), columns ascending
using SparseRow = std::vector<std::pair<int, double>>;

inline double product(const SparseRow& a, const SparseRow& b) {
  double sum = 0;
  auto x = a.begin(), y = b.begin();
  while (x != a.end() && y != b.end()) {
    if (x->first < y->first)
      ++x;
    else if (y->first < x->first)
      ++y;
    else
      sum += x++->second * y++->second;
  }
  return sum;
}

}  // namespace rattleback

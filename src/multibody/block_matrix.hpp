// Square matrices of small blocks: the pattern is symmetric, the numbers need not be. Units, which
// are joints and some bodies, are grouped to nodes, and nodes eliminated without pivoting between
// them, in an order chosen once: of a tree leaves first, without fill beyond the joints that meet
// at one body.
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "rattleback/problem/scalar.hpp"
#include "rattleback/solve/thresholds.hpp"

namespace rattleback {

/// Which blocks there are, where they stand in memory, and what eliminating does to them.
class BlockPattern {
 public:
  struct Neighbour {
    int row, size;
    std::size_t right, below;  ///< blocks (pivot, node) and (node, pivot)
  };
  struct Pivot {
    int node;
    int row, size;
    std::size_t diagonal;
    std::size_t first, last;  ///< of neighbours() that are eliminated later
    std::size_t targets;      ///< of targets(): block (i, k) for each pair of those, row by row
    bool pivoted;             ///< has a body: its diagonal may vanish
  };
  struct Node {
    std::vector<int> units{};
    std::vector<int> before{};  ///< units whose nodes must be eliminated earlier
    bool pivoted = false;
  };
  /// A block of units within one of nodes.
  struct Place {
    std::size_t at;
    int stride;
  };

  BlockPattern() = default;
  /// sizes of the units, pairs of units that meet, and nodes, in which each unit is once.
  BlockPattern(std::vector<int> sizes, const std::vector<std::pair<int, int>>& meeting,
               const std::vector<Node>& nodes);

  const std::vector<Pivot>& pivots() const { return pivots_; }
  const std::vector<Neighbour>& neighbours() const { return neighbours_; }
  const std::vector<std::size_t>& targets() const { return targets_; }
  /// Where a unit's numbers are in a vector.
  int row(int unit) const { return unit_rows_[static_cast<std::size_t>(unit)]; }
  std::size_t storage() const { return storage_; }
  int rows() const { return total_; }
  int largest() const { return largest_; }
  /// Where block (i, j) of units is; it is in the pattern.
  Place place(int i, int j) const;
  /// The node that is eliminated first among those that this one meets later, or -1.
  int next(int node) const;

 private:
  std::size_t block(int i, int j) const;  // of nodes
  /// `later`: the nodes that it meets and that are eliminated after it.
  void place_pivot(int node, bool pivoted, const std::set<int>& later);

  std::vector<int> unit_rows_, node_of_, rows_, sizes_, order_;  // order_: when a node goes
  std::vector<Pivot> pivots_;
  std::vector<Neighbour> neighbours_;
  std::vector<int> neighbour_nodes_;
  std::vector<std::size_t> targets_;
  std::size_t storage_ = 0;
  int total_ = 0, largest_ = 0;
};

template <class S>
class BlockMatrix {
 public:
  explicit BlockMatrix(const BlockPattern& pattern)
      : pattern_(&pattern),
        a_(pattern.storage(), S(0)),
        work_(static_cast<std::size_t>(pattern.largest())),
        swaps_(work_.size()) {}

  void clear() { std::fill(a_.begin(), a_.end(), S(0)); }
  S* block(std::size_t place) { return a_.data() + place; }

  /// Adds to the diagonal, so that rows that follow from others have a pivot. Numbers of a row and
  /// of a column times their `scale` are of order one; of nodes with a body, less than
  /// `singular` is zero. Returns false at a pivot that is; failed() is then its node.
  [[nodiscard]] bool factor(double softening, const std::vector<double>& soft,
                            const std::vector<double>& scale, double singular = 0) {
    if (softening > 0) soften(softening, soft);
    for (const auto& pivot : pattern_->pivots()) {
      const bool regular = pivot.pivoted     ? eliminate_pivoted(pivot, scale, singular)
                           : pivot.size == 3 ? eliminate(pivot, Three{})
                           : pivot.size == 5 ? eliminate(pivot, Five{})
                                             : eliminate(pivot, pivot.size);
      if (regular) continue;
      failed_ = pivot.node;
      return false;
    }
    return true;
  }
  int failed() const { return failed_; }

  void solve(Vector<S, dynamic>& x) {
    for (const auto& pivot : pattern_->pivots())
      for (std::size_t i = pivot.first; i < pivot.last; ++i) {
        const auto& n = pattern_->neighbours()[i];
        multiply(&a_[n.below], x.data() + pivot.row, x.data() + n.row, n.size, pivot.size);
      }
    for (auto pivot = pattern_->pivots().rbegin(); pivot != pattern_->pivots().rend(); ++pivot) {
      const int k = pivot->size;
      S* own = x.data() + pivot->row;
      for (std::size_t i = pivot->first; i < pivot->last; ++i) {
        const auto& n = pattern_->neighbours()[i];
        multiply(&a_[n.right], x.data() + n.row, own, k, n.size);
      }
      k == 3 ? apply(&a_[pivot->diagonal], own, Three{}) : apply(&a_[pivot->diagonal], own, k);
    }
  }

 private:
  // Sizes are numbers, or Three and Five where the compiler is to know them: ball joints and hinges
  // have these.
  using Three = std::integral_constant<int, 3>;
  using Five = std::integral_constant<int, 5>;

  /// to -= a x
  static void multiply(const S* a, const S* x, S* to, int rows, int columns) {
    rows == 3 && columns == 3 ? multiply_sized(a, x, to, Three{}, Three{})
                              : multiply_sized(a, x, to, rows, columns);
  }
  template <class Rows, class Columns>
  static void multiply_sized(const S* a, const S* x, S* to, Rows rows, Columns columns) {
    for (int i = 0; i < rows; ++i) {
      S sum = to[i];
      for (int j = 0; j < columns; ++j) sum = sum - a[i * columns + j] * x[j];
      to[i] = sum;
    }
  }
  /// x becomes d x
  template <class Size>
  void apply(const S* d, S* x, Size k) {
    S* y = work_.data();
    for (int i = 0; i < k; ++i) {
      y[i] = d[i * k] * x[0];
      for (int j = 1; j < k; ++j) y[i] = y[i] + d[i * k + j] * x[j];
    }
    for (int i = 0; i < k; ++i) x[i] = y[i];
  }
  void soften(double softening, const std::vector<double>& soft) {
    for (const auto& pivot : pattern_->pivots()) {
      const auto k = static_cast<std::size_t>(pivot.size);
      for (std::size_t i = 0; i < k; ++i) {
        S& own = a_[pivot.diagonal + i * (k + 1)];
        own = own + S(softening * soft[static_cast<std::size_t>(pivot.row) + i]);
      }
    }
  }
  /// The diagonal block becomes its inverse, the blocks below it a_ik a_kk^-1.
  template <class Size>
  bool eliminate(const BlockPattern::Pivot& pivot, Size k) {
    if (!invert(block(pivot.diagonal), k)) return false;
    eliminate_others(pivot, k);
    return true;
  }
  bool eliminate_pivoted(const BlockPattern::Pivot& pivot, const std::vector<double>& scale,
                         double singular) {
    if (!invert_pivoted(block(pivot.diagonal), pivot.size,
                        scale.data() + static_cast<std::size_t>(pivot.row), singular))
      return false;
    eliminate_others(pivot, pivot.size);
    return true;
  }
  template <class Size>
  void eliminate_others(const BlockPattern::Pivot& pivot, Size k) {
    std::size_t target = pivot.targets;
    for (std::size_t i = pivot.first; i < pivot.last; ++i) {
      const auto& row = pattern_->neighbours()[i];
      S* below = block(row.below);
      row.size == 3   ? scale_by(below, block(pivot.diagonal), Three{}, k)
      : row.size == 5 ? scale_by(below, block(pivot.diagonal), Five{}, k)
                      : scale_by(below, block(pivot.diagonal), row.size, k);
      for (std::size_t j = pivot.first; j < pivot.last; ++j) {
        const auto& column = pattern_->neighbours()[j];
        S* to = block(pattern_->targets()[target++]);
        const S* right = block(column.right);
        row.size == 3 && column.size == 3   ? subtract(below, right, to, Three{}, k, Three{})
        : row.size == 5 && column.size == 5 ? subtract(below, right, to, Five{}, k, Five{})
                                            : subtract(below, right, to, row.size, k, column.size);
      }
    }
  }

  static bool invert(S* a, Three) {
    const S x = a[4] * a[8] - a[5] * a[7], y = a[5] * a[6] - a[3] * a[8],
            z = a[3] * a[7] - a[4] * a[6];
    const S det = a[0] * x + a[1] * y + a[2] * z;
    if (!beyond(det, threshold::zero_pivot)) return false;
    const S by = S(1) / det;
    const S inverse[9] = {
        x * by, (a[2] * a[7] - a[1] * a[8]) * by, (a[1] * a[5] - a[2] * a[4]) * by,
        y * by, (a[0] * a[8] - a[2] * a[6]) * by, (a[2] * a[3] - a[0] * a[5]) * by,
        z * by, (a[1] * a[6] - a[0] * a[7]) * by, (a[0] * a[4] - a[1] * a[3]) * by};
    std::copy(inverse, inverse + 9, a);
    return true;
  }
  template <class Size>
  static bool invert(S* a, Size k) {
    for (int c = 0; c < k; ++c) {
      if (!beyond(a[c * k + c], threshold::zero_pivot)) return false;
      reduce(a, k, c);
    }
    return true;
  }
  /// Gauss and Jordan: column c becomes that of the inverse.
  template <class Size>
  static void reduce(S* a, Size k, int c) {
    const S pivot = S(1) / a[c * k + c];
    a[c * k + c] = S(1);
    for (int j = 0; j < k; ++j) a[c * k + j] = a[c * k + j] * pivot;
    for (int i = 0; i < k; ++i) {
      if (i == c) continue;
      const S factor = a[i * k + c];
      a[i * k + c] = S(0);
      for (int j = 0; j < k; ++j) a[i * k + j] = a[i * k + j] - factor * a[c * k + j];
    }
  }
  /// With exchange of rows, scaled.
  bool invert_pivoted(S* a, int k, const double* scale, double singular) {
    const auto scaled = [&] {
      for (int i = 0; i < k; ++i)
        for (int j = 0; j < k; ++j) a[i * k + j] = a[i * k + j] * Real<S>(scale[i] * scale[j]);
    };
    scaled();
    const double least = std::max(singular, threshold::zero_pivot);
    for (int c = 0; c < k; ++c) {
      int best = c;
      for (int i = c + 1; i < k; ++i)
        if (magnitude(a[i * k + c]) > magnitude(a[best * k + c])) best = i;
      if (!beyond(a[best * k + c], least)) return false;
      swaps_[static_cast<std::size_t>(c)] = best;
      if (best != c) std::swap_ranges(a + c * k, a + (c + 1) * k, a + best * k);
      reduce(a, k, c);
    }
    for (int c = k - 1; c >= 0; --c)
      if (const int best = swaps_[static_cast<std::size_t>(c)]; best != c)
        for (int i = 0; i < k; ++i) std::swap(a[i * k + c], a[i * k + best]);
    scaled();
    return true;
  }
  /// a (m x k) becomes a d
  template <class Rows, class Size>
  void scale_by(S* a, const S* d, Rows m, Size k) {
    S* row = work_.data();
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < k; ++j) {
        row[j] = a[i * k] * d[j];
        for (int l = 1; l < k; ++l) row[j] = row[j] + a[i * k + l] * d[l * k + j];
      }
      for (int j = 0; j < k; ++j) a[i * k + j] = row[j];
    }
  }
  /// to (m x n) -= a (m x k) b (k x n)
  template <class Rows, class Size, class Columns>
  static void subtract(const S* a, const S* b, S* to, Rows m, Size k, Columns n) {
    for (int i = 0; i < m; ++i)
      for (int l = 0; l < k; ++l)
        for (int j = 0; j < n; ++j) to[i * n + j] = to[i * n + j] - a[i * k + l] * b[l * n + j];
  }

  const BlockPattern* pattern_;
  std::vector<S> a_;
  std::vector<S> work_;
  std::vector<int> swaps_;
  int failed_ = -1;
};

}  // namespace rattleback

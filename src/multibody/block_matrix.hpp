// Square matrices of small blocks, one row of them for each joint: the pattern is symmetric, the
// numbers need not be. Eliminated without pivoting between blocks, in an order chosen once: of a
// tree leaves first, without fill beyond the joints that meet at one body.
#pragma once

#include <algorithm>
#include <cstddef>
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
    int node;
    std::size_t right, below;  ///< blocks (pivot, node) and (node, pivot)
  };
  struct Pivot {
    int node;
    std::size_t diagonal;
    std::vector<Neighbour> later{};
    std::vector<std::size_t> targets{};  ///< block (i, k) for each pair of `later`, row by row
  };

  BlockPattern() = default;
  /// sizes of the blocks; pairs of nodes that meet.
  BlockPattern(std::vector<int> sizes, const std::vector<std::pair<int, int>>& meeting);

  const std::vector<Pivot>& pivots() const { return pivots_; }
  int size(int node) const { return sizes_[static_cast<std::size_t>(node)]; }
  int row(int node) const { return rows_[static_cast<std::size_t>(node)]; }
  std::size_t storage() const { return storage_; }
  int rows() const { return total_; }
  /// Where block (i, j) is; it is in the pattern.
  std::size_t place(int i, int j) const;

 private:
  std::vector<int> sizes_, rows_, order_;  // order_: when a node is eliminated
  std::vector<Pivot> pivots_;
  std::size_t storage_ = 0;
  int total_ = 0;
};

template <class S>
class BlockMatrix {
 public:
  explicit BlockMatrix(const BlockPattern& pattern)
      : pattern_(&pattern), a_(pattern.storage(), S(0)) {}

  void clear() { std::fill(a_.begin(), a_.end(), S(0)); }
  S* block(std::size_t place) { return a_.data() + place; }

  /// Adds `softening` of each diagonal entry to it: rows that follow from others then have a pivot.
  [[nodiscard]] bool factor(double softening) {
    if (softening > 0) soften(softening);
    for (const auto& pivot : pattern_->pivots())
      if (!eliminate(pivot)) return false;
    return true;
  }
  void solve(Vector<S, dynamic>& x) const {
    for (const auto& pivot : pattern_->pivots()) {
      const int k = pattern_->size(pivot.node), at = pattern_->row(pivot.node);
      for (const auto& n : pivot.later)
        multiply(&a_[n.below], x.data() + at, x.data() + pattern_->row(n.node),
                 pattern_->size(n.node), k);
    }
    for (auto pivot = pattern_->pivots().rbegin(); pivot != pattern_->pivots().rend(); ++pivot) {
      const int k = pattern_->size(pivot->node), at = pattern_->row(pivot->node);
      for (const auto& n : pivot->later)
        multiply(&a_[n.right], x.data() + pattern_->row(n.node), x.data() + at, k,
                 pattern_->size(n.node));
      S y[6];
      for (int i = 0; i < k; ++i) {
        y[i] = S(0);
        for (int j = 0; j < k; ++j) y[i] = y[i] + a_[pivot->diagonal + i * k + j] * x[at + j];
      }
      for (int i = 0; i < k; ++i) x[at + i] = y[i];
    }
  }

 private:
  /// to -= a x
  static void multiply(const S* a, const S* x, S* to, int rows, int columns) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) to[i] = to[i] - a[i * columns + j] * x[j];
  }
  void soften(double softening) {
    for (const auto& pivot : pattern_->pivots()) {
      const int k = pattern_->size(pivot.node);
      for (int i = 0; i < k; ++i)
        a_[pivot.diagonal + i * k + i] = a_[pivot.diagonal + i * k + i] * Real<S>(1 + softening);
    }
  }
  /// The diagonal block becomes its inverse, the blocks below it a_ik a_kk^-1.
  bool eliminate(const BlockPattern::Pivot& pivot) {
    const int k = pattern_->size(pivot.node);
    return k == 3 ? eliminate_sized(pivot, Three{}) : eliminate_sized(pivot, k);
  }
  template <class Size>
  bool eliminate_sized(const BlockPattern::Pivot& pivot, Size k) {
    if (!invert(block(pivot.diagonal), k)) return false;
    std::size_t target = 0;
    for (const auto& row : pivot.later) {
      const int m = pattern_->size(row.node);
      S* below = block(row.below);
      m == 3 ? scale(below, block(pivot.diagonal), Three{}, k)
             : scale(below, block(pivot.diagonal), m, k);
      for (const auto& column : pivot.later) {
        const int n = pattern_->size(column.node);
        S* to = block(pivot.targets[target++]);
        const S* right = block(column.right);
        m == 3 && n == 3 ? subtract(below, right, to, Three{}, k, Three{})
                         : subtract(below, right, to, m, k, n);
      }
    }
    return true;
  }
  // Sizes are numbers, or Three where the compiler is to know them: a ball joint has that size.
  using Three = std::integral_constant<int, 3>;

  template <class Size>
  static bool invert(S* a, Size k) {
    for (int c = 0; c < k; ++c) {
      if (!beyond(a[c * k + c], threshold::zero_pivot)) return false;
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
    return true;
  }
  /// a (m x k) becomes a d
  template <class Rows, class Size>
  static void scale(S* a, const S* d, Rows m, Size k) {
    S row[6];
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
};

}  // namespace rattleback

// Sparse LU by dense blocks, of a fixed pattern in a given order: symbolic work once, then no
// allocation. Unknowns that belong together (the stages of a coordinate and of its momentum, the
// multipliers of a constraint) are a block. Rows are exchanged inside diagonal blocks, so that
// these need to be regular, but may have zeros on their diagonals.
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "rattleback/solve/factor_report.hpp"
#include "rattleback/solve/ordering.hpp"
#include "rattleback/solve/sparse_lu.hpp"

namespace rattleback {

namespace detail {

/// Blocks are stored row by row. C -= A B, or C = A B where `assign`; with C's columns known.
template <int known, bool assign, class T>
void block_product(int rows, int inner, int columns, const T* a, const T* b, T* c) {
  const int n = known > 0 ? known : columns;
  for (int i = 0; i < rows; ++i, a += inner, c += n) {
    if constexpr (assign) std::fill_n(c, n, T(0));
    if constexpr (known > 0) {
      T sum[known];
      for (int j = 0; j < known; ++j) sum[j] = T(0);
      for (int k = 0; k < inner; ++k)
        for (int j = 0; j < known; ++j) sum[j] += a[k] * b[k * known + j];
      for (int j = 0; j < known; ++j) c[j] = assign ? sum[j] : T(c[j] - sum[j]);
    } else {
      for (int k = 0; k < inner; ++k)
        for (int j = 0; j < n; ++j) {
          const T term = a[k] * b[k * n + j];
          c[j] = assign ? T(c[j] + term) : T(c[j] - term);
        }
    }
  }
}
/// Up to four stages of what a coordinate or a constraint has.
template <bool assign, class T>
void block_product(int rows, int inner, int columns, const T* a, const T* b, T* c) {
  if constexpr (std::is_same_v<T, double>) switch (columns) {
      case 2:
        return block_product<2, assign>(rows, inner, columns, a, b, c);
      case 4:
        return block_product<4, assign>(rows, inner, columns, a, b, c);
      case 6:
        return block_product<6, assign>(rows, inner, columns, a, b, c);
      case 8:
        return block_product<8, assign>(rows, inner, columns, a, b, c);
      default:
        break;
    }
  block_product<0, assign>(rows, inner, columns, a, b, c);
}
/// y -= A x
template <class T, class S>
void subtract_block_times(int rows, int columns, const T* a, const S* x, S* y) {
  for (int i = 0; i < rows; ++i, a += columns) {
    S sum = x[0] * a[0];
    for (int k = 1; k < columns; ++k) sum += x[k] * a[k];
    y[i] -= sum;
  }
}

}  // namespace detail

template <class T>
class SparseBlockLu {
 public:
  /// Blocks sizes[row] x sizes[column] at places, each given once; they are eliminated in an order.
  SparseBlockLu(std::vector<int> sizes, const std::vector<MatrixPlace>& places,
                std::vector<int> order)
      : layout_(detail::sparse_layout(coupling(sizes.size(), places), std::move(order))) {
    const int nodes = static_cast<int>(sizes.size());
    widest_ = sizes.empty() ? 1 : *std::ranges::max_element(sizes);
    rank_.resize(nodes), size_.resize(nodes), first_.assign(nodes + 1, 0);
    diagonal_start_.assign(nodes + 1, 0);
    for (int k = 0; k < nodes; ++k) {
      rank_[layout_.order[k]] = k;
      size_[k] = sizes[layout_.order[k]];
      first_[k + 1] = first_[k] + size_[k];
      diagonal_start_[k + 1] = diagonal_start_[k] + size_[k] * size_[k];
    }
    arrange(places);
    filled_.resize(nodes);
    inverse_.resize(diagonal_start_[nodes]);
    row_.resize(std::size_t(widest_) * first_[nodes]);
    scale_.resize(widest_), exchanged_.resize(widest_);
  }
  int unknowns() const { return first_.back(); }
  std::size_t entries_of_factor() const { return lower_.size() + upper_.size() + inverse_.size(); }
  /// The block at places[k], row by row.
  T* block(std::size_t k) { return values_.data() + value_start_[k]; }
  void clear() { std::ranges::fill(values_, T(0)); }
  /// Where the unknowns of a node begin in the vectors of solve().
  int first(int node) const { return first_[rank_[node]]; }

  /// A pivot is compared with the terms that its row of the diagonal block is the sum of.
  FactorReport factor() {
    FactorReport report;
    std::copy_n(layout_.column_start.begin(), filled_.size(), filled_.begin());
    for (int k = 0; k < static_cast<int>(size_.size()); ++k) {
      gather(k);
      const T* diagonal = row(k);
      for (int i = 0; i < size_[k]; ++i) scale_[i] = largest_in(diagonal + i * size_[k], size_[k]);
      eliminate(k);
      for (std::size_t p = layout_.column_start[k]; p < layout_.column_start[k + 1]; ++p)
        std::copy_n(row(layout_.column_row[p]), block_size(k, p), upper_.data() + start_[p]);
      T* inverse = inverse_.data() + diagonal_start_[k];
      std::copy_n(diagonal, size_[k] * size_[k], inverse);
      if (!invert(size_[k], inverse, report) && report.ok)
        report.ok = false, report.row = layout_.order[k];
    }
    return report;
  }

  /// b <- A^-1 b, of T or duals over it, in the order of elimination.
  template <class S>
  void solve(S* b, S* room) const {
    const int nodes = static_cast<int>(size_.size());
    for (int j = 0; j < nodes; ++j)
      for (std::size_t p = layout_.column_start[j]; p < layout_.column_start[j + 1]; ++p) {
        const int i = layout_.column_row[p];
        detail::subtract_block_times(size_[i], size_[j], lower_.data() + start_[p], b + first_[j],
                                     b + first_[i]);
      }
    for (int j = nodes - 1; j >= 0; --j) {
      S* own = b + first_[j];
      for (std::size_t p = layout_.column_start[j]; p < layout_.column_start[j + 1]; ++p) {
        const int i = layout_.column_row[p];
        detail::subtract_block_times(size_[j], size_[i], upper_.data() + start_[p], b + first_[i],
                                     own);
      }
      for (int i = 0; i < size_[j]; ++i) room[i] = S(0);
      detail::subtract_block_times(size_[j], size_[j], inverse_.data() + diagonal_start_[j], own,
                                   room);
      for (int i = 0; i < size_[j]; ++i) own[i] = -room[i];
    }
  }
  int widest() const { return widest_; }

 private:
  static CouplingPattern coupling(std::size_t nodes, const std::vector<MatrixPlace>& places) {
    CouplingPattern pattern(nodes);
    for (const MatrixPlace& at : places)
      if (at.row != at.column) pattern[at.row].push_back(at.column);
    return pattern;
  }
  int block_size(int k, std::size_t p) const { return size_[k] * size_[layout_.column_row[p]]; }
  /// Values row by row in the order of elimination, and room for L and U.
  void arrange(const std::vector<MatrixPlace>& places) {
    const int nodes = static_cast<int>(size_.size());
    scatter_start_.assign(nodes + 1, 0);
    std::size_t values = 0;
    for (const MatrixPlace& at : places) {
      ++scatter_start_[rank_[at.row] + 1];
      value_start_.push_back(values);
      values += size_[rank_[at.row]] * size_[rank_[at.column]];
    }
    values_.assign(values, T(0));
    for (int k = 0; k < nodes; ++k) scatter_start_[k + 1] += scatter_start_[k];
    scatter_.resize(places.size());
    std::vector<std::size_t> next(scatter_start_.begin(), scatter_start_.end() - 1);
    for (std::size_t v = 0; v < places.size(); ++v)
      scatter_[next[rank_[places[v].row]]++] = {rank_[places[v].column], value_start_[v]};
    std::size_t entries = 0;
    for (int j = 0; j < nodes; ++j)
      for (std::size_t p = layout_.column_start[j]; p < layout_.column_start[j + 1]; ++p) {
        start_.push_back(entries);
        entries += block_size(j, p);
      }
    lower_.resize(entries), upper_.resize(entries);
  }
  /// Room for the block of the present row in a column.
  T* row(int column) { return row_.data() + std::size_t(widest_) * first_[column]; }
  /// row <- row k of the matrix
  void gather(int k) {
    const auto clear = [&](int column) {
      std::fill_n(row(column), size_[k] * size_[column], T(0));
    };
    for (std::size_t q = layout_.row_start[k]; q < layout_.row_start[k + 1]; ++q)
      clear(layout_.row_column[q]);
    clear(k);
    for (std::size_t p = layout_.column_start[k]; p < layout_.column_start[k + 1]; ++p)
      clear(layout_.column_row[p]);
    for (std::size_t p = scatter_start_[k]; p < scatter_start_[k + 1]; ++p)
      std::copy_n(values_.data() + scatter_[p].value, size_[k] * size_[scatter_[p].column],
                  row(scatter_[p].column));
  }
  /// row -= row k of L times U, and that row of L into its columns.
  void eliminate(int k) {
    for (std::size_t q = layout_.row_start[k]; q < layout_.row_start[k + 1]; ++q) {
      const int j = layout_.row_column[q];
      const std::size_t own = filled_[j]++;  // of (k, j) in L and (j, k) in U
      T* lower = lower_.data() + start_[own];
      detail::block_product<true>(size_[k], size_[j], size_[j], row(j),
                                  inverse_.data() + diagonal_start_[j], lower);
      for (std::size_t p = layout_.column_start[j]; p < layout_.column_start[j + 1]; ++p) {
        const int column = layout_.column_row[p];
        detail::block_product<false>(size_[k], size_[j], size_[column], lower,
                                     upper_.data() + start_[p], row(column));
      }
      const T* upper = upper_.data() + start_[own];
      for (int i = 0; i < size_[k]; ++i) {
        double terms = 0;
        for (int l = 0; l < size_[j]; ++l)
          terms += magnitude(lower[i * size_[j] + l]) * largest_in(upper + l * size_[k], size_[k]);
        scale_[i] += terms;
      }
    }
  }
  static double largest_in(const T* x, int n) {
    double most = 0;
    for (int i = 0; i < n; ++i) most = larger(most, magnitude(x[i]));
    return most;
  }
  /// a <- a^-1 by Gauss and Jordan; pivots are the largest in their columns, relative to scale_.
  bool invert(int n, T* a, FactorReport& report) {
    const double limit = rank_threshold<T>(unknowns());
    bool regular = true;
    for (int c = 0; c < n; ++c) {
      int best = c;
      double largest = -1;
      for (int i = c; i < n; ++i)
        if (const double size = magnitude(a[i * n + c]) / scale_[i]; size > largest)
          best = i, largest = size;
      exchanged_[c] = best;
      if (best != c) {
        std::swap_ranges(a + best * n, a + (best + 1) * n, a + c * n);
        std::swap(scale_[best], scale_[c]);
      }
      const double size = magnitude(a[c * n + c]);
      report.smallest_pivot = std::min(report.smallest_pivot, size);
      report.largest_pivot = larger(report.largest_pivot, size);
      regular = regular && largest > limit;
      const T inverse = T(1) / a[c * n + c];
      a[c * n + c] = T(1);
      for (int j = 0; j < n; ++j) a[c * n + j] *= inverse;
      for (int i = 0; i < n; ++i) {
        if (i == c) continue;
        const T factor = std::exchange(a[i * n + c], T(0));
        for (int j = 0; j < n; ++j) a[i * n + j] -= factor * a[c * n + j];
      }
    }
    for (int c = n - 1; c >= 0; --c)
      if (exchanged_[c] != c)
        for (int i = 0; i < n; ++i) std::swap(a[i * n + c], a[i * n + exchanged_[c]]);
    return regular;
  }

  struct Scatter {
    int column;
    std::size_t value;
  };
  detail::SparseLayout layout_;
  int widest_ = 1;
  std::vector<int> rank_, size_, first_;  // of a node; the others in the order of elimination
  std::vector<int> diagonal_start_;
  std::vector<std::size_t> scatter_start_, value_start_, start_, filled_;
  std::vector<Scatter> scatter_;
  std::vector<T> values_, lower_, upper_, inverse_, row_;
  std::vector<double> scale_;
  std::vector<int> exchanged_;
};

}  // namespace rattleback

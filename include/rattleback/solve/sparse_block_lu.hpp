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

/// f<chunk>(first) for rows in chunks of lengths known when compiled, which vectors hold.
template <class T, class F>
RATTLEBACK_INLINE void in_chunks(int rows, F&& f) {
  int first = 0;
  if constexpr (std::is_same_v<T, double>) {
    for (; first + 8 <= rows; first += 8) f.template operator()<8>(first);
    if (first + 4 <= rows) f.template operator()<4>(first), first += 4;
    if (first + 2 <= rows) f.template operator()<2>(first), first += 2;
  }
  for (; first < rows; ++first) f.template operator()<1>(first);
}
/// Blocks are stored column by column. y -= A x, or y = A x where `assign`, for a chunk of the
/// rows.
template <int chunk, bool assign, class T, class S>
RATTLEBACK_INLINE void block_times(int rows, int inner, const T* a, const S* x, S* y) {
  S sum[chunk];
  for (int i = 0; i < chunk; ++i) sum[i] = assign ? S(0) : y[i];
  for (int k = 0; k < inner; ++k, a += rows)
    for (int i = 0; i < chunk; ++i) sum[i] += (assign ? x[k] : S(-x[k])) * a[i];
  for (int i = 0; i < chunk; ++i) y[i] = sum[i];
}
/// C -= A B, or C = A B
template <bool assign, class T>
void block_product(int rows, int inner, int columns, const T* a, const T* b, T* c) {
  in_chunks<T>(rows, [&]<int chunk>(int i) {
    for (int j = 0; j < columns; ++j)
      block_times<chunk, assign>(rows, inner, a + i, b + j * inner, c + j * rows + i);
  });
}
template <bool assign, class T, class S>
RATTLEBACK_INLINE void block_times(int rows, int columns, const T* a, const S* x, S* y) {
  in_chunks<S>(
      rows, [&]<int chunk>(int i) { block_times<chunk, assign>(rows, columns, a + i, x, y + i); });
}

}  // namespace detail

template <class T>
class SparseBlockLu {
 public:
  static constexpr std::size_t beyond_caches = 12'000'000;  ///< bytes: no cache holds such a factor
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
    fetches_ = entries_of_factor() * sizeof(T) > beyond_caches;
    scale_.resize(widest_), exchanged_.resize(widest_), column_.resize(widest_);
  }
  int unknowns() const { return first_.back(); }
  std::size_t entries_of_factor() const { return lower_.size() + upper_.size() + inverse_.size(); }
  /// The block at places[k], column by column.
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
      std::fill_n(scale_.begin(), size_[k], 0.0);
      for (int c = 0; c < size_[k]; ++c)
        for (int i = 0; i < size_[k]; ++i)
          scale_[i] = larger(scale_[i], magnitude(diagonal[c * size_[k] + i]));
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
    for (int j = 0; j < nodes; ++j) {
      fetch_ahead(lower_, column(j), column(j + 1));
      for (std::size_t p = layout_.column_start[j]; p < layout_.column_start[j + 1]; ++p) {
        const int i = layout_.column_row[p];
        detail::block_times<false>(size_[i], size_[j], lower_.data() + start_[p], b + first_[j],
                                   b + first_[i]);
      }
    }
    for (int j = nodes - 1; j >= 0; --j) {
      S* own = b + first_[j];
      fetch_ahead(upper_, column(j + 1), column(j));
      fetch_ahead(inverse_, diagonal_start_[j + 1], diagonal_start_[j]);
      for (std::size_t p = layout_.column_start[j]; p < layout_.column_start[j + 1]; ++p) {
        const int i = layout_.column_row[p];
        detail::block_times<false>(size_[j], size_[i], upper_.data() + start_[p], b + first_[i],
                                   own);
      }
      std::copy_n(own, size_[j], room);
      detail::block_times<true>(size_[j], size_[j], inverse_.data() + diagonal_start_[j], room,
                                own);
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
  /// Where the blocks of column j of L begin, and those of row j of U.
  std::size_t column(int j) const { return start_[layout_.column_start[j]]; }
  /// A solve reads the factor once, in pieces too short for the processor to see where it goes on:
  /// of a large one, what comes `ahead` after the entries from `here` to `next` is asked for.
  /// Chains of 10^4 and 3 10^4 links by gauss with two stages, 3.2 kB a link, take 1.05 us a link
  /// and step instead of 2.1; with half that distance 1.17, a quarter 1.4, twice 1.05. It gains
  /// from 4000 links on, and costs 4 % below.
  RATTLEBACK_INLINE void fetch_ahead(const std::vector<T>& entries, std::size_t here,
                                     std::size_t next) const {
    if (!fetches_) return;
    constexpr std::ptrdiff_t line = std::max<std::ptrdiff_t>(64 / sizeof(T), 1), ahead = 64 * line;
    const auto size = static_cast<std::ptrdiff_t>(entries.size());
    const std::ptrdiff_t way = here < next ? ahead : -ahead;
    const auto at = [&](std::size_t x) {
      return std::clamp(static_cast<std::ptrdiff_t>(x) + way, std::ptrdiff_t(0), size);
    };
    for (std::ptrdiff_t x = at(std::min(here, next)); x < at(std::max(here, next)); x += line)
      __builtin_prefetch(entries.data() + x);
  }
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
    start_.push_back(entries);
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
      for (int l = 0; l < size_[j]; ++l) {
        double largest = 0;
        for (int c = 0; c < size_[k]; ++c)
          largest = larger(largest, magnitude(upper[c * size_[j] + l]));
        for (int i = 0; i < size_[k]; ++i)
          scale_[i] += magnitude(lower[l * size_[k] + i]) * largest;
      }
    }
  }
  /// a <- a^-1 by Gauss and Jordan; pivots are the largest in their columns, relative to scale_.
  bool invert(int n, T* values, FactorReport& report) {
    const auto a = [&](int i, int j) -> T& { return values[j * n + i]; };
    const double limit = rank_threshold<T>(unknowns());
    bool regular = true;
    for (int c = 0; c < n; ++c) {
      int best = c;
      double largest = -1;
      for (int i = c; i < n; ++i)
        if (const double size = magnitude(a(i, c)) / scale_[i]; size > largest)
          best = i, largest = size;
      exchanged_[c] = best;
      if (best != c) {
        for (int j = 0; j < n; ++j) std::swap(a(best, j), a(c, j));
        std::swap(scale_[best], scale_[c]);
      }
      const double size = magnitude(a(c, c));
      report.smallest_pivot = std::min(report.smallest_pivot, size);
      report.largest_pivot = larger(report.largest_pivot, size);
      regular = regular && largest > limit;
      const T inverse = T(1) / a(c, c);
      a(c, c) = T(1);
      for (int i = 0; i < n; ++i) column_[i] = i == c ? T(0) : std::exchange(a(i, c), T(0));
      for (int j = 0; j < n; ++j) {
        const T pivot = a(c, j) *= inverse;
        for (int i = 0; i < n; ++i) a(i, j) -= column_[i] * pivot;
      }
    }
    for (int c = n - 1; c >= 0; --c)
      if (exchanged_[c] != c)
        std::swap_ranges(values + c * n, values + (c + 1) * n, values + exchanged_[c] * n);
    return regular;
  }

  struct Scatter {
    int column;
    std::size_t value;
  };
  detail::SparseLayout layout_;
  int widest_ = 1;
  bool fetches_ = false;
  std::vector<int> rank_, size_, first_;  // of a node; the others in the order of elimination
  std::vector<int> diagonal_start_;
  std::vector<std::size_t> scatter_start_, value_start_, start_, filled_;
  std::vector<Scatter> scatter_;
  std::vector<T> values_, lower_, upper_, inverse_, row_;
  std::vector<T> column_;      // of a diagonal block
  std::vector<double> scale_;  // of its rows
  std::vector<int> exchanged_;
};

}  // namespace rattleback

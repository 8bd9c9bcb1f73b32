// Sparse LDL^T for any scalar: symbolic work once, then no allocation. Trees of links are
// eliminated leaves first without fill, everything else in a fill-reducing order.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "rattleback/solve/factor_report.hpp"
#include "rattleback/solve/front_kernels.hpp"
#include "rattleback/solve/ordering.hpp"

namespace rattleback {

/// Symmetric matrix with a given pattern, without pivoting, by fronts: see detail::FrontLayout.
/// entry(i, j) is asked once for every entry of the pattern, always in the same order, and after
/// the last one again for diagonal entries, where a row has to be named.
template <class S>
class SparseLdlt {
 public:
  explicit SparseLdlt(const CouplingPattern& pattern)
      : SparseLdlt(pattern, fill_reducing_ordering(pattern)) {}

  SparseLdlt(const CouplingPattern& pattern, std::vector<int> order)
      : layout_(detail::front_layout(pattern, std::move(order))),
        panels_(layout_.panel_size),
        inverse_(layout_.order.size()),
        updates_(layout_.update_size),
        scaled_(layout_.largest_update),
        ordered_(layout_.order.size()),
        below_(layout_.tallest) {}

  int size() const { return static_cast<int>(inverse_.size()); }
  std::size_t entries_of_factor() const { return layout_.entries_of_factor; }
  const std::vector<int>& order() const { return layout_.order; }

  template <class Entry>
  FactorReport factor(Entry&& entry) {
    detail::PivotMonitor<S> monitor;
    for (const Run& run : layout_.runs)
      if (!with_small_fronts(run, [&]<int w, int b>(const Front* front) RATTLEBACK_INLINE_LAMBDA {
            for (const Front* end = front + run.count; front != end; ++front) {
              S *panel = panel_of(*front), *inverse = inverse_of(*front);
              assemble(*front, w, b, entry);
              detail::eliminate_small_front<w, b>(panel, inverse, update_of(*front));
              for (int k = 0; k < w; ++k) monitor.add(ordered_[k], inverse[k]);
            }
          }))
        for (const Front& front : fronts_of(run)) {
          S* inverse = inverse_of(front);
          assemble(front, front.width, front.below, entry);
          detail::eliminate_front(front.width, front.below, panel_of(front), scaled_.data(),
                                  inverse, update_of(front));
          for (int k = 0; k < front.width; ++k) monitor.add(ordered_[k], inverse[k]);
        }
    return detail::conclude(
        monitor, size(), [&](int k) { return inverse_[k]; }, [&](int i) { return S(entry(i, i)); },
        [&](int k) { return layout_.order[k]; });
  }

  /// b holds S, or duals over S.
  template <class Vec>
  void solve(Vec&& b) const {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(b[0])>, S>)
      solve_by_panels(b);
    else
      solve_in_place(b);
  }

 private:
  using Front = detail::FrontLayout::Front;
  using Run = detail::FrontLayout::Run;

  std::span<const Front> fronts_of(const Run& run) const {
    return {layout_.fronts.data() + run.first, std::size_t(run.count)};
  }
  S* panel_of(const Front& front) { return panels_.data() + front.panel; }
  S* inverse_of(const Front& front) { return inverse_.data() + front.first; }
  S* update_of(const Front& front) { return updates_.data() + front.update; }
  /// f<width, below>(the first front) where with_small_front has code for the fronts of a run.
  template <class F>
  RATTLEBACK_INLINE bool with_small_fronts(const Run& run, F&& f) const {
    const Front* first = layout_.fronts.data() + run.first;
    return detail::with_small_front<S>(
        first->width, first->below,
        [&]<int w, int b>() RATTLEBACK_INLINE_LAMBDA { f.template operator()<w, b>(first); });
  }

  /// Entries of the matrix, and what the children have left; diagonal entries are kept.
  template <class Entry>
  RATTLEBACK_INLINE void assemble(const Front& front, int width, int below, Entry& entry) {
    const int height = width + below;
    S *panel = panel_of(front), *update = update_of(front);
    std::fill_n(panel, std::size_t(height) * width, S(0));
    std::fill_n(update, std::size_t(below) * below, S(0));
    const auto* entries = layout_.entry.data() + front.entry;
    int diagonal = 0;
    for (int k = 0; k < front.entries; ++k) {
      const S value = entry(entries[k].row, entries[k].column);
      panel[entries[k].place] = value;
      if (entries[k].row == entries[k].column) ordered_[diagonal++] = value;
    }
    for (int c = 0; c < front.children; ++c) {
      const Front& child = layout_.fronts[layout_.child[front.child + c]];
      const int* target = layout_.target.data() + child.row;
      const S* left = updates_.data() + child.update;
      for (int j = 0; j < child.below; ++j, left += child.below) {
        const int column = target[j];
        S* to = column < width ? panel + std::ptrdiff_t{column} * height
                               : update + std::ptrdiff_t{column - width} * below - width;
        for (int i = j; i < child.below; ++i) to[target[i]] += left[i];
      }
    }
  }

  template <class Vec>
  void solve_by_panels(Vec& b) const {
    const int* order = layout_.order.data();
    const int n = size();
    S* y = ordered_.data();
    for (int k = 0; k < n; ++k) y[k] = b[order[k]];
    for (const Run& run : layout_.runs) forwards(run, y);
    for (std::size_t r = layout_.runs.size(); r-- > 0;) backwards(layout_.runs[r], y);
    for (int k = 0; k < n; ++k) b[order[k]] = y[k];
  }

  /// Small fronts of a run without a look at each: what belongs to them follows each other.
  void forwards(const Run& run, S* y) const {
    if (with_small_fronts(run, [&]<int w, int b>(const Front* first) RATTLEBACK_INLINE_LAMBDA {
          const S* panel = panels_.data() + first->panel;
          const int* row = layout_.row.data() + first->row;
          S* x = y + first->first;
          for (int k = 0; k < run.count; ++k, panel += w * (w + b), row += b, x += w)
            detail::forwards_small<w, b>(panel, x, y, row);
        }))
      return;
    for (const Front& front : fronts_of(run)) forwards(front, y);
  }
  void backwards(const Run& run, S* y) const {
    if (with_small_fronts(run, [&]<int w, int b>(const Front* first) RATTLEBACK_INLINE_LAMBDA {
          const std::ptrdiff_t past = run.count;
          const S* panel = panels_.data() + first->panel + past * w * (w + b);
          const S* inverse = inverse_.data() + first->first + past * w;
          const int* row = layout_.row.data() + first->row + past * b;
          S* x = y + first->first + past * w;
          for (int k = 0; k < run.count; ++k)
            detail::backwards_small<w, b>(panel -= w * (w + b), inverse -= w, x -= w, y, row -= b);
        }))
      return;
    const auto fronts = fronts_of(run);
    for (auto front = fronts.rbegin(); front != fronts.rend(); ++front) backwards(*front, y);
  }
  void forwards(const Front& front, S* y) const {
    const S* panel = panels_.data() + front.panel;
    const int* row = layout_.row.data() + front.row;
    S *x = y + front.first, *below = below_.data();
    const int height = front.height();
    for (int k = 0; k < front.width; ++k)
      for (int i = k + 1; i < front.width; ++i) x[i] -= panel[k * height + i] * x[k];
    for (int i = 0; i < front.below; ++i) below[i] = y[row[i]];
    detail::subtract_matrix_times(front.below, front.width, panel + front.width, height, x, below);
    for (int i = 0; i < front.below; ++i) y[row[i]] = below[i];
  }
  void backwards(const Front& front, S* y) const {
    const S *panel = panels_.data() + front.panel, *inverse = inverse_.data() + front.first;
    const int* row = layout_.row.data() + front.row;
    S *x = y + front.first, *below = below_.data();
    const int height = front.height();
    for (int k = 0; k < front.width; ++k) x[k] = x[k] * inverse[k];
    for (int i = 0; i < front.below; ++i) below[i] = y[row[i]];
    detail::subtract_transposed_times(front.below, front.width, panel + front.width, height, below,
                                      x);
    for (int k = front.width - 2; k >= 0; --k)
      detail::subtract_dots<S, 1>(front.width - 1 - k, panel + k * height + k + 1, height,
                                  x + k + 1, x + k);
  }

  template <class Vec>
  void solve_in_place(Vec& b) const {
    const int* order = layout_.order.data();
    const auto constraint = [&](const Front& front, int i) {
      return order[i < front.width ? front.first + i : layout_.row[front.row + i - front.width]];
    };
    for (const Front& front : layout_.fronts)
      for (int k = 0; k < front.width; ++k) {
        const S* column = panels_.data() + front.panel + std::ptrdiff_t{k} * front.height();
        const auto t = b[order[front.first + k]];
        for (int i = k + 1; i < front.height(); ++i) b[constraint(front, i)] -= column[i] * t;
      }
    for (std::size_t s = layout_.fronts.size(); s-- > 0;) {
      const Front& front = layout_.fronts[s];
      for (int k = front.width - 1; k >= 0; --k) {
        const S* column = panels_.data() + front.panel + std::ptrdiff_t{k} * front.height();
        auto t = b[order[front.first + k]];
        t = t * inverse_[front.first + k];
        for (int i = k + 1; i < front.height(); ++i) t -= column[i] * b[constraint(front, i)];
        b[order[front.first + k]] = t;
      }
    }
  }

  detail::FrontLayout layout_;
  std::vector<S> panels_, inverse_, updates_;
  std::vector<S> scaled_;                   // room for a panel,
  mutable std::vector<S> ordered_, below_;  // a vector, the rows below a front
};

}  // namespace rattleback

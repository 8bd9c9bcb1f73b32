#include "rattleback/solve/dense.hpp"

#include <algorithm>

namespace rattleback::detail {

namespace {

constexpr int width = 8;  // columns eliminated together: one pass over the rest per panel

/// Columns [k, k + w) below row k, with row exchanges of whole rows.
void eliminate_panel(double* a, int n, int k, int w, int* pivot_row) {
  for (int c = k; c < k + w; ++c) {
    int best = c;
    for (int i = c + 1; i < n; ++i)
      if (std::abs(a[i * n + c]) > std::abs(a[best * n + c])) best = i;
    pivot_row[c] = best;
    if (best != c) std::swap_ranges(a + c * n, a + (c + 1) * n, a + best * n);
    const double inverse = 1 / a[c * n + c];
    for (int i = c + 1; i < n; ++i) {
      const double m = a[i * n + c] *= inverse;
      for (int j = c + 1; j < k + w; ++j) a[i * n + j] -= m * a[c * n + j];
    }
  }
}

/// Columns right of the panel: first the panel's own rows, then all rows below them.
void update_rest(double* a, int n, int k, int w) {
  const int rest = k + w;
  for (int c = k; c < rest; ++c)
    for (int i = c + 1; i < rest; ++i)
      for (int j = rest; j < n; ++j) a[i * n + j] -= a[i * n + c] * a[c * n + j];
  if (w < width) return;
  const double* p = a + k * n;
  for (int i = rest; i < n; ++i) {
    double* __restrict row = a + i * n;
    double m[width];
    std::copy_n(row + k, width, m);
    for (int j = rest; j < n; ++j) {
      double s = row[j];
      for (int c = 0; c < width; ++c) s -= m[c] * p[c * n + j];
      row[j] = s;
    }
  }
}

}  // namespace

void blocked_lu(double* a, int n, int* pivot_row) {
  for (int k = 0; k < n; k += width) {
    const int w = std::min(width, n - k);
    eliminate_panel(a, n, k, w, pivot_row);
    update_rest(a, n, k, w);
  }
}

}  // namespace rattleback::detail

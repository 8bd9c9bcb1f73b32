// Dense kernels of one front of a sparse LDL^T (sparse.hpp). Matrices are stored by columns, and
// only their lower halves count: what stands above a diagonal is never read.
#pragma once

#include <cstring>
#include <type_traits>

#include "rattleback/problem/scalar.hpp"

namespace rattleback::detail {

/// Several neighbouring rows at once: doubles in vectors, other scalars one by one.
template <class S, int Count>
struct Rows {
  typedef double Values __attribute__((vector_size(8 * Count)));
  RATTLEBACK_INLINE static Values load(const double* from) {
    Values v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }
  RATTLEBACK_INLINE static void store(const Values& v, double* to) {
    std::memcpy(to, &v, sizeof v);
  }
};
template <class S>
struct Rows<S, 1> {
  using Values = S;
  static const S& load(const S* from) { return *from; }
  static void store(const S& v, S* to) { *to = v; }
};

/// C -= A B^T for `parts` vectors of rows and `columns` columns of C.
template <class S, int Count, int parts, int columns>
RATTLEBACK_INLINE void subtract_tile(int depth, const S* a, int lda, const S* b, int ldb, S* c,
                                     int ldc) {
  using R = Rows<S, Count>;
  typename R::Values sum[parts][columns];
#pragma GCC unroll 4
  for (int j = 0; j < columns; ++j)
#pragma GCC unroll 4
    for (int i = 0; i < parts; ++i) sum[i][j] = R::load(c + j * std::ptrdiff_t{ldc} + i * Count);
  for (int k = 0; k < depth; ++k, a += lda, b += ldb) {
    typename R::Values left[parts];
#pragma GCC unroll 4
    for (int i = 0; i < parts; ++i) left[i] = R::load(a + i * Count);
#pragma GCC unroll 4
    for (int j = 0; j < columns; ++j)
#pragma GCC unroll 4
      for (int i = 0; i < parts; ++i) sum[i][j] -= left[i] * b[j];
  }
#pragma GCC unroll 4
  for (int j = 0; j < columns; ++j)
#pragma GCC unroll 4
    for (int i = 0; i < parts; ++i) R::store(sum[i][j], c + j * std::ptrdiff_t{ldc} + i * Count);
}

/// A few columns of C, from row `first` on.
template <class S, int columns>
void subtract_columns(int first, int rows, int depth, const S* a, int lda, const S* b, int ldb,
                      S* c, int ldc) {
  int i = first;
  if constexpr (std::is_same_v<S, double>) {
    for (; i + 16 <= rows; i += 16)
      subtract_tile<S, 8, 2, columns>(depth, a + i, lda, b, ldb, c + i, ldc);
    for (; i + 4 <= rows; i += 4)
      subtract_tile<S, 4, 1, columns>(depth, a + i, lda, b, ldb, c + i, ldc);
  }
  for (; i < rows; ++i) subtract_tile<S, 1, 1, columns>(depth, a + i, lda, b, ldb, c + i, ldc);
}

/// The lower trapezoid of C -= A B^T, where C is rows x columns, A rows x depth, B columns x depth.
template <class S>
void subtract_product(int rows, int columns, int depth, const S* a, int lda, const S* b, int ldb,
                      S* c, int ldc) {
  int j = 0;
  for (; j + 4 <= columns; j += 4)
    subtract_columns<S, 4>(j, rows, depth, a, lda, b + j, ldb, c + std::ptrdiff_t{j} * ldc, ldc);
  for (; j < columns; ++j)
    subtract_columns<S, 1>(j, rows, depth, a, lda, b + j, ldb, c + std::ptrdiff_t{j} * ldc, ldc);
}

/// Columns [from, to) of a panel: they become columns of L, and `scaled` keeps L D.
template <class S>
RATTLEBACK_INLINE void eliminate_columns(int height, int from, int to, S* panel, S* scaled,
                                         S* inverse) {
  for (int k = from; k < to; ++k) {
    S* own = panel + std::ptrdiff_t{k} * height;
    S* kept = scaled + std::ptrdiff_t{k} * height;
    inverse[k] = S(1) / own[k];
    for (int i = k + 1; i < height; ++i) {
      kept[i] = own[i];
      own[i] = own[i] * inverse[k];
    }
    for (int j = k + 1; j < to; ++j) {
      S* other = panel + std::ptrdiff_t{j} * height;
      for (int i = j; i < height; ++i) other[i] -= own[i] * kept[j];
    }
  }
}

/// f<width, below>() where loops of these lengths are worth their code; says whether they are. For
/// other scalars than doubles the loops themselves cost nothing.
template <class S, class F>
RATTLEBACK_INLINE bool with_small_front(int width, int below, F&& f) {
  if constexpr (!std::is_same_v<S, double>)
    return false;
  else
    switch (4 * width + below) {
#define RATTLEBACK_FRONT(w)                                    \
  case 4 * (w):                                                \
    return below < 4 && (f.template operator()<w, 0>(), true); \
  case 4 * (w) + 1:                                            \
    return below < 4 && (f.template operator()<w, 1>(), true); \
  case 4 * (w) + 2:                                            \
    return below < 4 && (f.template operator()<w, 2>(), true); \
  case 4 * (w) + 3:                                            \
    return below < 4 && (f.template operator()<w, 3>(), true);
      RATTLEBACK_FRONT(1)
      RATTLEBACK_FRONT(2)
      RATTLEBACK_FRONT(3)
      RATTLEBACK_FRONT(4)
#undef RATTLEBACK_FRONT
      default:
        return false;
    }
}

/// eliminate_front of a few columns and rows.
template <int width, int below, class S>
RATTLEBACK_INLINE void eliminate_small_front(S* panel, S* inverse, S* update) {
  constexpr int height = width + below;
  S scaled[width * height];
#pragma GCC unroll 4
  for (int k = 0; k < width; ++k) {
    S* own = panel + k * height;
    const S inverted = S(1) / own[k];
    inverse[k] = inverted;
#pragma GCC unroll 8
    for (int i = k + 1; i < height; ++i) {
      scaled[k * height + i] = own[i];
      own[i] = own[i] * inverted;
    }
#pragma GCC unroll 4
    for (int j = k + 1; j < width; ++j)
#pragma GCC unroll 8
      for (int i = j; i < height; ++i) panel[j * height + i] -= own[i] * scaled[k * height + j];
  }
#pragma GCC unroll 4
  for (int j = 0; j < below; ++j)
#pragma GCC unroll 4
    for (int i = j; i < below; ++i)
#pragma GCC unroll 4
      for (int k = 0; k < width; ++k)
        update[j * below + i] -= panel[k * height + width + i] * scaled[k * height + width + j];
}

/// y := L^-1 y of such a front: its own rows from x on, those below by number.
template <int width, int below, class S>
RATTLEBACK_INLINE void forwards_small(const S* panel, S* x, S* y, const int* row) {
  constexpr int height = width + below;
#pragma GCC unroll 4
  for (int k = 0; k < width; ++k)
#pragma GCC unroll 4
    for (int i = k + 1; i < width; ++i) x[i] -= panel[k * height + i] * x[k];
#pragma GCC unroll 4
  for (int i = 0; i < below; ++i) {
    S sum = y[row[i]];
#pragma GCC unroll 4
    for (int k = 0; k < width; ++k) sum -= panel[k * height + width + i] * x[k];
    y[row[i]] = sum;
  }
}
/// x := L^-T D^-1 x of such a front
template <int width, int below, class S>
RATTLEBACK_INLINE void backwards_small(const S* panel, const S* inverse, S* x, const S* y,
                                       const int* row) {
  constexpr int height = width + below;
#pragma GCC unroll 4
  for (int k = width - 1; k >= 0; --k) {
    S sum = x[k] * inverse[k];
#pragma GCC unroll 4
    for (int i = 0; i < below; ++i) sum -= panel[k * height + width + i] * y[row[i]];
#pragma GCC unroll 4
    for (int i = width - 1; i > k; --i) sum -= panel[k * height + i] * x[i];
    x[k] = sum;
  }
}

/// A front of `width` columns and `below` rows under them: its columns of L, its inverse pivots,
/// and what it leaves for the rows below. `scaled` is room for another panel.
template <class S>
void eliminate_front(int width, int below, S* panel, S* scaled, S* inverse, S* update) {
  constexpr int block = 8;
  const int height = width + below;
  for (int from = 0; from < width; from += block) {
    const int to = from + block < width ? from + block : width;
    eliminate_columns(height, from, to, panel, scaled, inverse);
    if (to < width)
      subtract_product(height - to, width - to, to - from,
                       panel + to + std::ptrdiff_t{from} * height, height,
                       scaled + to + std::ptrdiff_t{from} * height, height,
                       panel + to + std::ptrdiff_t{to} * height, height);
  }
  subtract_product(below, below, width, panel + width, height, scaled + width, height, update,
                   below);
}

/// out -= A x
template <class S>
void subtract_matrix_times(int rows, int columns, const S* __restrict a, int lda,
                           const S* __restrict x, S* __restrict out) {
  int k = 0;
  for (; k + 4 <= columns; k += 4, a += 4 * std::ptrdiff_t{lda}) {
    const S *a1 = a + lda, *a2 = a1 + lda, *a3 = a2 + lda;
    const S x0 = x[k], x1 = x[k + 1], x2 = x[k + 2], x3 = x[k + 3];
    for (int i = 0; i < rows; ++i) out[i] -= (a[i] * x0 + a1[i] * x1) + (a2[i] * x2 + a3[i] * x3);
  }
  for (; k < columns; ++k, a += lda)
    for (int i = 0; i < rows; ++i) out[i] -= a[i] * x[k];
}

/// x -= A^T y for a few columns of A
template <class S, int columns>
RATTLEBACK_INLINE void subtract_dots(int rows, const S* a, int lda, const S* y, S* x) {
  S rest[columns];
  for (int k = 0; k < columns; ++k) rest[k] = S(0);
  int i = 0;
  if constexpr (std::is_same_v<S, double>) {
    using R = Rows<S, 8>;
    typename R::Values sum[columns] = {};
    for (; i + 8 <= rows; i += 8) {
      const typename R::Values right = R::load(y + i);
      for (int k = 0; k < columns; ++k) sum[k] += R::load(a + k * std::ptrdiff_t{lda} + i) * right;
    }
    for (int k = 0; k < columns; ++k)
      rest[k] = ((sum[k][0] + sum[k][4]) + (sum[k][1] + sum[k][5])) +
                ((sum[k][2] + sum[k][6]) + (sum[k][3] + sum[k][7]));
  }
  for (; i < rows; ++i)
    for (int k = 0; k < columns; ++k) rest[k] += a[k * std::ptrdiff_t{lda} + i] * y[i];
  for (int k = 0; k < columns; ++k) x[k] -= rest[k];
}

/// x -= A^T y
template <class S>
void subtract_transposed_times(int rows, int columns, const S* a, int lda, const S* y, S* x) {
  int k = 0;
  for (; k + 4 <= columns; k += 4)
    subtract_dots<S, 4>(rows, a + k * std::ptrdiff_t{lda}, lda, y, x + k);
  for (; k < columns; ++k) subtract_dots<S, 1>(rows, a + k * std::ptrdiff_t{lda}, lda, y, x + k);
}

}  // namespace rattleback::detail

// Unpivoted dense LDL^T on packed lower rows: the kernels shared by the dense, cluster and block
// chain solvers.
#pragma once

#include "rattleback/solve/factor_report.hpp"

namespace rattleback::detail {

/// Entries of a strictly lower triangle, row by row.
constexpr int packed_size(int n) { return n * (n - 1) / 2; }
constexpr int packed(int i, int j) { return i * (i - 1) / 2 + j; }

/// The number of rows: the compile-time M, or the run-time n where M is dynamic.
template <int M>
constexpr int rows(int n) {
  return M == dynamic ? n : M;
}

/// body<n>() for small n, so that its loops are unrolled; body<dynamic>() for others.
template <class Body>
inline void with_fixed_size(int n, Body&& body) {
  switch (n) {
    case 1:
      return body.template operator()<1>();
    case 2:
      return body.template operator()<2>();
    case 3:
      return body.template operator()<3>();
    case 4:
      return body.template operator()<4>();
    case 5:
      return body.template operator()<5>();
    case 6:
      return body.template operator()<6>();
    default:
      return body.template operator()<dynamic>();
  }
}

/// Row by row, loops unrolled for a compile-time M:
///   u_ij = a_ij - sum_k u_ik l_jk,  l_ij = u_ij / d_j,  d_i = a_ii - sum_j u_ij l_ij.
template <int M, class S, class Entry>
  requires(M != dynamic)
RATTLEBACK_INLINE void ldlt_factor(int, S* l, S* inverse, Entry&& entry, PivotMonitor<S>& result) {
  PivotMonitor<S> monitor = result;  // a copy can live in registers
#pragma GCC unroll 12
  for (int i = 0; i < M; ++i) {
    S u[M];
    const S a = entry(i, i);
    S d = a;
#pragma GCC unroll 12
    for (int j = 0; j < i; ++j) {
      S s = entry(i, j);
#pragma GCC unroll 12
      for (int k = 0; k < j; ++k) s -= u[k] * l[packed(j, k)];
      u[j] = s;
      const S m = s * inverse[j];
      l[packed(i, j)] = m;
      d -= s * m;
    }
    inverse[i] = S(1) / d;
    monitor.add(a, inverse[i]);
  }
  result = monitor;
}

/// Run-time size: column by column, so that the update of each row is a vector operation.
/// u is room for one column.
template <class S, class Entry>
void ldlt_factor_dynamic(int n, S* l, S* inverse, S* diagonal, S* u, Entry&& entry,
                         PivotMonitor<S>& monitor) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) l[packed(i, j)] = entry(i, j);
    diagonal[i] = entry(i, i);
  }
  for (int k = 0; k < n; ++k) {
    inverse[k] = S(1) / diagonal[k];
    for (int i = k + 1; i < n; ++i) {
      S* row = l + packed(i, 0);
      const S m = row[k] * inverse[k];
      u[i] = row[k];
      row[k] = m;
      for (int j = k + 1; j < i; ++j) row[j] -= m * u[j];
      diagonal[i] -= m * u[i];
    }
  }
  for (int k = 0; k < n; ++k) monitor.add(entry(k, k), inverse[k]);
}

/// b := (L D L^T)^-1 b on b[first], b[first + 1], ...
template <int M, class S, class Vec>
inline void ldlt_solve(int n, const S* l, const S* inverse, Vec&& b, int first = 0) {
  const int size = rows<M>(n);
#pragma GCC unroll 12
  for (int i = 1; i < size; ++i) {
    auto t = b[first + i];
#pragma GCC unroll 12
    for (int j = 0; j < i; ++j) t -= l[packed(i, j)] * b[first + j];
    b[first + i] = t;
  }
#pragma GCC unroll 12
  for (int i = 0; i < size; ++i) b[first + i] = b[first + i] * inverse[i];
#pragma GCC unroll 12
  for (int i = size - 1; i > 0; --i) {
    const auto t = b[first + i];
#pragma GCC unroll 12
    for (int j = 0; j < i; ++j) b[first + j] -= l[packed(i, j)] * t;
  }
}

}  // namespace rattleback::detail

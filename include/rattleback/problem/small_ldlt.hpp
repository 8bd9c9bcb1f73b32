// Solve with a small symmetric positive definite matrix in any scalar type, duals included.
#pragma once

#include "rattleback/problem/scalar.hpp"

namespace rattleback {

/// a = L D L^T without pivoting, in its lower half.
template <class S, int N>
void ldlt_factor(Matrix<S, N>& a) {
  const Eigen::Index n = a.rows();
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index k = 0; k < j; ++k) a(j, j) -= a(j, k) * a(j, k) * a(k, k);
    for (Eigen::Index i = j + 1; i < n; ++i) {
      for (Eigen::Index k = 0; k < j; ++k) a(i, j) -= a(i, k) * a(j, k) * a(k, k);
      a(i, j) /= a(j, j);
    }
  }
}
/// b <- a^-1 b after that.
template <class S, int N>
void ldlt_solve_factored(const Matrix<S, N>& a, Vector<S, N>& b) {
  const Eigen::Index n = b.size();
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index k = 0; k < i; ++k) b[i] -= a(i, k) * b[k];
  for (Eigen::Index i = 0; i < n; ++i) b[i] /= a(i, i);
  for (Eigen::Index i = n - 1; i >= 0; --i)
    for (Eigen::Index k = i + 1; k < n; ++k) b[i] -= a(k, i) * b[k];
}
/// b <- a^-1 b; overwrites a.
template <class S, int N>
void ldlt_solve(Matrix<S, N>& a, Vector<S, N>& b) {
  ldlt_factor(a);
  ldlt_solve_factored(a, b);
}

}  // namespace rattleback

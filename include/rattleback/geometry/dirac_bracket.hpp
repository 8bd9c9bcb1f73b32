// The Dirac bracket {F,G}_D = {F,G} - {F,chi_a} (C^-1)_ab {chi_b,G}, C = {chi,chi}  [Seiler (10)].
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "rattleback/expression/graph.hpp"
#include "rattleback/expression/program.hpp"
#include "rattleback/problem/scalar.hpp"

namespace rattleback {

/// Of functions chi of (q, p). Where C is singular (first class ones among them), the bracket is
/// that of a largest set of them with regular C, chosen once at a point and kept.
class DiracBracket {
 public:
  /// chi = (g, {g,H}) with {g_i,g_j} = 0 everywhere gives C the form [[0, Q], [-Q^T, S]]: then only
  /// Q is inverted  [Seiler (20)].
  DiracBracket(std::shared_ptr<Graph> graph, int n, const std::vector<Expression>& chi,
               const State<double>& z, double tolerance = 1e-10);

  /// The ones the bracket is made with, as numbers of the given ones.
  const std::vector<int>& second_class() const { return second_class_; }
  bool uses_blocks() const { return blocks_; }
  Graph& graph() const { return *graph_; }
  int dimension() const { return n_; }

  /// {z_l, z_m}_D for z = (q, p), by rows. In any scalar: with duals the bracket can be
  /// differentiated.
  template <class S>
  std::vector<S> tensor(const S* z) const;
  /// {F, G}_D at a point.
  double operator()(Expression f, Expression g, const State<double>& z) const;

 private:
  struct Entry {
    int row, input, index;
  };
  template <class S>
  void solve(std::vector<S>& c, std::vector<S>& right) const;

  std::shared_ptr<Graph> graph_;
  int n_;
  std::vector<int> second_class_;
  std::vector<Expression> chi_;
  Program program_;
  std::vector<Entry> entries_;
  bool blocks_ = false;
};

/// Largest |{{a,b},c} + cyclic| over all coordinates, over the size it could have.
double jacobi_defect(const DiracBracket& bracket, const State<double>& z);
/// Largest |{chi_a, z_m}_D| over the size it could have.
double casimir_defect(const DiracBracket& bracket, const std::vector<Expression>& chi,
                      const State<double>& z);

namespace detail {

/// a x = b for `columns` right-hand sides by elimination with row pivoting; both by rows.
template <class S>
void solve_dense(std::vector<S> a, int size, std::vector<S>& b, int columns) {
  const auto weight = [](const S& x) { return std::abs(static_cast<double>(base(x))); };
  for (int k = 0; k < size; ++k) {
    int pivot = k;
    for (int i = k + 1; i < size; ++i)
      if (weight(a[i * size + k]) > weight(a[pivot * size + k])) pivot = i;
    for (int j = 0; j < size; ++j) std::swap(a[k * size + j], a[pivot * size + j]);
    for (int j = 0; j < columns; ++j) std::swap(b[k * columns + j], b[pivot * columns + j]);
    for (int i = k + 1; i < size; ++i) {
      const S factor = a[i * size + k] / a[k * size + k];
      for (int j = k + 1; j < size; ++j) a[i * size + j] -= factor * a[k * size + j];
      for (int j = 0; j < columns; ++j) b[i * columns + j] -= factor * b[k * columns + j];
    }
  }
  for (int k = size - 1; k >= 0; --k)
    for (int j = 0; j < columns; ++j) {
      for (int i = k + 1; i < size; ++i) b[k * columns + j] -= a[k * size + i] * b[i * columns + j];
      b[k * columns + j] = b[k * columns + j] / a[k * size + k];
    }
}

}  // namespace detail

template <class S>
std::vector<S> DiracBracket::tensor(const S* z) const {
  const int n = n_, size = static_cast<int>(chi_.size()), columns = 2 * n;
  std::vector<S> values(entries_.size());
  program_.run(z, z, values.data(), values.data());
  // right(a, m) = {chi_a, z_m}
  std::vector<S> right(std::size_t(size) * columns, S(0.0)), c(std::size_t(size) * size, S(0.0));
  for (const Entry& e : entries_) {
    const bool is_q = e.input < n;
    S& slot = right[e.row * columns + (is_q ? e.input + n : e.input - n)];
    slot = is_q ? values[e.index] : S(-values[e.index]);
  }
  // {chi_a, chi_b} = sum_m {chi_a, z_m} dchi_b/dz_m
  for (const Entry& e : entries_)
    for (int a = 0; a < size; ++a)
      c[a * size + e.row] += right[a * columns + e.input] * values[e.index];
  std::vector<S> x = right;
  solve(c, x);
  std::vector<S> tensor(std::size_t(columns) * columns, S(0.0));
  for (int i = 0; i < n; ++i) {
    tensor[i * columns + n + i] = S(1.0);
    tensor[(n + i) * columns + i] = S(-1.0);
  }
  for (int a = 0; a < size; ++a)
    for (int l = 0; l < columns; ++l)
      for (int m = 0; m < columns; ++m)  // {z_l, chi_a} = -right(a, l)
        tensor[l * columns + m] += right[a * columns + l] * x[a * columns + m];
  return tensor;
}

template <class S>
void DiracBracket::solve(std::vector<S>& c, std::vector<S>& right) const {
  const int size = static_cast<int>(chi_.size()), columns = 2 * n_, half = size / 2;
  if (!blocks_) {
    detail::solve_dense(c, size, right, columns);
    return;
  }
  // C^-1 (a, b) = (Q^-T (S Q^-1 a - b), Q^-1 a)  [Seiler (20)]
  const std::size_t cut = std::size_t(half) * columns;
  std::vector<S> q(std::size_t(half) * half, S(0.0)), transposed = q;
  for (int i = 0; i < half; ++i)
    for (int j = 0; j < half; ++j)
      q[i * half + j] = transposed[j * half + i] = c[i * size + half + j];
  std::vector<S> lower(right.begin(), right.begin() + static_cast<std::ptrdiff_t>(cut));
  detail::solve_dense(q, half, lower, columns);
  std::vector<S> upper(cut, S(0.0));
  for (int i = 0; i < half; ++i)
    for (int j = 0; j < columns; ++j) {
      S sum = S(0.0) - right[cut + i * columns + j];
      for (int k = 0; k < half; ++k)
        sum += c[(half + i) * size + half + k] * lower[k * columns + j];
      upper[i * columns + j] = sum;
    }
  detail::solve_dense(transposed, half, upper, columns);
  std::copy(upper.begin(), upper.end(), right.begin());
  std::copy(lower.begin(), lower.end(), right.begin() + static_cast<std::ptrdiff_t>(cut));
}

}  // namespace rattleback

// Tridiagonal LDL^T and LU for chains. Rows are eliminated from both ends towards the middle, so
// that two independent recurrences hide each other's latency.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "rattleback/solve/factor_report.hpp"

namespace rattleback {

namespace detail {

/// Four rows of a chain of doubles. The pivot recurrence d_i = a_i - o_i^2 / d_{i-1} waits for a
/// division per row. With continuants P_i = a_i P_{i-1} - o_i^2 P_{i-2} and d_i = P_i / P_{i-1} the
/// four divisions are independent, one instruction. Each P_i is exact for a relative change of a_i
/// and o_i by round-off, as in the plain recurrence. Where the couplings of two rows differ, o_i^2
/// is their product.
struct FourRows {
  typedef double Row __attribute__((vector_size(32)));
  typedef long long Count __attribute__((vector_size(32)));

  // Pivots within these bounds cannot make a product of four overflow or underflow.
  static constexpr double smallest = 1e-70, largest = 1e70;

  Row least = Row{} + std::numeric_limits<double>::infinity(), most{}, lost{}, sum{};
  Count negative{};

  /// By the sign bit: one instruction.
  static Row absolute(const Row& x) {
    return reinterpret_cast<Row>(reinterpret_cast<Count>(x) &
                                 std::numeric_limits<long long>::max());
  }
  void note(const Row& a, const Row& inverse) {
    const Row size = absolute(inverse), loss = absolute(a * inverse);
    least = size < least ? size : least;
    most = size > most ? size : most;
    lost = loss > lost ? loss : lost;
    sum += inverse;
    negative -= inverse < 0;  // true is -1
  }

  /// P_i of rows with diagonals a and products of couplings c, affine in the inverse pivot before
  /// them: what is known without it does not wait for it.
  struct Continuants {
    Row alone, slope;
    RATTLEBACK_INLINE Continuants(double a0, double a1, double a2, double a3, double c0, double c1,
                                  double c2, double c3) {
      const double p2 = a1 * a0 - c1, p3 = a2 * p2 - c2 * a0, p4 = a3 * p3 - c3 * p2;
      const double s1 = -c0, s2 = a1 * s1, s3 = a2 * s2 - c2 * s1, s4 = a3 * s3 - c3 * s2;
      alone = Row{a0, p2, p3, p4}, slope = Row{s1, s2, s3, s4};
    }
  };
  /// Inverse pivots of these rows after the one of `before`.
  RATTLEBACK_INLINE static Row downwards(const Row& a, const Row& c, double before) {
    const Continuants k(a[0], a[1], a[2], a[3], c[0], c[1], c[2], c[3]);
    const Row p = k.alone + k.slope * before;
    return Row{1, p[0], p[1], p[2]} / p;
  }
  RATTLEBACK_INLINE static Row upwards(const Row& a, const Row& c, double after) {
    const Continuants k(a[3], a[2], a[1], a[0], c[3], c[2], c[1], c[0]);
    const Row p = k.alone + k.slope * after, x = Row{1, p[0], p[1], p[2]} / p;
    return Row{x[3], x[2], x[1], x[0]};
  }

  /// value(first), ...: at once where the caller knows how.
  template <class Value>
  static Row load(Value&& value, int first) {
    if constexpr (requires { value.four(first); })
      return value.four(first);
    else
      return Row{value(first), value(first + 1), value(first + 2), value(first + 3)};
  }

  void hand_over(PivotMonitor<double>& monitor) const {
    const auto fold = [](const Row& r, auto&& best) {
      return best(best(r[0], r[2]), best(r[1], r[3]));
    };
    using L = Lanes<double>;
    monitor.add_range(fold(least, L::smaller), fold(most, L::greater), fold(lost, L::greater),
                      (sum[0] + sum[2]) + (sum[1] + sum[3]),
                      int(negative[0] + negative[1] + negative[2] + negative[3]));
  }
};

}  // namespace detail

/// Tridiagonal matrix, symmetric or not; may be indefinite (no pivoting: see
/// FactorReport::smallest_pivot).
template <class S, bool symmetric>
class ChainElimination {
 public:
  /// Rows, of doubles, from which four are eliminated at once. By itself that is faster from 12 on;
  /// a step of RATTLE takes 4 % longer with 14 links, as long with 24, 1 % less with 28.
  static constexpr int few = 24;
  explicit ChainElimination(int size)
      : inverse_(size), forward_(size + 1), back_(symmetric ? 0 : size + 1) {
    if (size < 1) throw std::invalid_argument("ChainElimination: size is " + std::to_string(size));
  }

  int size() const { return static_cast<int>(inverse_.size()); }

  template <class Entry>
  FactorReport factor(Entry&& entry) {
    const auto diagonal = [&](int i) { return S(entry(i, i)); };
    const auto below = [&](int i) { return S(entry(i, i - 1)); };
    if constexpr (symmetric)
      return factor(diagonal, below);
    else
      return factor(diagonal, below, [&](int i) { return S(entry(i - 1, i)); });
  }
  /// diagonal(i) for 0 <= i < size; coupling(i) of rows i - 1 and i for 1 <= i < size.
  template <class Diagonal, class Coupling>
    requires symmetric
  FactorReport factor(Diagonal&& diagonal, Coupling&& coupling) {
    return factor(diagonal, coupling, coupling);
  }
  /// below(i) in row i, above(i) in row i - 1.
  template <class Diagonal, class Below, class Above>
  FactorReport factor(Diagonal&& diagonal, Below&& below, Above&& above) {
    if constexpr (std::is_same_v<S, double>) {
      using Four = detail::FourRows;
      if (size() >= few) {
        const FactorReport fast = eliminate<true>(diagonal, below, above);
        if (fast.ok && fast.smallest_pivot > Four::smallest && fast.largest_pivot < Four::largest)
          return fast;  // else once more, row by row: products of four may have left the range
      }
    }
    return eliminate<false>(diagonal, below, above);
  }

  /// Replaces b by the solution. b holds S, or duals over S.
  template <class Vec>
  void solve(Vec&& b) const {
    const int n = size(), middle = n / 2;
    const S* l = forward_.data();
    const S* u = symmetric ? l : back_.data();
    const S* d = inverse_.data();
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(b[0])>, double>) {
      if (n >= 8) return solve_two_rows(b, l, u, d, n, middle);
    }
    int i = 1, j = n - 2;
    for (; i < middle && j > middle; ++i, --j) {
      b[i] -= l[i] * b[i - 1];
      b[j] -= l[j + 1] * b[j + 1];
    }
    for (; i < middle; ++i) b[i] -= l[i] * b[i - 1];
    for (; j > middle; --j) b[j] -= l[j + 1] * b[j + 1];
    if (middle > 0) b[middle] -= l[middle] * b[middle - 1];
    if (middle < n - 1) b[middle] -= l[middle + 1] * b[middle + 1];
    b[middle] = b[middle] * d[middle];
    for (i = middle - 1, j = middle + 1; i >= 0 && j < n; --i, ++j) {
      b[i] = b[i] * d[i] - u[i + 1] * b[i + 1];
      b[j] = b[j] * d[j] - u[j] * b[j - 1];
    }
    for (; i >= 0; --i) b[i] = b[i] * d[i] - u[i + 1] * b[i + 1];
    for (; j < n; ++j) b[j] = b[j] * d[j] - u[j] * b[j - 1];
  }

 private:
  /// Couplings of rows k - 1 and k over the pivot that is eliminated first: to take that row from
  /// the other on the way in, and to put the other into it on the way back.
  RATTLEBACK_INLINE void keep(int k, const S& in, const S& back) {
    forward_[k] = in;
    if constexpr (!symmetric) back_[k] = back;
  }

  template <bool by_four, class Diagonal, class Below, class Above>
  FactorReport eliminate(Diagonal&& diagonal, Below&& below, Above&& above) {
    const int n = size(), middle = n / 2;
    S* d = inverse_.data();
    detail::PivotMonitor<S> monitor;
    int i = 0, j = n - 1;
    S down = S(0), up = S(0);  // inverse pivots of the rows before i and after j
    auto row_down = [&] {
      const S a = diagonal(i);
      const S c = i > 0 ? S(below(i)) : S(0), e = i > 0 ? S(above(i)) : S(0);
      const S m = c * down;
      keep(i, m, S(e * down));
      d[i] = down = S(1) / S(a - m * e);
      monitor.add(a, down);
      ++i;
    };
    auto row_up = [&] {
      const S a = diagonal(j);
      const S c = j < n - 1 ? S(below(j + 1)) : S(0), e = j < n - 1 ? S(above(j + 1)) : S(0);
      const S m = e * up;
      keep(j + 1, m, S(c * up));
      d[j] = up = S(1) / S(a - m * c);
      monitor.add(a, up);
      --j;
    };
    if constexpr (by_four) {
      row_down(), row_up();
      eliminate_by_four(diagonal, below, above, i, j, down, up, monitor);
    }
    while (i < middle && j > middle) row_down(), row_up();
    while (i < middle) row_down();
    while (j > middle) row_up();
    meet(diagonal(middle), below, above, down, up);
    monitor.add(diagonal(middle), d[middle]);
    auto row = [&](int k) { return k < middle ? k : n - 1 - (k - middle); };
    return detail::conclude(
        monitor, n, [&](int k) { return d[row(k)]; }, diagonal, row);
  }
  /// The row in the middle, which both ends have come to.
  template <class Below, class Above>
  void meet(const S& a, Below& below, Above& above, const S& down, const S& up) {
    const int n = size(), middle = n / 2;
    const S zero(0);
    const S c = middle > 0 ? S(below(middle)) : zero, e = middle > 0 ? S(above(middle)) : zero;
    const S f = middle < n - 1 ? S(below(middle + 1)) : zero;
    const S g = middle < n - 1 ? S(above(middle + 1)) : zero;
    keep(middle, S(c * down), S(e * down));
    keep(middle + 1, S(g * up), S(f * up));
    inverse_[middle] = S(1) / S(a - forward_[middle] * e - forward_[middle + 1] * f);
  }

  template <class Diagonal, class Below, class Above>
  void eliminate_by_four(Diagonal& diagonal, Below& below, Above& above, int& i, int& j,
                         double& down, double& up, detail::PivotMonitor<double>& monitor) {
    using Four = detail::FourRows;
    using Row = Four::Row;
    const int middle = size() / 2;
    Four four;
    auto store = [](double* to, const Row& row) { std::memcpy(to, &row, sizeof row); };
    for (; i + 4 <= middle && j - 4 >= middle; i += 4, j -= 4) {
      const Row a = Four::load(diagonal, i), b = Four::load(diagonal, j - 3);
      const Row c = Four::load(below, i), f = Four::load(below, j - 2);
      const Row e = symmetric ? c : Four::load(above, i);
      const Row g = symmetric ? f : Four::load(above, j - 2);
      const Row x = Four::downwards(a, c * e, down), y = Four::upwards(b, f * g, up);
      const Row before{down, x[0], x[1], x[2]}, after{y[1], y[2], y[3], up};
      store(&inverse_[i], x), store(&inverse_[j - 3], y);
      store(&forward_[i], c * before), store(&forward_[j - 2], g * after);
      if constexpr (!symmetric) store(&back_[i], e * before), store(&back_[j - 2], f * after);
      down = x[3], up = y[0];
      four.note(a, x), four.note(b, y);
    }
    four.hand_over(monitor);
  }

  /// Two rows per turn: t_{i+1} = (b_{i+1} - l_{i+1} b_i) + l_{i+1} l_i t_{i-1} makes the chain of
  /// dependent operations half as long, for one more multiplication per row.
  template <class Vec>
  static void solve_two_rows(Vec& b, const double* l, const double* r, const double* d, int n,
                             int middle) {
    double t = b[0], u = b[n - 1];
    int i = 1, j = n - 2;
    for (; i + 1 < middle && j - 1 > middle; i += 2, j -= 2) {
      const double bi = b[i], bj = b[j];
      const double s = b[i + 1] - l[i + 1] * bi, ll = l[i + 1] * l[i];
      const double v = b[j - 1] - l[j] * bj, mm = l[j] * l[j + 1];
      b[i] = bi - l[i] * t;
      b[j] = bj - l[j + 1] * u;
      b[i + 1] = t = s + ll * t;
      b[j - 1] = u = v + mm * u;
    }
    for (; i < middle; ++i) b[i] = t = b[i] - l[i] * t;
    for (; j > middle; --j) b[j] = u = b[j] - l[j + 1] * u;
    b[middle] = t = u = (b[middle] - l[middle] * t - l[middle + 1] * u) * d[middle];
    for (i = middle - 1, j = middle + 1; i >= 1 && j < n - 1; i -= 2, j += 2) {
      const double bi = b[i] * d[i], bj = b[j] * d[j];
      const double s = b[i - 1] * d[i - 1] - r[i] * bi, ll = r[i] * r[i + 1];
      const double v = b[j + 1] * d[j + 1] - r[j + 1] * bj, mm = r[j + 1] * r[j];
      b[i] = bi - r[i + 1] * t;
      b[j] = bj - r[j] * u;
      b[i - 1] = t = s + ll * t;
      b[j + 1] = u = v + mm * u;
    }
    for (; i >= 0; --i) b[i] = t = b[i] * d[i] - r[i + 1] * t;
    for (; j < n; ++j) b[j] = u = b[j] * d[j] - r[j] * u;
  }

  std::vector<S> inverse_;         // 1 / d_i
  std::vector<S> forward_, back_;  // [i]: between i - 1 and i; one where symmetric
};

template <class S>
using ChainLdlt = ChainElimination<S, true>;
template <class S>
using ChainLu = ChainElimination<S, false>;

}  // namespace rattleback

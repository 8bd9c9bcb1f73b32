// Tridiagonal LDL^T for chains. Rows are eliminated from both ends towards the middle, so that two
// independent recurrences hide each other's latency.
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
/// and o_i by round-off, as in the plain recurrence.
struct FourRows {
  typedef double Row __attribute__((vector_size(32)));
  typedef long long Count __attribute__((vector_size(32)));

  // Pivots within these bounds cannot make a product of four overflow or underflow.
  static constexpr double smallest = 1e-70, largest = 1e70;

  Row least = Row{} + std::numeric_limits<double>::infinity(), most{}, lost{}, sum{};
  Count negative{};

  void note(const Row& a, const Row& inverse) {
    const Row size = inverse < 0 ? -inverse : inverse;
    const Row signed_loss = a * inverse, loss = signed_loss < 0 ? -signed_loss : signed_loss;
    least = size < least ? size : least;
    most = size > most ? size : most;
    lost = loss > lost ? loss : lost;
    sum += inverse;
    negative -= inverse < 0;  // true is -1
  }

  /// Inverse pivots of rows with diagonals a and squared couplings c, after the one of `before`.
  static Row downwards(const Row& a, const Row& c, double before) {
    const double p1 = a[0] - c[0] * before;
    const double p2 = a[1] * p1 - c[1];
    const double p3 = a[2] * p2 - c[2] * p1;
    const double p4 = a[3] * p3 - c[3] * p2;
    return Row{1, p1, p2, p3} / Row{p1, p2, p3, p4};
  }
  static Row upwards(const Row& a, const Row& c, double after) {
    const double p1 = a[3] - c[3] * after;
    const double p2 = a[2] * p1 - c[2];
    const double p3 = a[1] * p2 - c[1] * p1;
    const double p4 = a[0] * p3 - c[0] * p2;
    return Row{p3, p2, p1, 1} / Row{p4, p3, p2, p1};
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

/// Symmetric tridiagonal matrix; may be indefinite (no pivoting: see FactorReport::smallest_pivot).
template <class S>
class ChainLdlt {
 public:
  explicit ChainLdlt(int size) : inverse_(size), multiplier_(size + 1) {
    if (size < 1) throw std::invalid_argument("ChainLdlt: size is " + std::to_string(size));
  }

  int size() const { return static_cast<int>(inverse_.size()); }

  template <class Entry>
  FactorReport factor(Entry&& entry) {
    return factor([&](int i) { return S(entry(i, i)); }, [&](int i) { return S(entry(i, i - 1)); });
  }

  /// diagonal(i) for 0 <= i < size; coupling(i) of rows i - 1 and i for 1 <= i < size.
  template <class Diagonal, class Coupling>
  FactorReport factor(Diagonal&& diagonal, Coupling&& coupling) {
    if constexpr (std::is_same_v<S, double>) {
      using Four = detail::FourRows;
      if (size() >= 24) {
        const FactorReport fast = eliminate<true>(diagonal, coupling);
        if (fast.ok && fast.smallest_pivot > Four::smallest && fast.largest_pivot < Four::largest)
          return fast;  // else once more, row by row: products of four may have left the range
      }
    }
    return eliminate<false>(diagonal, coupling);
  }

  /// Replaces b by the solution. b holds S, or duals over S.
  template <class Vec>
  void solve(Vec&& b) const {
    const int n = size(), middle = n / 2;
    const S* l = multiplier_.data();
    const S* d = inverse_.data();
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(b[0])>, double>) {
      if (n >= 8) return solve_two_rows(b, l, d, n, middle);
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
      b[i] = b[i] * d[i] - l[i + 1] * b[i + 1];
      b[j] = b[j] * d[j] - l[j] * b[j - 1];
    }
    for (; i >= 0; --i) b[i] = b[i] * d[i] - l[i + 1] * b[i + 1];
    for (; j < n; ++j) b[j] = b[j] * d[j] - l[j] * b[j - 1];
  }

 private:
  template <bool by_four, class Diagonal, class Coupling>
  FactorReport eliminate(Diagonal&& diagonal, Coupling&& coupling) {
    const int n = size(), middle = n / 2;
    S* d = inverse_.data();
    S* l = multiplier_.data();
    detail::PivotMonitor<S> monitor;
    int i = 0, j = n - 1;
    S down = S(0), up = S(0);  // inverse pivots of the rows before i and after j
    auto row_down = [&] {
      const S a = diagonal(i);
      const S c = i > 0 ? S(coupling(i)) : S(0);
      const S m = c * down;
      l[i] = m;
      d[i] = down = S(1) / S(a - m * c);
      monitor.add(a, down);
      ++i;
    };
    auto row_up = [&] {
      const S a = diagonal(j);
      const S c = j < n - 1 ? S(coupling(j + 1)) : S(0);
      const S m = c * up;
      l[j + 1] = m;
      d[j] = up = S(1) / S(a - m * c);
      monitor.add(a, up);
      --j;
    };
    if constexpr (by_four) {
      row_down(), row_up();
      eliminate_by_four(diagonal, coupling, i, j, down, up, monitor);
    }
    while (i < middle && j > middle) row_down(), row_up();
    while (i < middle) row_down();
    while (j > middle) row_up();
    const S a = diagonal(middle);
    const S c = middle > 0 ? S(coupling(middle)) : S(0);
    const S e = middle < n - 1 ? S(coupling(middle + 1)) : S(0);
    l[middle] = c * down;
    l[middle + 1] = e * up;
    d[middle] = S(1) / S(a - l[middle] * c - l[middle + 1] * e);
    monitor.add(a, d[middle]);
    auto row = [&](int k) { return k < middle ? k : n - 1 - (k - middle); };
    return detail::conclude(
        monitor, n, [&](int k) { return d[row(k)]; }, diagonal, row);
  }

  template <class Diagonal, class Coupling>
  void eliminate_by_four(Diagonal& diagonal, Coupling& coupling, int& i, int& j, double& down,
                         double& up, detail::PivotMonitor<double>& monitor) {
    using Four = detail::FourRows;
    using Row = Four::Row;
    const int middle = size() / 2;
    Four four;
    auto store = [](double* to, const Row& row) { std::memcpy(to, &row, sizeof row); };
    for (; i + 4 <= middle && j - 4 >= middle; i += 4, j -= 4) {
      const Row a = Four::load(diagonal, i), c = Four::load(coupling, i);
      const Row e = Four::load(diagonal, j - 3), f = Four::load(coupling, j - 2);
      const Row x = Four::downwards(a, c * c, down), y = Four::upwards(e, f * f, up);
      store(&inverse_[i], x);
      store(&multiplier_[i], c * Row{down, x[0], x[1], x[2]});
      store(&inverse_[j - 3], y);
      store(&multiplier_[j - 2], f * Row{y[1], y[2], y[3], up});
      down = x[3], up = y[0];
      four.note(a, x), four.note(e, y);
    }
    four.hand_over(monitor);
  }

  /// Two rows per turn: t_{i+1} = (b_{i+1} - l_{i+1} b_i) + l_{i+1} l_i t_{i-1} makes the chain of
  /// dependent operations half as long, for one more multiplication per row.
  template <class Vec>
  static void solve_two_rows(Vec& b, const double* l, const double* d, int n, int middle) {
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
      const double s = b[i - 1] * d[i - 1] - l[i] * bi, ll = l[i] * l[i + 1];
      const double v = b[j + 1] * d[j + 1] - l[j + 1] * bj, mm = l[j + 1] * l[j];
      b[i] = bi - l[i + 1] * t;
      b[j] = bj - l[j] * u;
      b[i - 1] = t = s + ll * t;
      b[j + 1] = u = v + mm * u;
    }
    for (; i >= 0; --i) b[i] = t = b[i] * d[i] - l[i + 1] * t;
    for (; j < n; ++j) b[j] = u = b[j] * d[j] - l[j] * u;
  }

  std::vector<S> inverse_;     // 1 / d_i
  std::vector<S> multiplier_;  // [i]: coupling of i - 1 and i over the pivot eliminated first
};

}  // namespace rattleback

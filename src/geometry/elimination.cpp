#include "elimination.hpp"

#include <algorithm>
#include <set>

namespace rattleback::detail {

bool Elimination::is_zero(const Sized& x) {
  const double ratio = x.ratio();
  if (ratio > tolerance_) return false;
  most_dropped_ = std::max(most_dropped_, ratio);
  return true;
}

void Elimination::reduce(int i, SizedRow& row) {
  const int columns = static_cast<int>(pivot_of_.size());
  std::set<int> open;  // pivots whose column the row has
  for (const auto& [j, value] : row)
    if (j < columns && pivot_of_[j] >= 0) open.insert(pivot_of_[j]);
  while (!open.empty()) {
    const int k = *open.begin();
    open.erase(open.begin());
    const auto at = row.find(pivots_[k].column);
    if (at == row.end()) continue;
    const Sized entry = at->second;
    row.erase(at);
    if (is_zero(entry)) continue;
    const Sized& pivot = kept_[k].at(pivots_[k].column);
    const double factor = entry.value / pivot.value;
    // Of a - (b/c) d: the largest of the four errors, not their sum. Sums would grow with every
    // operation, and in long chains of them hide what is not zero.
    const double per_value =
        std::max(entry.size, std::abs(factor) * pivot.size) / std::abs(pivot.value);
    operations_[i].push_back({k, factor});
    for (const auto& [j, value] : kept_[k]) {
      if (j == pivots_[k].column) continue;
      const auto [slot, is_new] = row.try_emplace(j);
      slot->second.value -= factor * value.value;
      slot->second.size = std::max(
          {slot->second.size, std::abs(factor) * value.size, std::abs(value.value) * per_value});
      if (is_new && j < columns && pivot_of_[j] >= 0) open.insert(pivot_of_[j]);
    }
  }
}

/// Large enough, used by the fewest rows to come (little fill), then the largest; -1: all are zero.
int Elimination::choose(const SizedRow& row, const std::vector<double>& scale,
                        const std::vector<int>& later, int preferred) {
  const int columns = static_cast<int>(pivot_of_.size());
  const auto weight = [&](const auto& entry) {
    return std::abs(entry.second.value) / scale[entry.first];
  };
  double largest = 0;
  for (const auto& entry : row)
    if (entry.first < columns) largest = std::max(largest, weight(entry));
  int best = -1;
  double best_weight = 0;
  for (const auto& entry : row) {
    const int j = entry.first;
    const double w = j < columns ? weight(entry) : 0;
    if (w == 0 || w < (j == preferred ? 0.1 : 0.3) * largest) continue;
    if (j == preferred) return j;
    if (best < 0 || later[j] < later[best] || (later[j] == later[best] && w > best_weight))
      best = j, best_weight = w;
  }
  return best;
}

void Elimination::run(const std::vector<SizedRow>& rows, const std::vector<int>& preferred) {
  const int columns = static_cast<int>(pivot_of_.size());
  std::vector<int> later(columns);  // rows still to come that have the column
  std::vector<double> scale(columns);
  for (const SizedRow& row : rows)
    for (const auto& [j, value] : row)
      if (j < columns) ++later[j], scale[j] = std::max(scale[j], value.size);
  operations_.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SizedRow row = rows[i];
    bool vanishes = true;
    for (const auto& [j, value] : rows[i])
      if (j < columns) {
        --later[j];
        vanishes = vanishes && value.ratio() <= tolerance_;
      }
    reduce(static_cast<int>(i), row);
    for (auto at = row.begin(); at != row.end() && at->first < columns;)
      at = is_zero(at->second) ? row.erase(at) : std::next(at);
    const int best = choose(row, scale, later, preferred.empty() ? -1 : preferred[i]);
    if (best < 0) {
      dependent_.push_back({static_cast<int>(i), vanishes, std::move(row)});
      continue;
    }
    least_kept_ = std::min(least_kept_, row.at(best).ratio());
    pivot_of_[best] = rank();
    pivots_.push_back({static_cast<int>(i), best});
    kept_.push_back(std::move(row));
  }
}

std::vector<std::pair<int, double>> Elimination::combination(int row) const {
  // row = sum of factor * kept row; a kept row is its own row less the operations done on it.
  std::map<int, double> factors, open;  // open: by pivot
  for (const Operation& o : operations_[row]) open[o.pivot] += o.factor;
  while (!open.empty()) {
    const auto [k, factor] = *open.rbegin();
    open.erase(std::prev(open.end()));
    factors[pivots_[k].row] += factor;
    for (const Operation& o : operations_[pivots_[k].row]) open[o.pivot] -= factor * o.factor;
  }
  return {factors.begin(), factors.end()};
}

void Elimination::solve(std::vector<double>& b) const {
  const int n = rank();
  std::vector<double> y(n);
  for (int k = 0; k < n; ++k) {
    y[k] = b[pivots_[k].row];
    for (const Operation& o : operations_[pivots_[k].row]) y[k] -= o.factor * y[o.pivot];
  }
  for (int k = n - 1; k >= 0; --k) {
    const int column = pivots_[k].column;
    double rest = y[k];
    for (const auto& [j, value] : kept_[k])
      if (j != column && j < static_cast<int>(pivot_of_.size())) rest -= value.value * b[j];
    b[column] = rest / kept_[k].at(column).value;
  }
}

std::vector<double> singular_values(const std::vector<SizedRow>& rows, int columns) {
  const int m = static_cast<int>(rows.size());
  std::vector<std::vector<double>> a(m, std::vector<double>(columns));
  for (int i = 0; i < m; ++i)
    for (const auto& [j, value] : rows[i])
      if (j < columns) a[i][j] = value.value;
  const auto dot = [&](int i, int j) {
    double sum = 0;
    for (int k = 0; k < columns; ++k) sum += a[i][k] * a[j][k];
    return sum;
  };
  std::vector<double> norm2(m);
  for (int sweep = 0; sweep < 30; ++sweep) {
    double worst = 0;
    for (int i = 0; i < m; ++i) norm2[i] = dot(i, i);
    const double total = m == 0 ? 0 : *std::max_element(norm2.begin(), norm2.end());
    for (int i = 0; i < m; ++i)
      for (int j = i + 1; j < m; ++j) {
        const double c = dot(i, j), bound = std::sqrt(norm2[i] * norm2[j]);
        if (!(std::abs(c) > 1e-15 * bound) || !(std::abs(c) > 1e-32 * total)) continue;
        worst = std::max(worst, std::abs(c) / bound);
        const double zeta = (norm2[j] - norm2[i]) / (2 * c);
        const double t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::hypot(1.0, zeta));
        const double cosine = 1 / std::hypot(1.0, t), sine = cosine * t;
        for (int k = 0; k < columns; ++k) {
          const double x = a[i][k], y = a[j][k];
          a[i][k] = cosine * x - sine * y;
          a[j][k] = sine * x + cosine * y;
        }
        norm2[i] = dot(i, i);
        norm2[j] = dot(j, j);
      }
    if (worst < 1e-13) break;
  }
  std::vector<double> sigma(m);
  for (int i = 0; i < m; ++i) sigma[i] = std::sqrt(dot(i, i));
  std::sort(sigma.rbegin(), sigma.rend());
  return sigma;
}

std::vector<double> symmetric_eigenvalues(std::vector<double> a, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) a[i * n + j] = a[j * n + i] = (a[i * n + j] + a[j * n + i]) / 2;
  double total = 0;
  for (const double x : a) total += x * x;
  for (int sweep = 0; sweep < 40; ++sweep) {
    double off = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) off += a[i * n + j] * a[i * n + j];
    if (off <= 1e-30 * total) break;
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j < n; ++j) {
        const double c = a[i * n + j];
        if (c == 0) continue;
        const double zeta = (a[j * n + j] - a[i * n + i]) / (2 * c);
        const double t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::hypot(1.0, zeta));
        const double cosine = 1 / std::hypot(1.0, t), sine = cosine * t;
        for (int k = 0; k < n; ++k) {
          const double x = a[k * n + i], y = a[k * n + j];
          a[k * n + i] = cosine * x - sine * y;
          a[k * n + j] = sine * x + cosine * y;
        }
        for (int k = 0; k < n; ++k) {
          const double x = a[i * n + k], y = a[j * n + k];
          a[i * n + k] = cosine * x - sine * y;
          a[j * n + k] = sine * x + cosine * y;
        }
      }
  }
  std::vector<double> values(n);
  for (int i = 0; i < n; ++i) values[i] = a[i * n + i];
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace rattleback::detail

#include "elimination.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "rattleback/solve/ordering.hpp"

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

double Elimination::weight(const SizedRow& row, int column) const {
  return std::abs(row.at(column).value) / scale_[column];
}

/// The column with the largest entry, in units of the columns; -1: all are zero.
int Elimination::heaviest(const SizedRow& row) const {
  int best = -1;
  double most = 0;
  for (const auto& [j, value] : row)
    if (j < static_cast<int>(scale_.size()))
      if (const double w = std::abs(value.value) / scale_[j]; w > most) best = j, most = w;
  return best;
}

/// Large enough, used by the fewest rows to come (little fill), then the largest.
int Elimination::choose(const SizedRow& row, double largest, const std::vector<int>& later,
                        int preferred) const {
  int best = -1;
  double best_weight = 0;
  for (const auto& [j, value] : row) {
    if (j >= static_cast<int>(scale_.size())) continue;
    const double w = std::abs(value.value) / scale_[j];
    if (w == 0 || w < (j == preferred ? 0.1 : 0.3) * largest) continue;
    if (j == preferred) return j;
    if (best < 0 || later[j] < later[best] || (later[j] == later[best] && w > best_weight))
      best = j, best_weight = w;
  }
  return best;
}

namespace {

/// Rows that meet in a column, or in the column that one of them is to have as pivot: so many of
/// them come to share entries as the elimination goes on.
CouplingPattern couplings(const std::vector<SizedRow>& rows, int columns,
                          const std::vector<int>& preferred) {
  constexpr std::size_t crowd = 32;  // a column of more is dense anyway
  const int m = static_cast<int>(rows.size());
  std::vector<int> owner(columns, -1);
  for (int i = 0; i < m && !preferred.empty(); ++i)
    if (preferred[i] >= 0 && rows[i].count(preferred[i])) owner[preferred[i]] = i;
  std::vector<std::vector<int>> users(columns);
  CouplingPattern pattern(m);
  for (int i = 0; i < m; ++i)
    for (const auto& [j, value] : rows[i]) {
      if (j >= columns) continue;
      auto& others = users[j];
      if (owner[j] >= 0)
        pattern[i].push_back(owner[j]);
      else if (others.size() >= crowd)
        pattern[i].push_back(others.back());
      else
        pattern[i].insert(pattern[i].end(), others.begin(), others.end());
      others.push_back(i);
    }
  return normalised(pattern);
}

std::vector<int> order_of(const std::vector<SizedRow>& rows, int columns,
                          const std::vector<int>& preferred, const std::vector<int>& rank_of) {
  std::vector<int> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  if (order.size() <= Elimination::many) return order;
  const CouplingPattern pattern = couplings(rows, columns, preferred);
  if (auto perfect = perfect_elimination_ordering(pattern))
    order = std::move(*perfect);
  else
    order = fill_reducing_ordering(pattern);
  if (!rank_of.empty())
    std::stable_sort(order.begin(), order.end(),
                     [&](int i, int j) { return rank_of[i] < rank_of[j]; });
  return order;
}

}  // namespace

void Elimination::run(const std::vector<SizedRow>& rows, const std::vector<int>& preferred,
                      const std::vector<int>& rank_of) {
  const int columns = static_cast<int>(pivot_of_.size());
  std::vector<int> later(columns);  // rows still to come that have the column
  scale_.assign(columns, 0);
  for (const SizedRow& row : rows)
    for (const auto& [j, value] : row)
      if (j < columns) ++later[j], scale_[j] = std::max(scale_[j], value.size);
  operations_.resize(rows.size());
  is_pivot_.assign(rows.size(), false);
  size_.assign(rows.size(), 0);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (const int j = heaviest(rows[i]); j >= 0) size_[i] = weight(rows[i], j);
  const std::vector<int> order = order_of(rows, columns, preferred, rank_of);
  const auto rank = [&](int i) { return rank_of.empty() ? 0 : rank_of[i]; };
  for (auto first = order.begin(); first != order.end();) {
    const auto end =
        std::find_if(first, order.end(), [&](int i) { return rank(i) != rank(*first); });
    take_all({first, end}, rows, preferred, later);
    first = end;
  }
}

/// Of many rows those that nearly depend on others wait: a later one may have their direction, too,
/// and then more of it. So what is kept is well conditioned where it can be.
void Elimination::take_all(std::vector<int> open, const std::vector<SizedRow>& rows,
                           const std::vector<int>& preferred, std::vector<int>& later) {
  const bool first_come = static_cast<int>(rows.size()) <= many;
  for (const double least : {0.1, 1e-3, 1e-6, 0.0}) {
    if (first_come && least > 0) continue;
    std::vector<int> waiting;
    for (const int i : open)
      if (!take(i, rows[i], later, preferred.empty() ? -1 : preferred[i], least))
        waiting.push_back(i);
    open = std::move(waiting);
  }
}

/// False: it has to wait, as less than this part of it is left.
bool Elimination::take(int i, const SizedRow& given, std::vector<int>& later, int preferred,
                       double least) {
  const int columns = static_cast<int>(pivot_of_.size());
  SizedRow row = given;
  operations_[i].clear();
  reduce(i, row);
  for (auto at = row.begin(); at != row.end() && at->first < columns;)
    at = is_zero(at->second) ? row.erase(at) : std::next(at);
  const int most = heaviest(row);
  if (most >= 0 && weight(row, most) < least * size_[i]) return false;
  bool vanishes = true;
  for (const auto& [j, value] : given)
    if (j < columns) {
      --later[j];
      vanishes = vanishes && value.ratio() <= tolerance_;
    }
  if (most < 0) {
    dependent_.push_back({i, vanishes, std::move(row)});
    return true;
  }
  const int best = choose(row, weight(row, most), later, preferred);
  least_kept_ = std::min(least_kept_, row.at(best).ratio());
  pivot_of_[best] = rank();
  pivots_.push_back({i, best});
  kept_.push_back(std::move(row));
  is_pivot_[i] = true;
  return true;
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

#include "rattleback/solve/independent_rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "rattleback/solve/sparse.hpp"

namespace rattleback {

namespace {

double length(const SparseRow& row) {
  double largest = 0;
  for (const auto& [j, x] : row) largest = std::max(largest, std::abs(x));
  if (!(largest > 0)) return 0;
  double sum = 0;
  for (const auto& [j, x] : row) sum += (x / largest) * (x / largest);
  return largest * std::sqrt(sum);
}

SparseRow of_unit_length(const SparseRow& row) {
  SparseRow unit = row;
  const double size = length(row);
  for (auto& [j, x] : unit) x /= size;
  return unit;
}

/// Those that are no multiple of an earlier one.
std::vector<int> without_parallels(const std::vector<SparseRow>& rows) {
  constexpr std::size_t most_compared = 8;
  std::map<std::vector<int>, std::vector<int>> by_columns;
  std::vector<int> left;
  for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
    if (!(length(rows[i]) > 0)) continue;
    std::vector<int> columns;
    for (const auto& [j, x] : rows[i])
      if (x != 0) columns.push_back(j);
    auto& others = by_columns[columns];
    const bool parallel = std::ranges::any_of(others, [&](int k) {
      const double size = length(rows[i]) * length(rows[k]);
      return std::abs(product(rows[i], rows[k])) >= (1 - 1e-15) * size;
    });
    if (parallel) continue;
    if (others.size() < most_compared) others.push_back(i);
    left.push_back(i);
  }
  return left;
}

CouplingPattern couplings(const std::vector<SparseRow>& rows) {
  std::map<int, std::vector<int>> users;
  CouplingPattern pattern(rows.size());
  for (int i = 0; i < static_cast<int>(rows.size()); ++i)
    for (const auto& [j, x] : rows[i]) {
      auto& others = users[j];
      pattern[i].insert(pattern[i].end(), others.begin(), others.end());
      others.push_back(i);
    }
  return normalised(pattern);
}

std::vector<int> order_of(const CouplingPattern& pattern) {
  auto perfect = perfect_elimination_ordering(pattern);
  return perfect ? std::move(*perfect) : fill_reducing_ordering(pattern);
}

/// The LDL^T of R R^T up to rows whose pivot is below a bound: they are passed over.
class PassingLdlt {
 public:
  PassingLdlt(const std::vector<SparseRow>& rows, const CouplingPattern& pattern, double bound)
      : layout_(detail::sparse_layout(pattern, order_of(pattern))),
        lower_(layout_.column_row.size()),
        inverse_(rows.size()) {
    std::vector<std::size_t> filled(layout_.column_start.begin(), layout_.column_start.end() - 1);
    std::vector<double> row(rows.size());
    for (int k = 0; k < static_cast<int>(rows.size()); ++k) {
      const int own = layout_.order[k];
      for (std::size_t p = layout_.entry_start[k]; p < layout_.entry_start[k + 1]; ++p)
        row[layout_.entry_column[p]] =
            product(rows[own], rows[layout_.order[layout_.entry_column[p]]]);
      double pivot = 1;
      for (std::size_t q = layout_.row_start[k]; q < layout_.row_start[k + 1]; ++q) {
        const int j = layout_.row_column[q];
        const double u = std::exchange(row[j], 0.0);
        const std::size_t end = filled[j]++;
        for (std::size_t p = layout_.column_start[j]; p < end; ++p)
          row[layout_.column_row[p]] -= lower_[p] * u;
        lower_[end] = u * inverse_[j];
        pivot -= lower_[end] * u;
      }
      const bool passed = pivot < bound;
      inverse_[k] = passed ? 0 : 1 / pivot;
      if (passed) dropped_ = std::max(dropped_, pivot);
      if (!passed) least_ = std::min(least_, pivot);
      (passed ? weak : kept).push_back(own);
    }
  }

  /// b <- (R R^T)^-1 b among the kept rows, and zero in the others.
  void solve(std::vector<double>& b) const {
    const int n = static_cast<int>(inverse_.size());
    const auto& start = layout_.column_start;
    for (int j = 0; j < n; ++j) {
      const double t = b[layout_.order[j]];
      if (inverse_[j] == 0) continue;
      for (std::size_t p = start[j]; p < start[j + 1]; ++p)
        b[layout_.column_constraint[p]] -= lower_[p] * t;
    }
    for (int j = n - 1; j >= 0; --j) {
      double t = b[layout_.order[j]] * inverse_[j];
      if (inverse_[j] == 0) t = 0;
      for (std::size_t p = start[j]; p < start[j + 1] && inverse_[j] != 0; ++p)
        t -= lower_[p] * b[layout_.column_constraint[p]];
      b[layout_.order[j]] = t;
    }
  }

  std::vector<int> kept, weak;  // in the order of elimination
  double least() const { return least_; }
  double dropped() const { return dropped_; }

 private:
  detail::SparseLayout layout_;
  std::vector<double> lower_, inverse_;
  double least_ = 1, dropped_ = 0;
};

/// Gram matrix of the weak rows less what the kept ones have of them, row by row.
std::vector<double> rest_of_weak(const std::vector<SparseRow>& rows, const CouplingPattern& pattern,
                                 const PassingLdlt& ldlt) {
  const std::size_t s = ldlt.weak.size();
  std::vector<double> rest(s * s), b(rows.size());
  std::vector<bool> kept(rows.size());
  for (const int i : ldlt.kept) kept[i] = true;
  for (std::size_t a = 0; a < s; ++a) {
    const int i = ldlt.weak[a];
    std::ranges::fill(b, 0);
    for (const int k : pattern[i])
      if (kept[k]) b[k] = product(rows[i], rows[k]);
    ldlt.solve(b);
    for (std::size_t c = 0; c <= a; ++c) {
      const int j = ldlt.weak[c];
      double sum = product(rows[i], rows[j]);
      for (const int k : pattern[j])
        if (kept[k]) sum -= b[k] * product(rows[j], rows[k]);
      rest[a * s + c] = rest[c * s + a] = sum;
    }
  }
  return rest;
}

/// Largest pivots first; how many of the weak rows are kept, which `order` names first.
std::size_t keep_weak(std::vector<double>& rest, std::vector<int>& order, double zero,
                      IndependentRows& result) {
  const std::size_t s = order.size();
  std::vector<std::size_t> at(s);
  for (std::size_t i = 0; i < s; ++i) at[i] = i;
  for (std::size_t k = 0; k < s; ++k) {
    std::size_t best = k;
    for (std::size_t i = k; i < s; ++i)
      if (rest[at[i] * s + at[i]] > rest[at[best] * s + at[best]]) best = i;
    std::swap(at[k], at[best]);
    std::swap(order[k], order[best]);
    const double pivot = rest[at[k] * s + at[k]];
    if (!(pivot > zero)) {
      result.most_dropped = std::max(result.most_dropped, pivot);
      return k;
    }
    result.least_kept = std::min(result.least_kept, pivot);
    for (std::size_t i = k + 1; i < s; ++i) {
      const double factor = rest[at[i] * s + at[k]] / pivot;
      if (factor == 0) continue;
      for (std::size_t j = k + 1; j < s; ++j)
        rest[at[i] * s + at[j]] -= factor * rest[at[k] * s + at[j]];
    }
  }
  return s;
}

}  // namespace

IndependentRows independent_rows(const std::vector<SparseRow>& rows, double zero) {
  constexpr double weak = 0.01;
  constexpr std::size_t most_dense = 1000;
  IndependentRows result;
  const std::vector<int> candidates = without_parallels(rows);
  std::vector<SparseRow> unit;
  unit.reserve(candidates.size());
  for (const int i : candidates) unit.push_back(of_unit_length(rows[i]));
  const CouplingPattern pattern = couplings(unit);
  PassingLdlt ldlt(unit, pattern, weak);
  if (ldlt.weak.size() > most_dense) ldlt = PassingLdlt(unit, pattern, zero);
  result.least_kept = ldlt.least();
  std::vector<int> kept = ldlt.kept;
  if (ldlt.weak.size() <= most_dense) {
    std::vector<double> rest = rest_of_weak(unit, pattern, ldlt);
    std::vector<int> order = ldlt.weak;
    const std::size_t more = keep_weak(rest, order, zero, result);
    kept.insert(kept.end(), order.begin(), order.begin() + static_cast<std::ptrdiff_t>(more));
  } else {
    result.most_dropped = ldlt.dropped();
  }
  std::vector<bool> is_kept(rows.size());
  for (const int k : kept) is_kept[candidates[k]] = true;
  for (int i = 0; i < static_cast<int>(rows.size()); ++i)
    (is_kept[i] ? result.kept : result.dependent).push_back(i);
  return result;
}

std::vector<std::pair<int, double>> combination(const std::vector<SparseRow>& rows,
                                                const std::vector<int>& kept, int row) {
  std::vector<SparseRow> unit;
  unit.reserve(kept.size());
  for (const int k : kept) unit.push_back(of_unit_length(rows[k]));
  std::vector<double> b(kept.size());
  const double size = length(rows[row]);
  if (!(size > 0)) return {};
  const SparseRow own = of_unit_length(rows[row]);
  for (std::size_t k = 0; k < kept.size(); ++k) b[k] = product(own, unit[k]);
  const PassingLdlt ldlt(unit, couplings(unit), 0);
  std::vector<double> x = std::move(b);
  ldlt.solve(x);
  double largest = 0;
  for (const double f : x) largest = std::max(largest, std::abs(f));
  std::vector<std::pair<int, double>> factors;
  for (std::size_t k = 0; k < kept.size(); ++k)
    if (std::abs(x[k]) > 1e-9 * largest)
      factors.emplace_back(kept[k], x[k] * size / length(rows[kept[k]]));
  return factors;
}

}  // namespace rattleback

#include "rattleback/solve/ordering.hpp"

#if RATTLEBACK_HAS_METIS
#include <metis.h>
#endif

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace rattleback {

namespace {

constexpr int dissection_above = 10'000;

std::vector<int> positions(const std::vector<int>& order) {
  std::vector<int> position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) position[order[k]] = int(k);
  return position;
}

/// Constraints in the order of a maximum cardinality search: next is always one with the most
/// visited neighbours, the latest reached first, so that neighbours stay close in memory.
std::vector<int> cardinality_search(const CouplingPattern& pattern) {
  const int n = int(pattern.size());
  std::vector<std::vector<int>> bucket(1);
  for (int v = n - 1; v >= 0; --v) bucket[0].push_back(v);
  std::vector<int> weight(n, 0), order;
  order.reserve(n);
  for (int top = 0; int(order.size()) < n;) {
    if (bucket[top].empty()) {
      --top;
      continue;
    }
    const int v = bucket[top].back();
    bucket[top].pop_back();
    if (weight[v] != top) continue;  // an outdated copy: v has moved on
    weight[v] = -1;
    order.push_back(v);
    for (int u : pattern[v]) {
      if (weight[u] < 0) continue;
      const int w = ++weight[u];
      if (w >= int(bucket.size())) bucket.resize(w + 1);
      bucket[w].push_back(u);
      top = std::max(top, w);
    }
  }
  return order;
}

/// [Tarjan, Yannakakis 1984]: no fill if, for every row, the later neighbours other than the first
/// of them are neighbours of that first one.
bool without_fill(const CouplingPattern& pattern, const std::vector<int>& order) {
  const auto position = positions(order);
  for (int v : order) {
    int next = -1;
    for (int u : pattern[v])
      if (position[u] > position[v] && (next < 0 || position[u] < position[next])) next = u;
    for (int u : pattern[v])
      if (position[u] > position[v] && u != next &&
          !std::binary_search(pattern[next].begin(), pattern[next].end(), u))
        return false;
  }
  return true;
}

std::vector<int> minimum_degree(const CouplingPattern& pattern) {
  const int n = int(pattern.size());
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 1.0);
    for (int j : pattern[i]) entries.emplace_back(i, j, 1.0);
  }
  Eigen::SparseMatrix<double> matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(matrix, permutation);
  const auto& order = permutation.indices();
  return {order.data(), order.data() + n};
}

#if RATTLEBACK_HAS_METIS
std::vector<int> nested_dissection(const CouplingPattern& pattern) {
  idx_t n = idx_t(pattern.size());
  std::vector<idx_t> start{0}, neighbours;
  for (const auto& row : pattern) {
    neighbours.insert(neighbours.end(), row.begin(), row.end());
    start.push_back(idx_t(neighbours.size()));
  }
  std::vector<idx_t> order(n), position(n);
  const int status = METIS_NodeND(&n, start.data(), neighbours.data(), nullptr, nullptr,
                                  order.data(), position.data());
  if (status != METIS_OK) return minimum_degree(pattern);
  return {order.begin(), order.end()};
}
#else
std::vector<int> nested_dissection(const CouplingPattern& pattern) {
  return minimum_degree(pattern);
}
#endif

/// Breadth-first levels from start, neighbours of small degree first; appended to order.
void breadth_first(const CouplingPattern& pattern, int start, std::vector<char>& seen,
                   std::vector<int>& order) {
  std::size_t head = order.size();
  order.push_back(start);
  seen[start] = 1;
  for (; head < order.size(); ++head) {
    const std::size_t first = order.size();
    for (int u : pattern[order[head]])
      if (!seen[u]) seen[u] = 1, order.push_back(u);
    std::sort(order.begin() + std::ptrdiff_t(first), order.end(), [&](int a, int b) {
      return pattern[a].size() != pattern[b].size() ? pattern[a].size() < pattern[b].size() : a < b;
    });
  }
}

}  // namespace

CouplingPattern normalised(const CouplingPattern& pattern) {
  const int n = int(pattern.size());
  CouplingPattern result(n);
  for (int i = 0; i < n; ++i)
    for (int j : pattern[i]) {
      if (j < 0 || j >= n)
        throw std::invalid_argument("coupling pattern: constraint " + std::to_string(i) +
                                    " is coupled with " + std::to_string(j) + ", but there are " +
                                    std::to_string(n));
      if (j == i) continue;
      result[i].push_back(j);
      result[j].push_back(i);
    }
  for (auto& row : result) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return result;
}

std::optional<std::vector<int>> perfect_elimination_ordering(const CouplingPattern& given) {
  const CouplingPattern pattern = normalised(given);
  std::vector<int> order = cardinality_search(pattern);
  std::reverse(order.begin(), order.end());
  if (!without_fill(pattern, order)) return std::nullopt;
  return order;
}

std::vector<int> fill_reducing_ordering(const CouplingPattern& given) {
  const CouplingPattern pattern = normalised(given);
  return int(pattern.size()) > dissection_above ? nested_dissection(pattern)
                                                : minimum_degree(pattern);
}

std::vector<int> band_ordering(const CouplingPattern& given) {
  const CouplingPattern pattern = normalised(given);
  const int n = int(pattern.size());
  std::vector<char> seen(n, 0);
  std::vector<int> order, trial;
  order.reserve(n);
  for (int v = 0; v < n; ++v) {
    if (seen[v]) continue;
    int start = v;
    for (int pass = 0; pass < 2; ++pass) {  // towards an end of the component
      trial.clear();
      breadth_first(pattern, start, seen, trial);
      for (int u : trial) seen[u] = 0;
      start = trial.back();
    }
    breadth_first(pattern, start, seen, order);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

int half_bandwidth(const CouplingPattern& pattern, const std::vector<int>& order) {
  const auto position = positions(order);
  int width = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i)
    for (int j : pattern[i]) width = std::max(width, std::abs(position[i] - position[j]));
  return width;
}

detail::SparseLayout detail::sparse_layout(const CouplingPattern& given, std::vector<int> order) {
  const CouplingPattern pattern = normalised(given);
  const int n = int(pattern.size());
  const auto position = positions(order);
  SparseLayout s;
  s.order = std::move(order);
  s.entry_start.assign(1, 0);
  s.row_start.assign(1, 0);
  std::vector<int> parent(n, -1), mark(n, -1);
  std::vector<std::size_t> count(n, 0);
  for (int k = 0; k < n; ++k) {
    mark[k] = k;
    for (int u : pattern[s.order[k]]) {
      if (position[u] > k) continue;
      s.entry_column.push_back(position[u]);
      // Row k of L: from each entry up the elimination tree, until the path is already known.
      for (int j = position[u]; mark[j] != k; j = parent[j]) {
        if (parent[j] < 0) parent[j] = k;
        s.row_column.push_back(j);
        ++count[j];
        mark[j] = k;
      }
    }
    std::sort(s.row_column.begin() + std::ptrdiff_t(s.row_start[k]), s.row_column.end());
    s.entry_start.push_back(s.entry_column.size());
    s.row_start.push_back(s.row_column.size());
  }
  s.column_start.assign(n + 1, 0);
  std::partial_sum(count.begin(), count.end(), s.column_start.begin() + 1);
  s.column_row.resize(s.row_column.size());
  s.column_constraint.resize(s.row_column.size());
  std::vector<std::size_t> next(s.column_start.begin(), s.column_start.end() - 1);
  for (int k = 0; k < n; ++k)
    for (std::size_t q = s.row_start[k]; q < s.row_start[k + 1]; ++q) {
      const std::size_t p = next[s.row_column[q]]++;
      s.column_row[p] = k;
      s.column_constraint[p] = s.order[k];
    }
  return s;
}

}  // namespace rattleback

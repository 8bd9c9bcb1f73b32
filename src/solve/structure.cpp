#include "rattleback/solve/structure.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

namespace rattleback {

namespace {

constexpr int always_dense = 8;      // unrolled kernels
constexpr int small_dense = 24;      // irregular patterns below this do not repay indices
constexpr int largest_cluster = 16;  // beyond, look for structure inside the components
constexpr int largest_block = 6;
constexpr int narrow_band = 16;

std::vector<std::vector<int>> components(const CouplingPattern& pattern) {
  std::vector<std::vector<int>> result;
  std::vector<char> seen(pattern.size(), 0);
  for (int v = 0; v < int(pattern.size()); ++v) {
    if (seen[v]) continue;
    std::vector<int> part{v};
    seen[v] = 1;
    for (std::size_t head = 0; head < part.size(); ++head)
      for (int u : pattern[part[head]])
        if (!seen[u]) seen[u] = 1, part.push_back(u);
    std::sort(part.begin(), part.end());
    result.push_back(std::move(part));
  }
  return result;
}

/// The constraints along the paths, or nothing if some component is not a path.
std::optional<std::vector<int>> path_order(const CouplingPattern& pattern) {
  const int n = int(pattern.size());
  for (const auto& row : pattern)
    if (row.size() > 2) return std::nullopt;
  std::vector<char> seen(n, 0);
  std::vector<int> order;
  for (int v = 0; v < n; ++v) {
    if (pattern[v].size() == 2 || seen[v]) continue;
    for (int at = v, before = -1; at >= 0;) {
      order.push_back(at);
      seen[at] = 1;
      int next = -1;
      for (int u : pattern[at])
        if (u != before) next = u;
      before = at;
      at = next;
    }
  }
  if (int(order.size()) < n) return std::nullopt;  // a ring has no end to start from
  return order;
}

/// Constraints with the same neighbours (themselves included) form groups; if these have equal
/// sizes and form a path, the matrix is block tridiagonal.
std::optional<Structure> block_chain(const CouplingPattern& pattern) {
  const int n = int(pattern.size());
  std::map<std::vector<int>, std::vector<int>> by_neighbours;
  for (int v = 0; v < n; ++v) {
    auto closed = pattern[v];
    closed.insert(std::lower_bound(closed.begin(), closed.end(), v), v);
    by_neighbours[closed].push_back(v);
  }
  std::vector<std::vector<int>> groups;
  groups.reserve(by_neighbours.size());
  for (auto& [neighbours, members] : by_neighbours) groups.push_back(members);
  std::sort(groups.begin(), groups.end());
  const int size = int(groups.front().size());
  if (size < 2 || size > largest_block) return std::nullopt;
  std::vector<int> group_of(n);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (int(groups[g].size()) != size) return std::nullopt;
    for (int v : groups[g]) group_of[v] = int(g);
  }
  CouplingPattern quotient(groups.size());
  for (int v = 0; v < n; ++v)
    for (int u : pattern[v]) quotient[group_of[v]].push_back(group_of[u]);
  const auto path = path_order(normalised(quotient));
  if (!path) return std::nullopt;
  Structure s{.kind = SolverKind::block_chain, .block_size = size};
  for (int g : *path) s.order.insert(s.order.end(), groups[g].begin(), groups[g].end());
  return s;
}

Structure clusters(const std::vector<std::vector<int>>& parts) {
  Structure s{.kind = SolverKind::clusters};
  for (const auto& part : parts) {
    s.cluster_sizes.push_back(int(part.size()));
    s.order.insert(s.order.end(), part.begin(), part.end());
  }
  return s;
}

/// Multiplications of a factorisation without fill: the squared number of later neighbours.
double no_fill_cost(const CouplingPattern& pattern, const std::vector<int>& order) {
  std::vector<int> position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) position[order[k]] = int(k);
  double cost = 0;
  for (std::size_t v = 0; v < pattern.size(); ++v) {
    const double later = double(std::count_if(pattern[v].begin(), pattern[v].end(),
                                              [&](int u) { return position[u] > position[v]; }));
    cost += 1 + later * (later + 1) / 2;
  }
  return cost;
}

Structure band_tree_or_sparse(const CouplingPattern& pattern) {
  Structure band{.kind = SolverKind::banded, .order = band_ordering(pattern)};
  std::vector<int> natural(pattern.size());
  std::iota(natural.begin(), natural.end(), 0);
  band.half_bandwidth = half_bandwidth(pattern, band.order);
  if (const int own = half_bandwidth(pattern, natural); own <= band.half_bandwidth)
    band.order = natural, band.half_bandwidth = own;
  const double width = band.half_bandwidth;
  if (auto order = perfect_elimination_ordering(pattern)) {
    // A band's entries need no indices and come in vectors: worth a factor of about four.
    const double band_cost = double(pattern.size()) * width * (width + 1) / 2;
    if (band_cost <= 4 * no_fill_cost(pattern, *order)) return band;
    return {.kind = SolverKind::tree, .order = *std::move(order)};
  }
  if (width <= narrow_band) return band;
  return {.kind = SolverKind::sparse, .order = fill_reducing_ordering(pattern)};
}

Structure choose(const CouplingPattern& pattern) {
  const std::size_t n = pattern.size();
  Structure dense{.kind = SolverKind::dense};
  dense.order.resize(n);
  std::iota(dense.order.begin(), dense.order.end(), 0);
  if (n <= always_dense) return dense;
  const auto parts = components(pattern);
  if (std::all_of(parts.begin(), parts.end(),
                  [](const auto& part) { return part.size() <= largest_cluster; }) &&
      parts.size() > 1)
    return clusters(parts);
  if (auto order = path_order(pattern))
    return {.kind = SolverKind::chain, .order = *std::move(order), .half_bandwidth = 1};
  std::size_t couplings = 0;
  for (const auto& row : pattern) couplings += row.size();
  if (2 * couplings > n * n) return dense;
  if (auto blocks = block_chain(pattern)) return *std::move(blocks);
  if (n <= small_dense) return dense;
  return band_tree_or_sparse(pattern);
}

}  // namespace

std::string to_string(SolverKind kind) {
  switch (kind) {
    case SolverKind::dense:
      return "dense";
    case SolverKind::chain:
      return "chain";
    case SolverKind::block_chain:
      return "block chain";
    case SolverKind::banded:
      return "banded";
    case SolverKind::clusters:
      return "clusters";
    case SolverKind::tree:
      return "tree";
    case SolverKind::sparse:
      return "sparse";
  }
  return "unknown";
}

std::string in_words(SolverKind kind, int size) {
  const std::string n = std::to_string(size);
  return to_string(kind) + (kind == SolverKind::dense ? " " + n + " x " + n : " of " + n);
}

Structure choose_structure(const CouplingPattern& pattern) {
  Structure s = choose(normalised(pattern));
  s.natural_order = std::is_sorted(s.order.begin(), s.order.end());
  return s;
}

}  // namespace rattleback

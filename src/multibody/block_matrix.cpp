#include "block_matrix.hpp"

#include <set>

namespace rattleback {

namespace {

using Sets = std::vector<std::set<int>>;

/// Those that meet fewest others first; what is left of its neighbours then meets each other.
std::vector<int> elimination_order(Sets& meets) {
  const auto n = static_cast<int>(meets.size());
  std::set<std::pair<std::size_t, int>> waiting;
  const auto degree = [&](int node) { return meets[static_cast<std::size_t>(node)].size(); };
  for (int i = 0; i < n; ++i) waiting.emplace(degree(i), i);
  std::vector<int> order;
  while (!waiting.empty()) {
    const int node = waiting.begin()->second;
    waiting.erase(waiting.begin());
    order.push_back(node);
    const std::set<int>& around = meets[static_cast<std::size_t>(node)];
    for (const int i : around) {
      waiting.erase({degree(i), i});
      auto& mine = meets[static_cast<std::size_t>(i)];
      mine.erase(node);
      for (const int k : around)
        if (k != i) mine.insert(k);
      waiting.emplace(degree(i), i);
    }
  }
  return order;
}

}  // namespace

BlockPattern::BlockPattern(std::vector<int> sizes, const std::vector<std::pair<int, int>>& meeting)
    : sizes_(std::move(sizes)), rows_(sizes_.size()), order_(sizes_.size()) {
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    rows_[i] = total_;
    total_ += sizes_[i];
  }
  Sets meets(sizes_.size());
  for (const auto& [i, k] : meeting) {
    if (i == k) continue;
    meets[static_cast<std::size_t>(i)].insert(k);
    meets[static_cast<std::size_t>(k)].insert(i);
  }
  // Afterwards each set holds those that are eliminated later.
  const std::vector<int> order = elimination_order(meets);
  for (std::size_t k = 0; k < order.size(); ++k)
    order_[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  const auto take = [&](int rows, int columns) {
    const std::size_t place = storage_;
    storage_ += static_cast<std::size_t>(rows * columns);
    return place;
  };
  for (const int node : order) {
    Pivot pivot{.node = node, .diagonal = take(size(node), size(node))};
    for (const int i : meets[static_cast<std::size_t>(node)])
      pivot.later.push_back({i, take(size(node), size(i)), take(size(i), size(node))});
    pivots_.push_back(std::move(pivot));
  }
  for (Pivot& pivot : pivots_)
    for (const Neighbour& row : pivot.later)
      for (const Neighbour& column : pivot.later)
        pivot.targets.push_back(place(row.node, column.node));
}

std::size_t BlockPattern::place(int i, int j) const {
  const int first = order_[static_cast<std::size_t>(i)],
            second = order_[static_cast<std::size_t>(j)];
  const Pivot& pivot = pivots_[static_cast<std::size_t>(std::min(first, second))];
  if (i == j) return pivot.diagonal;
  const int other = first < second ? j : i;
  const auto at = std::lower_bound(pivot.later.begin(), pivot.later.end(), other,
                                   [](const Neighbour& n, int node) { return n.node < node; });
  return first < second ? at->right : at->below;
}

}  // namespace rattleback

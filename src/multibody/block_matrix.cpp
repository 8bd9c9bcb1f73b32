#include "block_matrix.hpp"

namespace rattleback {

namespace {

using Sets = std::vector<std::set<int>>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Those that meet fewest others first, but none before those that it has to follow; what is left
/// of its neighbours then meets each other.
std::vector<int> elimination_order(Sets& meets, const std::vector<BlockPattern::Node>& nodes,
                                   const std::vector<int>& node_of) {
  const auto n = static_cast<int>(meets.size());
  std::vector<int> blocked(meets.size(), 0);
  std::vector<std::vector<int>> followers(meets.size());
  for (int i = 0; i < n; ++i)
    for (const int earlier : nodes[at(i)].before) {
      ++blocked[at(i)];
      followers[at(node_of[at(earlier)])].push_back(i);
    }
  std::set<std::pair<std::size_t, int>> waiting;
  const auto key = [&](int node) { return std::pair{meets[at(node)].size(), node}; };
  for (int i = 0; i < n; ++i)
    if (blocked[at(i)] == 0) waiting.insert(key(i));
  std::vector<int> order;
  while (!waiting.empty()) {
    const int node = waiting.begin()->second;
    waiting.erase(waiting.begin());
    order.push_back(node);
    const std::set<int>& around = meets[at(node)];
    for (const int i : around) {
      waiting.erase(key(i));
      auto& mine = meets[at(i)];
      mine.erase(node);
      for (const int k : around)
        if (k != i) mine.insert(k);
      if (blocked[at(i)] == 0) waiting.insert(key(i));
    }
    for (const int i : followers[at(node)])
      if (--blocked[at(i)] == 0) waiting.insert(key(i));
  }
  return order;
}

}  // namespace

BlockPattern::BlockPattern(std::vector<int> sizes, const std::vector<std::pair<int, int>>& meeting,
                           const std::vector<Node>& nodes)
    : unit_rows_(sizes.size()),
      node_of_(sizes.size()),
      rows_(nodes.size()),
      sizes_(nodes.size(), 0),
      order_(nodes.size()) {
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    rows_[k] = total_;
    for (const int unit : nodes[k].units) {
      node_of_[at(unit)] = static_cast<int>(k);
      unit_rows_[at(unit)] = total_;
      total_ += sizes[at(unit)];
      sizes_[k] += sizes[at(unit)];
    }
    largest_ = std::max(largest_, sizes_[k]);
  }
  Sets meets(nodes.size());
  for (const auto& [i, k] : meeting) {
    const int a = node_of_[at(i)], b = node_of_[at(k)];
    if (a == b) continue;
    meets[at(a)].insert(b);
    meets[at(b)].insert(a);
  }
  // Afterwards each set holds those that are eliminated later.
  const std::vector<int> order = elimination_order(meets, nodes, node_of_);
  for (std::size_t k = 0; k < order.size(); ++k) order_[at(order[k])] = static_cast<int>(k);
  for (const int node : order) place_pivot(node, nodes[at(node)].pivoted, meets[at(node)]);
  for (Pivot& pivot : pivots_) {
    pivot.targets = targets_.size();
    for (std::size_t i = pivot.first; i < pivot.last; ++i)
      for (std::size_t k = pivot.first; k < pivot.last; ++k)
        targets_.push_back(block(neighbour_nodes_[i], neighbour_nodes_[k]));
  }
}

void BlockPattern::place_pivot(int node, bool pivoted, const std::set<int>& later) {
  const auto take = [&](int rows, int columns) {
    const std::size_t place = storage_;
    storage_ += static_cast<std::size_t>(rows * columns);
    return place;
  };
  const int k = sizes_[at(node)];
  pivots_.push_back({.node = node,
                     .row = rows_[at(node)],
                     .size = k,
                     .diagonal = take(k, k),
                     .first = neighbours_.size(),
                     .last = neighbours_.size() + later.size(),
                     .targets = 0,
                     .pivoted = pivoted});
  for (const int i : later) {
    const int m = sizes_[at(i)];
    neighbours_.push_back({rows_[at(i)], m, take(k, m), take(m, k)});
    neighbour_nodes_.push_back(i);
  }
}

std::size_t BlockPattern::block(int i, int j) const {
  const int first = order_[at(i)], second = order_[at(j)];
  const Pivot& pivot = pivots_[at(std::min(first, second))];
  if (i == j) return pivot.diagonal;
  const auto begin = neighbour_nodes_.begin();
  const auto found =
      std::lower_bound(begin + static_cast<std::ptrdiff_t>(pivot.first),
                       begin + static_cast<std::ptrdiff_t>(pivot.last), first < second ? j : i);
  const Neighbour& n = neighbours_[static_cast<std::size_t>(found - begin)];
  return first < second ? n.right : n.below;
}

BlockPattern::Place BlockPattern::place(int i, int j) const {
  const int a = node_of_[at(i)], b = node_of_[at(j)], stride = sizes_[at(b)];
  const int down = unit_rows_[at(i)] - rows_[at(a)], across = unit_rows_[at(j)] - rows_[at(b)];
  return {block(a, b) + static_cast<std::size_t>(down * stride + across), stride};
}

int BlockPattern::next(int node) const {
  const Pivot& pivot = pivots_[at(order_[at(node)])];
  int first = -1;
  for (std::size_t i = pivot.first; i < pivot.last; ++i) {
    const int other = neighbour_nodes_[i];
    if (first < 0 || order_[at(other)] < order_[at(first)]) first = other;
  }
  return first;
}

}  // namespace rattleback

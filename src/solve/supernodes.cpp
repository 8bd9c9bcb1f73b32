#include <algorithm>
#include <numeric>

#include "rattleback/solve/ordering.hpp"

namespace rattleback::detail {

namespace {

/// Fronts become wider at the price of zeros that are computed with: as many as this part of
/// theirs.
constexpr double most_zeros = 0.15;
/// Small fronts cost more to visit than to compute with.
constexpr int few_zeros = 8;

std::vector<int> inverse_of(const std::vector<int>& order) {
  std::vector<int> position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) position[order[k]] = int(k);
  return position;
}

struct Elimination {
  std::vector<int> parent;  // the first row below the diagonal of each column of L, or -1
  std::vector<int> below;   // entries of each column below the diagonal
};

/// Row k of L: from each entry up the tree of elimination, until the path is already known.
Elimination eliminate(const CouplingPattern& pattern, const std::vector<int>& order) {
  const int n = int(order.size());
  const std::vector<int> position = inverse_of(order);
  Elimination e{std::vector<int>(n, -1), std::vector<int>(n, 0)};
  std::vector<int> mark(n, -1);
  for (int k = 0; k < n; ++k) {
    mark[k] = k;
    for (const int u : pattern[order[k]])
      for (int j = position[u]; j < k && mark[j] != k; j = e.parent[j]) {
        if (e.parent[j] < 0) e.parent[j] = k;
        ++e.below[j];
        mark[j] = k;
      }
  }
  return e;
}

/// The same elimination, every column right behind the columns that it waits for.
std::vector<int> postordered(const std::vector<int>& order, const std::vector<int>& parent) {
  const int n = int(order.size());
  std::vector<int> first(n + 1, -1), next(n, -1), result;  // children; those of n are the roots
  for (int k = n - 1; k >= 0; --k) {
    int& head = first[parent[k] < 0 ? n : parent[k]];
    next[k] = head;
    head = k;
  }
  result.reserve(n);
  std::vector<int> open;
  for (int root = first[n]; root >= 0; root = next[root]) {
    open.push_back(root);
    while (!open.empty()) {
      const int k = open.back();
      if (const int child = first[k]; child >= 0) {
        first[k] = next[child];
        open.push_back(child);
      } else {
        result.push_back(order[k]);
        open.pop_back();
      }
    }
  }
  return result;
}

struct Columns {
  int first, width, below;
  double zeros = 0;  // among the entries of these columns
};

/// Neighbouring columns with the same rows below them, and those that are worth some zeros.
std::vector<Columns> supernodes(const Elimination& e) {
  std::vector<Columns> found;
  for (int k = 0; k < int(e.parent.size()); ++k) {
    if (k > 0 && e.parent[k - 1] == k && e.below[k - 1] == e.below[k] + 1) {
      ++found.back().width;
      found.back().below = e.below[k];
      continue;
    }
    found.push_back({k, 1, e.below[k]});
  }
  std::vector<Columns> merged;
  for (const Columns& next : found) {
    merged.push_back(next);
    while (merged.size() > 1) {
      const Columns &b = merged.back(), &a = merged[merged.size() - 2];
      if (e.parent[b.first - 1] < b.first || e.parent[b.first - 1] >= b.first + b.width) break;
      const double zeros = a.zeros + b.zeros + double(a.width) * (b.width + b.below - a.below);
      const double width = a.width + b.width, size = width * (width + 1) / 2 + width * b.below;
      if (zeros > most_zeros * size && zeros > few_zeros) break;
      const Columns both{a.first, a.width + b.width, b.below, zeros};
      merged.pop_back();
      merged.back() = both;
    }
  }
  return merged;
}

/// Small fronts wait for each other more than they compute. Level by level, leaves first,
/// neighbours do not: what is left for their parents is kept for whole levels, which is little.
bool are_small(const std::vector<Columns>& fronts) {
  return std::ranges::all_of(fronts, [](const Columns& c) { return c.width <= 4 && c.below < 4; });
}

/// The same elimination with its fronts level by level; `fronts` are renumbered.
std::vector<int> by_levels(const std::vector<int>& order, const Elimination& e,
                           std::vector<Columns>& fronts) {
  const std::size_t n = fronts.size();
  std::vector<int> front_of(order.size()), level(n, 0), sorted(n);
  for (std::size_t s = 0; s < n; ++s)
    std::fill_n(front_of.begin() + fronts[s].first, fronts[s].width, int(s));
  for (std::size_t s = 0; s < n; ++s)
    if (const int next = e.parent[fronts[s].first + fronts[s].width - 1]; next >= 0)
      level[front_of[next]] = std::max(level[front_of[next]], level[s] + 1);
  std::iota(sorted.begin(), sorted.end(), 0);
  std::ranges::stable_sort(sorted, {}, [&](int s) { return level[s]; });
  std::vector<int> result;
  std::vector<Columns> moved;
  result.reserve(order.size()), moved.reserve(n);
  for (const int s : sorted) {
    Columns front = fronts[s];
    const auto from = order.begin() + front.first;
    front.first = int(result.size());
    result.insert(result.end(), from, from + front.width);
    moved.push_back(front);
  }
  fronts = std::move(moved);
  return result;
}

/// Fills in what lies below each front, and where its entries and what its children leave go.
class Filler {
 public:
  Filler(const CouplingPattern& pattern, FrontLayout& layout, bool levels)
      : pattern_(pattern),
        layout_(layout),
        position_(inverse_of(layout.order)),
        local_(layout.order.size(), -1),
        front_of_(layout.order.size()),
        children_(layout.fronts.size()) {
    for (std::size_t s = 0; s < layout.fronts.size(); ++s)
      std::fill_n(front_of_.begin() + layout.fronts[s].first, layout.fronts[s].width, int(s));
    for (std::size_t s = 0; s < layout.fronts.size(); ++s) fill(int(s));
    if (levels)
      place_updates_apart();
    else
      place_updates();
  }

 private:
  using Front = FrontLayout::Front;

  void fill(int s) {
    Front& front = layout_.fronts[s];
    list_rows(s);
    front.panel = layout_.panel_size;
    layout_.panel_size += std::size_t(front.height()) * front.width;
    layout_.tallest = std::max(layout_.tallest, front.height());
    layout_.largest_update =
        std::max(layout_.largest_update, std::size_t(front.width) * front.height());
    for (int k = 0; k < front.width; ++k) local_[front.first + k] = k;
    for (int k = 0; k < front.below; ++k) local_[layout_.row[front.row + k]] = front.width + k;
    list_entries(front);
    front.child = layout_.child.size();
    front.children = int(children_[s].size());
    for (const int c : children_[s]) {
      layout_.child.push_back(c);
      const Front& child = layout_.fronts[c];
      for (int k = 0; k < child.below; ++k)
        layout_.target[child.row + k] = local_[layout_.row[child.row + k]];
    }
    if (front.below > 0) children_[front_of_[layout_.row[front.row]]].push_back(s);
  }

  /// Those of its own entries, and those its children have left.
  void list_rows(int s) {
    Front& front = layout_.fronts[s];
    const int end = front.first + front.width;
    front.row = layout_.row.size();
    const auto add = [&](int r) {
      if (r < end || local_[r] == -2 - s) return;
      local_[r] = -2 - s;  // seen
      layout_.row.push_back(r);
    };
    for (int k = front.first; k < end; ++k)
      for (const int u : pattern_[layout_.order[k]]) add(position_[u]);
    for (const int c : children_[s])
      for (int k = 0; k < layout_.fronts[c].below; ++k) add(layout_.row[layout_.fronts[c].row + k]);
    std::sort(layout_.row.begin() + std::ptrdiff_t(front.row), layout_.row.end());
    front.below = int(layout_.row.size() - front.row);
    layout_.target.resize(layout_.row.size());
  }

  void list_entries(Front& front) {
    front.entry = layout_.entry.size();
    for (int k = 0; k < front.width; ++k) {
      const int own = layout_.order[front.first + k];
      layout_.entry.push_back({own, own, k * front.height() + k});
      for (const int u : pattern_[own])
        if (position_[u] > front.first + k)
          layout_.entry.push_back(
              {std::max(u, own), std::min(u, own), k * front.height() + local_[position_[u]]});
    }
    front.entries = int(layout_.entry.size() - front.entry);
  }

  /// What a front leaves waits for its parent on one of two stacks, by its depth in the tree: it is
  /// made while what its children left is read from the other.
  void place_updates() {
    auto& fronts = layout_.fronts;
    std::vector<int> stack(fronts.size(), 0);
    for (std::size_t s = fronts.size(); s-- > 0;)
      for (const int c : children_[s]) stack[c] = 1 - stack[s];
    std::size_t top[2] = {0, 0}, most[2] = {0, 0};
    const auto size = [](const Front& f) { return std::size_t(f.below) * f.below; };
    for (std::size_t s = 0; s < fronts.size(); ++s) {
      std::size_t& own = top[stack[s]];
      fronts[s].update = own;
      own += size(fronts[s]);
      most[stack[s]] = std::max(most[stack[s]], own);
      for (const int c : children_[s]) top[stack[c]] -= size(fronts[c]);
    }
    for (std::size_t s = 0; s < fronts.size(); ++s)
      if (stack[s] == 1) fronts[s].update += most[0];
    layout_.update_size = most[0] + most[1];
  }

  void place_updates_apart() {
    for (Front& front : layout_.fronts) {
      front.update = layout_.update_size;
      layout_.update_size += std::size_t(front.below) * front.below;
    }
  }

  const CouplingPattern& pattern_;
  FrontLayout& layout_;
  std::vector<int> position_, local_, front_of_;
  std::vector<std::vector<int>> children_;
};

std::vector<FrontLayout::Run> runs_of(const std::vector<FrontLayout::Front>& fronts) {
  std::vector<FrontLayout::Run> runs;
  for (std::size_t s = 0; s < fronts.size(); ++s)
    if (s > 0 && fronts[s].width == fronts[s - 1].width && fronts[s].below == fronts[s - 1].below)
      ++runs.back().count;
    else
      runs.push_back({int(s), 1});
  return runs;
}

}  // namespace

FrontLayout front_layout(const CouplingPattern& given, std::vector<int> order) {
  const CouplingPattern pattern = normalised(given);
  FrontLayout layout;
  layout.order = std::move(order);
  layout.order = postordered(layout.order, eliminate(pattern, layout.order).parent);
  const Elimination e = eliminate(pattern, layout.order);
  layout.entries_of_factor = std::accumulate(e.below.begin(), e.below.end(), std::size_t{0});
  std::vector<Columns> fronts = supernodes(e);
  const bool levels = are_small(fronts);
  if (levels) layout.order = by_levels(layout.order, e, fronts);
  for (const Columns& c : fronts) layout.fronts.push_back({c.first, c.width});
  [[maybe_unused]] const Filler filler(pattern, layout, levels);
  layout.runs = runs_of(layout.fronts);
  return layout;
}

}  // namespace rattleback::detail

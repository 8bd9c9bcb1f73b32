// An elimination that was decided on numbers, repeated on expressions: only for the rows asked for.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <unordered_map>

#include "elimination.hpp"
#include "rattleback/geometry/tidy.hpp"

namespace rattleback::detail {

class SymbolicElimination {
 public:
  using Row = std::map<int, Expression>;

  /// row(i): row i as it was before the elimination.
  SymbolicElimination(Graph& graph, const Elimination& numbers, std::function<Row(int)> row)
      : graph_(graph), numbers_(numbers), source_(std::move(row)) {}

  /// Row i after it. Entries that the numbers took for zero are still there, and mean nothing.
  const Row& reduced(int i) {
    // Its pivots, theirs, and so on, each before those that need it: no recursion, however many.
    std::set<int> open, needed;
    const auto ask = [&](int row) {
      for (const auto& operation : numbers_.operations(row))
        if (!reduced_.count(numbers_.pivots()[operation.pivot].row)) open.insert(operation.pivot);
    };
    if (!reduced_.count(i)) ask(i);
    while (!open.empty()) {
      const int k = *open.rbegin();
      open.erase(k);
      needed.insert(k);
      ask(numbers_.pivots()[k].row);
    }
    for (const int k : needed) reduce(numbers_.pivots()[k].row);
    return reduce(i);
  }

  /// Solves a regular system whose right-hand side is column `right`.
  std::map<int, Expression> solution(int right) {
    std::map<int, Expression> x;
    for (int k = numbers_.rank() - 1; k >= 0; --k) {
      const auto& [row, column] = numbers_.pivots()[k];
      const Row& r = reduced(row);
      const auto b = r.find(right);
      Expression rest = b == r.end() ? graph_.constant(0) : b->second;
      for (const auto& [j, value] : r)
        if (j != column && j != right && x.count(j))
          rest = graph_.subtract(rest, graph_.multiply(value, x.at(j)));
      x[column] = tidied(graph_, graph_.divide(rest, r.at(column)));
    }
    return x;
  }

 private:
  /// Where the rows of its pivots are there already.
  const Row& reduce(int i) {
    if (const auto known = reduced_.find(i); known != reduced_.end()) return known->second;
    Row row = source_(i);
    for (const auto& operation : numbers_.operations(i)) {
      const auto& [pivot_row, column] = numbers_.pivots()[operation.pivot];
      const Row& pivot = reduced_.at(pivot_row);
      const auto entry = row.find(column);
      if (entry == row.end()) continue;
      const Expression factor = tidied(graph_, graph_.divide(entry->second, pivot.at(column)));
      row.erase(entry);
      for (const auto& [j, value] : pivot) {
        if (j == column) continue;
        const Expression product = graph_.multiply(factor, value);
        const auto [slot, is_new] = row.try_emplace(j, graph_.negate(product));
        if (!is_new) slot->second = tidied(graph_, graph_.subtract(slot->second, product));
      }
    }
    return reduced_[i] = std::move(row);
  }

  Graph& graph_;
  const Elimination& numbers_;
  std::function<Row(int)> source_;
  std::unordered_map<int, Row> reduced_;
};

}  // namespace rattleback::detail

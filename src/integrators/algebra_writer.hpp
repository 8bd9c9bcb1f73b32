// Writes the functions of a SparseAlgebra as expressions; their inputs are two arrays, the second
// one beginning at `split`.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "rattleback/integrators/sparse_algebra.hpp"

namespace rattleback {

class AlgebraWriter {
 public:
  AlgebraWriter(const JacobianPattern& pattern, const std::vector<double>& inverse_mass)
      : pattern_(pattern),
        inverse_mass_(inverse_mass),
        rows_(static_cast<int>(pattern.start.size()) - 1) {
    by_column_.resize(inverse_mass.size());
    for (int i = 0; i < rows_; ++i)
      for (int k = pattern.start[i]; k < pattern.start[i + 1]; ++k)
        by_column_[pattern.column[k]].push_back({i, pattern.place[k]});
  }

  CompiledFunction transposed() {
    Graph g;
    std::vector<Program::Output> outputs;
    for (int j = 0; j < static_cast<int>(by_column_.size()); ++j) {
      Expression sum = g.constant(0);
      for (const auto& [row, k] : by_column_[j])
        sum = g.add(sum, g.multiply(g.input(k), g.input(pattern_.nonzeros() + row)));
      outputs.push_back({0, j, sum});
    }
    return CompiledFunction(g, pattern_.nonzeros(), outputs);
  }

  CompiledFunction hidden() {
    Graph g;
    std::vector<Program::Output> outputs;
    for (int i = 0; i < rows_; ++i) {
      Expression sum = g.constant(0);
      for (int k = pattern_.start[i]; k < pattern_.start[i + 1]; ++k) {
        const int j = pattern_.column[k];
        const Expression velocity =
            g.multiply(g.constant(inverse_mass_[j]), g.input(pattern_.nonzeros() + j));
        sum = g.add(sum, g.multiply(g.input(pattern_.place[k]), velocity));
      }
      outputs.push_back({0, i, sum});
    }
    return CompiledFunction(g, pattern_.nonzeros(), outputs);
  }

  /// Where L has nonzeros, column by column in the order of elimination.
  struct Column {
    int pivot;
    std::vector<int> below;  // rows, in any order
  };
  std::vector<Column> eliminate(const CouplingPattern& pattern, const std::vector<int>& order) {
    std::vector<std::vector<int>> open(rows_);
    std::vector<int> rank(rows_);
    for (int k = 0; k < rows_; ++k) rank[order[k]] = k;
    for (int i = 0; i < rows_; ++i)
      for (const int j : pattern[i])
        if (rank[j] > rank[i]) open[i].push_back(j);
    std::vector<Column> columns;
    for (const int pivot : order) {
      auto& below = open[pivot];
      std::sort(below.begin(), below.end(), [&](int a, int b) { return rank[a] < rank[b]; });
      below.erase(std::unique(below.begin(), below.end()), below.end());
      columns.push_back({pivot, below});
      if (!below.empty())  // the rest of a column joins the column of its first row
        open[below[0]].insert(open[below[0]].end(), below.begin() + 1, below.end());
    }
    return columns;
  }

  /// The diagonal, then the couplings (i, j), i > j, in this order.
  CompiledFunction gram(const std::vector<std::pair<int, int>>& couplings) {
    Graph g;
    std::vector<Program::Output> outputs;
    outputs.reserve(static_cast<std::size_t>(rows_) + couplings.size());
    for (int i = 0; i < rows_; ++i) outputs.push_back({0, i, product(g, i, i, 0)});
    for (const auto& [i, j] : couplings)
      outputs.push_back({0, static_cast<int>(outputs.size()), product(g, i, j, 0)});
    return CompiledFunction(g, pattern_.nonzeros(), outputs);
  }

  CompiledFunction alignment() {
    Graph g;
    std::vector<Program::Output> outputs;
    outputs.reserve(static_cast<std::size_t>(rows_));
    for (int i = 0; i < rows_; ++i)
      outputs.push_back({0, i, product(g, i, i, pattern_.nonzeros())});
    return CompiledFunction(g, pattern_.nonzeros(), outputs);
  }

  CompiledFunction factor(const std::vector<std::pair<int, int>>& couplings,
                          const std::vector<Column>& columns) {
    Graph g;
    std::map<std::pair<int, int>, Expression> left;  // of entry (i, j), i >= j
    for (int i = 0; i < rows_; ++i) left[{i, i}] = g.input(i);
    for (int k = 0; k < static_cast<int>(couplings.size()); ++k)
      left[couplings[k]] = g.input(rows_ + k);
    const auto entry = [&](int i, int j) -> Expression& {
      Expression& e = left[{std::max(i, j), std::min(i, j)}];
      if (!e) e = g.constant(0);  // fill
      return e;
    };
    std::vector<Program::Output> outputs;
    int next = rows_;
    for (const Column& column : columns) {
      const int k = column.pivot;
      const Expression pivot = entry(k, k), inverse = g.divide(g.constant(1), pivot);
      outputs.push_back({0, k, pivot});
      outputs.push_back({1, k, inverse});
      std::vector<Expression> l;
      for (const int i : column.below) {
        l.push_back(g.multiply(entry(i, k), inverse));
        outputs.push_back({1, next++, l.back()});
      }
      for (std::size_t x = 0; x < l.size(); ++x)
        for (std::size_t y = 0; y <= x; ++y) {
          const Expression coupling = entry(column.below[y], k);
          // In a chain the square of the coupling need not wait for the pivot.
          const Expression product = l.size() == 1
                                         ? g.multiply(g.multiply(coupling, coupling), inverse)
                                         : g.multiply(l[x], coupling);
          Expression& rest = entry(column.below[x], column.below[y]);
          rest = g.subtract(rest, product);
        }
    }
    return CompiledFunction(g, rows_ + static_cast<int>(couplings.size()), outputs);
  }

  CompiledFunction solve(const std::vector<Column>& columns, int factor_size) {
    Graph g;
    std::vector<Expression> x;
    x.reserve(rows_);
    for (int i = 0; i < rows_; ++i) x.push_back(g.input(factor_size + i));
    int next = rows_;
    std::vector<int> start;
    for (const Column& column : columns) {
      start.push_back(next);
      for (const int i : column.below)
        x[i] = g.subtract(x[i], g.multiply(g.input(next++), x[column.pivot]));
    }
    for (std::size_t c = columns.size(); c-- > 0;) {
      const Column& column = columns[c];
      Expression& own = x[column.pivot];
      own = g.multiply(own, g.input(column.pivot));
      // What was solved for last comes last: nothing waits longer than it must.
      for (std::size_t k = column.below.size(); k-- > 0;)
        own = g.subtract(own,
                         g.multiply(g.input(start[c] + static_cast<int>(k)), x[column.below[k]]));
    }
    std::vector<Program::Output> outputs;
    for (std::size_t c = columns.size(); c-- > 0;)
      outputs.push_back({0, columns[c].pivot, x[columns[c].pivot]});
    return CompiledFunction(g, factor_size, outputs);
  }

 private:
  /// (G M^-1 G'^T)_ij, where the inputs of G' begin at `second`.
  Expression product(Graph& g, int i, int j, int second) const {
    Expression sum = g.constant(0);
    for (int a = pattern_.start[i]; a < pattern_.start[i + 1]; ++a)
      for (int b = pattern_.start[j]; b < pattern_.start[j + 1]; ++b)
        if (pattern_.column[a] == pattern_.column[b]) {
          const int left = pattern_.place[a], right = pattern_.place[b];
          const Expression both = g.multiply(g.input(left), g.input(second + right));
          sum = g.add(sum, g.multiply(g.constant(inverse_mass_[pattern_.column[a]]), both));
        }
    return sum;
  }

  struct Place {
    int row, nonzero;
  };
  const JacobianPattern& pattern_;
  const std::vector<double>& inverse_mass_;
  int rows_;
  std::vector<std::vector<Place>> by_column_;
};

}  // namespace rattleback

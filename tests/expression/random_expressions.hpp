// Random expressions that are written down twice: into a graph, which simplifies, and as a plain
// list of operations, which does not.
#pragma once

#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "rattleback/expression/program.hpp"

namespace rattleback::testing {

/// The same bits; which NaN a NaN is does not count.
inline bool same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

inline constexpr int first_operation = static_cast<int>(Operation::negate);
inline constexpr int last_operation = static_cast<int>(Operation::atan2);

class RandomExpressions {
 public:
  struct Item {
    Operation operation;
    int a = -1, b = -1;
    double value = 0;  ///< at the point given
  };
  /// What may be made: from an operation, its operands' values, and its own.
  using Accept = std::function<bool(Operation, double, double, double)>;

  RandomExpressions(unsigned seed, std::vector<double> point, std::vector<double> constants)
      : random_(seed) {
    for (const double c : constants) add({Operation::constant, -1, -1, c}, graph.constant(c));
    for (std::size_t k = 0; k < point.size(); ++k)
      add({Operation::input, static_cast<int>(k), -1, point[k]}, graph.input(static_cast<int>(k)));
  }

  /// Up to `count` operations on what there is, the last `window` preferred over older ones.
  void grow(int count, int window, const Accept& accept) {
    for (int tries = 0; count > 0 && tries < 100 * (count + 1); ++tries) {
      const auto operation =
          static_cast<Operation>(first_operation + below(last_operation - first_operation + 1));
      const int a = pick(window), b = operand_count(operation) == 2 ? pick(window) : -1;
      const double x = items[a].value, y = b < 0 ? 0 : items[b].value;
      const double value = evaluate(operation, x, y);
      if (!accept(operation, x, y, value)) continue;
      add({operation, a, b, value}, b < 0 ? graph.apply(operation, expressions[a])
                                          : graph.apply(operation, expressions[a], expressions[b]));
      --count;
    }
  }
  int below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }

  Graph graph;
  std::vector<Item> items;
  std::vector<Expression> expressions;  ///< of the items

 private:
  void add(const Item& item, Expression expression) {
    items.push_back(item);
    expressions.push_back(expression);
  }
  int pick(int window) {
    const int size = static_cast<int>(items.size());
    return size - 1 - below(std::min(window, size));
  }
  std::mt19937 random_;
};

}  // namespace rattleback::testing

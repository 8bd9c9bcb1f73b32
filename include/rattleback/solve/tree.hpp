// No-fill LDL^T for trees of links, leaves first.
#pragma once

#include <stdexcept>

#include "rattleback/solve/sparse.hpp"

namespace rattleback {

/// Constraints of a tree: two links are coupled when they share a body, the links at one joint form
/// a clique. Such a (chordal) pattern is eliminated without fill. For a pattern with loops the
/// constructor throws; ask perfect_elimination_ordering or choose_structure first.
template <class S>
class TreeLdlt : public SparseLdlt<S> {
 public:
  explicit TreeLdlt(const CouplingPattern& pattern)
      : SparseLdlt<S>(pattern, checked(perfect_elimination_ordering(pattern))) {}

 private:
  static std::vector<int> checked(std::optional<std::vector<int>> order) {
    if (!order) throw std::invalid_argument("TreeLdlt: the pattern has a loop; use SparseLdlt");
    return *std::move(order);
  }
};

}  // namespace rattleback

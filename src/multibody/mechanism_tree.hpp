// A mechanism as a tree: which joint holds a body, seen from the world or, where nothing holds it
// there, from a body with inertia. Joints that hold none close loops.
#pragma once

#include <string>
#include <vector>

#include "mechanism_model.hpp"

namespace rattleback {

struct MechanismTree {
  explicit MechanismTree(const MechanismModel& model);

  std::vector<int> holder;  ///< the joint that holds a body, or -1
  std::vector<char> holds;  ///< whether a joint holds a body
  bool loops = false;

  /// Each joint is one, and each kept body with the joint that holds it, after those that it holds.
  std::vector<BlockPattern::Node> nodes(const MechanismModel& model,
                                        const std::vector<int>& kept_units) const;
  /// Shafts are nodes with the rows that follow them.
  void join_shafts(const MechanismModel& model, int first_unit,
                   std::vector<BlockPattern::Node>& nodes) const;
  /// What is said of a node without inertia.
  std::string complaint(const Mechanism& mechanism, const MechanismModel& model,
                        const BlockPattern::Node& node, const std::vector<int>& kept_units) const;
};

/// The second becomes part of the first.
void join_nodes(std::vector<BlockPattern::Node>& nodes, int first, int second);

}  // namespace rattleback

#include "mechanism_tree.hpp"

#include <algorithm>

namespace rattleback {

namespace {

std::size_t at_index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

MechanismTree::MechanismTree(const MechanismModel& model)
    : holder(model.bodies(), -1), holds(model.joints.joints.size(), 0) {
  const auto& joints = model.joints.joints;
  std::vector<std::vector<int>> at(model.bodies() + 1);  // the world is body 0 here
  for (std::size_t k = 0; k < joints.size() && joints[k].measures < 0; ++k)
    for (const int body : {joints[k].a, joints[k].b})
      at[at_index(body + 1)].push_back(static_cast<int>(k));
  std::vector<char> reached(at.size(), 0);
  const auto grow = [&](int root) {
    std::vector<int> front{root};
    reached[at_index(root)] = 1;
    for (std::size_t i = 0; i < front.size(); ++i)
      for (const int k : at[at_index(front[i])]) {
        const int other = (joints[at_index(k)].a + 1 == front[i] ? joints[at_index(k)].b
                                                                 : joints[at_index(k)].a) +
                          1;
        if (reached[at_index(other)]) continue;
        reached[at_index(other)] = 1;
        holder[at_index(other - 1)] = k;
        holds[at_index(k)] = 1;
        front.push_back(other);
      }
  };
  grow(0);
  for (const bool massless : {false, true})
    for (std::size_t i = 0; i < model.bodies(); ++i)
      if (!reached[i + 1] && static_cast<bool>(model.is_kept[i]) == massless)
        grow(static_cast<int>(i) + 1);
  for (std::size_t k = 0; k < joints.size(); ++k)
    loops = loops || (joints[k].measures < 0 && !holds[k]);
  for (const ShaftPlace& shaft : model.joints.shafts) loops = loops || shaft.rows.size() > 1;
}

std::vector<BlockPattern::Node> MechanismTree::nodes(const MechanismModel& model,
                                                     const std::vector<int>& kept_units) const {
  const auto& joints = model.joints.joints;
  std::vector<BlockPattern::Node> all(joints.size());
  for (std::size_t k = 0; k < joints.size(); ++k) all[k].units = {static_cast<int>(k)};
  std::vector<std::size_t> node_of(model.bodies(), 0);
  for (std::size_t i = 0; i < model.bodies(); ++i) {
    if (!model.is_kept[i]) continue;
    if (holder[i] < 0) all.push_back({});
    node_of[i] = holder[i] < 0 ? all.size() - 1 : at_index(holder[i]);
    BlockPattern::Node& node = all[node_of[i]];
    node.units.insert(node.units.begin(), kept_units[i]);
    node.pivoted = true;
  }
  for (std::size_t k = 0; k < joints.size(); ++k)
    for (const int body : {joints[k].a, joints[k].b}) {
      if (body < 0 || !model.is_kept[at_index(body)] ||
          holder[at_index(body)] == static_cast<int>(k))
        continue;
      // A joint that closes a loop has no pivot of its own before the bodies that are kept.
      if (holds[k])
        all[node_of[at_index(body)]].before.push_back(static_cast<int>(k));
      else
        all[k].before.push_back(kept_units[at_index(body)]);
    }
  return all;
}

void MechanismTree::join_shafts(const MechanismModel& model, int first_unit,
                                std::vector<BlockPattern::Node>& nodes) const {
  // From the last one, as joining takes nodes away.
  for (std::size_t k = model.joints.shafts.size(); k-- > 0;) {
    const auto& rows = model.joints.shafts[k].rows;
    BlockPattern::Node& node = nodes[at_index(rows[0].joint)];
    node.units.insert(node.units.begin(), first_unit + static_cast<int>(k));
    node.pivoted = true;
    for (std::size_t i = rows.size(); --i > 0;) join_nodes(nodes, rows[0].joint, rows[i].joint);
  }
}

std::string MechanismTree::complaint(const Mechanism& mechanism, const MechanismModel& model,
                                     const BlockPattern::Node& node,
                                     const std::vector<int>& kept_units) const {
  std::string bodies, joint;
  for (std::size_t i = 0; i < model.bodies(); ++i) {
    if (!model.is_kept[i] ||
        std::find(node.units.begin(), node.units.end(), kept_units[i]) == node.units.end())
      continue;
    bodies += (bodies.empty() ? "'" : ", '") + mechanism.bodies[i].name + "'";
    if (joint.empty() && holder[i] >= 0)
      joint = mechanism.label(mechanism.joints[at_index(holder[i])]);
  }
  return (joint.empty() ? "body " + bodies : joint) + ": what it lets move has no inertia. Body " +
         bodies +
         " has no mass or no inertia in some direction, and nothing that hangs on it gives it one; "
         "its motion is not determined";
}

void join_nodes(std::vector<BlockPattern::Node>& nodes, int first, int second) {
  BlockPattern::Node& one = nodes[at_index(first)];
  BlockPattern::Node& other = nodes[at_index(second)];
  one.units.insert(one.units.end(), other.units.begin(), other.units.end());
  one.before.insert(one.before.end(), other.before.begin(), other.before.end());
  std::erase_if(one.before, [&](int unit) {
    return std::find(one.units.begin(), one.units.end(), unit) != one.units.end();
  });
  one.pivoted = true;
  nodes.erase(nodes.begin() + second);
}

}  // namespace rattleback

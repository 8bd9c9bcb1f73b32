#include "mechanism_model.hpp"

#include <numeric>

namespace rattleback {

namespace {

/// Loops softer than this are not; harder ones lose the digits of rows that follow from others.
/// From 1e-6 to 1e-12 the path of a planar four-bar written in space stays the same to 1e-15.
constexpr double softening_of_loops = 1e-9;

/// Whether joints close a loop, the world being a body like others.
bool has_loops(const JointEquations& joints, std::size_t bodies) {
  std::vector<std::size_t> parent(bodies + 1);
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&](std::size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (const JointPlace& joint : joints.joints) {
    const std::size_t a = root(static_cast<std::size_t>(joint.a) + 1),
                      b = root(static_cast<std::size_t>(joint.b) + 1);
    if (a == b) return true;
    parent[a] = b;
  }
  return false;
}

struct End {
  int joint;
  bool second;
};

}  // namespace

MechanismModel::MechanismModel(const Mechanism& mechanism)
    : gravity(mechanism.gravity), joints(joint_equations(mechanism)) {
  for (const Body& body : mechanism.bodies) {
    inertia.push_back({body.inertia, body.mass});
    inverse_inertia.push_back(inverse_of<double, 3>(body.inertia));
    start.poses.push_back({body.orientation, body.position});
    Vector<double, 6> momentum;
    momentum << body.inertia * body.angular_velocity, body.mass * body.velocity;
    start.momenta.push_back(momentum);
  }
  std::vector<std::vector<End>> ends(bodies());
  std::vector<int> sizes;
  for (const JointPlace& joint : joints.joints) {
    const auto k = static_cast<int>(sizes.size());
    if (joint.a >= 0) ends[static_cast<std::size_t>(joint.a)].push_back({k, false});
    if (joint.b >= 0) ends[static_cast<std::size_t>(joint.b)].push_back({k, true});
    sizes.push_back(joint.count);
  }
  std::vector<std::pair<int, int>> meeting;
  for (const auto& at : ends)
    for (const End& i : at)
      for (const End& j : at) meeting.emplace_back(i.joint, j.joint);
  pattern = BlockPattern(std::move(sizes), meeting);
  for (const auto& at : ends)
    for (const End& i : at)
      for (const End& j : at)
        meetings.push_back({i.joint, j.joint, i.second, j.second, pattern.place(i.joint, j.joint)});
  if (has_loops(joints, bodies())) softening = softening_of_loops;
}

}  // namespace rattleback

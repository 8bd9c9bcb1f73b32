#include "mechanism_model.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>
#include <numeric>

#include "mechanism_tree.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {

namespace {

/// Loops softer than this are not; harder ones lose the digits of rows that follow from others.
/// From 1e-6 to 1e-12 the path of a planar four-bar written in space stays the same to 1e-15.
/// Not for redundant loops of another kind: with 1e-13 the energy of a parallelogram on a robot was
/// off by 1e-4 after 400 steps of order 8, with this one by 1e-12.
constexpr double softening_of_loops = 1e-9;
/// Less inertia than this, of that of the mechanism, is none.
constexpr double no_inertia = 1e-13;
/// Bodies with more joints are kept.
constexpr std::size_t many_joints = 4;

struct End {
  int joint;
  bool second;
};

std::vector<std::vector<End>> ends_at_bodies(const JointEquations& joints, std::size_t bodies) {
  std::vector<std::vector<End>> ends(bodies);
  int k = 0;
  for (const JointPlace& joint : joints.joints) {
    if (joint.a >= 0) ends[index(joint.a)].push_back({k, false});
    if (joint.b >= 0) ends[index(joint.b)].push_back({k, true});
    ++k;
  }
  return ends;
}

/// The inverse on what is not zero, and whether that is all.
std::pair<Matrix3, bool> inverse_of_inertia(const Matrix3& inertia) {
  const Eigen::SelfAdjointEigenSolver<Matrix3> axes(inertia);
  const Vector3& moments = axes.eigenvalues();
  if (moments[0] > no_inertia * moments[2]) return {inverse_of<double, 3>(inertia), true};
  Vector3 inverse = Vector3::Zero();
  for (int i = 0; i < 3; ++i)
    if (moments[i] > no_inertia * moments[2]) inverse[i] = 1 / moments[i];
  return {axes.eigenvectors() * inverse.asDiagonal() * axes.eigenvectors().transpose(), false};
}

}  // namespace

MechanismModel::MechanismModel(const Mechanism& mechanism)
    : gravity(mechanism.gravity), forces(mechanism), joints(joint_equations(mechanism)) {
  const auto ends = ends_at_bodies(joints, mechanism.bodies.size());
  double farthest = 0, shortest = std::numeric_limits<double>::infinity(), sum = 0;
  int lengths = 0;
  for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
    const Body& body = mechanism.bodies[i];
    inertia.push_back({body.inertia, body.mass});
    const auto [inverse, regular] = inverse_of_inertia(body.inertia);
    inverse_inertia.push_back(inverse);
    inverse_mass.push_back(body.mass > 0 ? 1 / body.mass : 0);
    massless = massless || !regular || !(body.mass > 0);
    is_kept.push_back(!regular || !(body.mass > 0) || ends[i].size() > many_joints);
    start.poses.push_back({body.orientation, body.position});
    Vector<double, 6> momentum, velocity;
    velocity << body.angular_velocity, body.velocity;
    momentum << body.inertia * body.angular_velocity, body.mass * body.velocity;
    start.momenta.push_back(momentum);
    start.velocities.push_back(velocity);
    farthest = std::max(farthest, body.position.norm());
  }
  for (const JointPlace& joint : joints.joints)
    for (const double length : {joint.point_a.norm(), joint.point_b.norm()}) {
      farthest = std::max(farthest, length);
      if (length > 0) shortest = std::min(shortest, length), sum += length, ++lengths;
    }
  if (farthest > 0) size = farthest;
  arm = std::min(size, shortest);
  mean_arm = lengths > 0 ? sum / lengths : size;
  double mass = 0;
  for (const auto& body : inertia) mass += body.mass;
  if (mass > 0) mean_mass = mass / static_cast<double>(bodies());
  arrange(mechanism);
  start_shafts();
}

/// They move as the joints do.
void MechanismModel::start_shafts() {
  JointRows<double> rows(*this);
  rows_at(*this, start.poses, rows);
  for (const ShaftPlace& shaft : joints.shafts) {
    const JointPlace& first = joints.joints[index(shaft.rows[0].joint)];
    const auto rate = [&](int body, const Vector<double, 6>& row) {
      return body < 0 ? 0.0 : row.dot(start.velocities[index(body)]);
    };
    const double velocity = rate(first.a, rows.first[index(first.first)]) +
                            rate(first.b, rows.second[index(first.first)]);
    start.shafts.push_back({shaft.start, shaft.inertia * velocity, velocity});
  }
}

std::vector<std::pair<int, int>> MechanismModel::meeting_units(const std::vector<int>& kept_units,
                                                               int shaft_unit) const {
  const auto ends = ends_at_bodies(joints, bodies());
  std::vector<std::pair<int, int>> meeting;
  for (std::size_t i = 0; i < bodies(); ++i)
    for (const End& a : ends[i]) {
      if (is_kept[i])
        meeting.emplace_back(kept_units[i], a.joint);
      else
        for (const End& b : ends[i]) meeting.emplace_back(a.joint, b.joint);
    }
  for (std::size_t k = 0; k < joints.shafts.size(); ++k)
    for (const auto& row : joints.shafts[k].rows)
      meeting.emplace_back(shaft_unit + static_cast<int>(k), row.joint);
  return meeting;
}

/// Chooses the nodes of the matrix: those without a pivot at the start join the next one.
void MechanismModel::arrange(const Mechanism& mechanism) {
  const MechanismTree tree(*this);
  if (tree.loops) softening = softening_of_loops;
  std::vector<int> sizes, kept_units(bodies(), -1);
  for (const JointPlace& joint : joints.joints) sizes.push_back(joint.count);
  for (std::size_t i = 0; i < bodies(); ++i) {
    if (!is_kept[i]) continue;
    kept_units[i] = static_cast<int>(sizes.size());
    sizes.push_back(6);
  }
  const auto shaft_unit = static_cast<int>(sizes.size());
  sizes.resize(sizes.size() + joints.shafts.size(), 1);
  const auto meeting = meeting_units(kept_units, shaft_unit);
  std::vector<BlockPattern::Node> nodes = tree.nodes(*this, kept_units);
  tree.join_shafts(*this, shaft_unit, nodes);
  for (;;) {
    pattern = BlockPattern(sizes, meeting, nodes);
    place_blocks(kept_units);
    place_shafts(shaft_unit);
    weigh();
    const int node = singular_node();
    if (node < 0) return;
    const int next = pattern.next(node);
    if (next < 0)
      throw ModelError(tree.complaint(mechanism, *this, nodes[index(node)], kept_units));
    join_nodes(nodes, node, next);
  }
}

/// The first node that has no pivot at the start, or -1.
int MechanismModel::singular_node() const {
  if (kept.empty() && shafts.empty()) return -1;
  JointRows<double> rows(*this);
  rows_at(*this, start.poses, rows);
  JointRows<double> left = rows;
  for (const JointPlace& joint : joints.joints)
    for (int i = joint.first; i < joint.first + joint.count; ++i)
      for (const bool second : {false, true}) {
        const int body = second ? joint.b : joint.a;
        if (body < 0 || is_kept[index(body)]) continue;
        auto& row = (second ? left.second : left.first)[index(i)];
        row.head<3>() = inverse_inertia[index(body)] * row.head<3>();
        row.tail<3>() *= inverse_mass[index(body)];
      }
  BlockMatrix<double> matrix(pattern);
  assemble<true>(
      *this, left, rows, [&](std::size_t i) { return inertia[i].full(); }, matrix);
  return matrix.factor(softening, soft, scale, no_inertia) ? -1 : matrix.failed();
}

void MechanismModel::place_blocks(const std::vector<int>& kept_units) {
  const auto ends = ends_at_bodies(joints, bodies());
  meetings.clear(), kept.clear(), row.clear();
  for (std::size_t k = 0; k < joints.joints.size(); ++k)
    row.push_back(pattern.row(static_cast<int>(k)));
  for (std::size_t i = 0; i < bodies(); ++i) {
    if (is_kept[i]) {
      const int unit = kept_units[i];
      KeptBody body{i, pattern.row(unit), pattern.place(unit, unit)};
      for (const End& end : ends[i]) {
        const JointPlace& joint = joints.joints[index(end.joint)];
        body.joints.push_back({joint.first, joint.count, end.second, pattern.place(end.joint, unit),
                               pattern.place(unit, end.joint)});
      }
      kept.push_back(std::move(body));
      continue;
    }
    for (const End& a : ends[i])
      for (const End& b : ends[i]) {
        const JointPlace &r = joints.joints[index(a.joint)], &c = joints.joints[index(b.joint)];
        meetings.push_back({r.first, r.count, c.first, c.count, a.second, b.second,
                            r.meets && c.meets && r.count == 3 && c.count == 3,
                            pattern.place(a.joint, b.joint)});
      }
  }
}

void MechanismModel::place_shafts(int first_unit) {
  shafts.clear();
  for (std::size_t k = 0; k < joints.shafts.size(); ++k) {
    const int unit = first_unit + static_cast<int>(k);
    KeptShaft shaft{pattern.row(unit), pattern.place(unit, unit)};
    for (const auto& of : joints.shafts[k].rows) {
      shaft.below.push_back(pattern.place(of.joint, unit));
      shaft.right.push_back(pattern.place(unit, of.joint));
    }
    shafts.push_back(std::move(shaft));
  }
}

/// Softening and scales from the start, kept bodies with the mean mass and the mechanism's size:
/// they weigh numbers, and move nothing.
void MechanismModel::weigh() {
  const double turn = 1 / mean_inertia(), shift = 1 / mean_mass;
  JointRows<double> rows(*this);
  rows_at(*this, start.poses, rows);
  soft.assign(index(pattern.rows()), 0), scale.assign(soft.size(), 1);
  const auto weight = [&](int body, const Vector<double, 6>& r) {
    if (body < 0) return 0.0;
    if (is_kept[index(body)])
      return turn * r.head<3>().squaredNorm() + shift * r.tail<3>().squaredNorm();
    return r.head<3>().dot(inverse_inertia[index(body)] * r.head<3>()) +
           inverse_mass[index(body)] * r.tail<3>().squaredNorm();
  };
  for (std::size_t k = 0; k < joints.joints.size(); ++k) {
    const JointPlace& joint = joints.joints[k];
    for (int i = 0; i < joint.count; ++i) {
      const auto e = index(joint.first + i), at = index(row[k] + i);
      soft[at] = weight(joint.a, rows.first[e]) + weight(joint.b, rows.second[e]);
      if (soft[at] > 0) scale[at] = 1 / std::sqrt(soft[at]);
    }
  }
  for (const KeptBody& body : kept)
    for (int i = 0; i < 6; ++i) scale[index(body.row + i)] = std::sqrt(i < 3 ? turn : shift);
  for (std::size_t k = 0; k < shafts.size(); ++k) {
    const double own = joints.shafts[k].inertia;
    scale[index(shafts[k].row)] = own > 0 ? 1 / std::sqrt(own) : std::sqrt(turn);
  }
}

}  // namespace rattleback

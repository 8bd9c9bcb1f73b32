#include "rattleback/multibody/robot.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "rattleback/problem/error.hpp"
#include "robot_kinematics.hpp"

namespace rattleback {

namespace {

using Type = CoordinateType;

std::size_t place_in(int i) { return static_cast<std::size_t>(i); }

std::string located(const std::string& where, const std::string& what) {
  return where.empty() ? what : where + ": " + what;
}

/// Makes bodies of links.
class RobotBuilder {
 public:
  RobotBuilder(const Robot& robot, const RobotStart& start, std::vector<std::string>* notes)
      : robot_(robot), start_(start), notes_(notes), pose_(robot) {}

  Mechanism build() {
    for (const Robot::Joint& joint : robot_.joints) {
      if (!(joint.axis.norm() > 0))
        throw InputError("axis", located(joint.where, "joint '" + joint.name +
                                                          "' has an axis without a direction"));
    }
    take_start(robot_, start_, pose_, rates_, given_);
    pose_.place();
    close();
    weld();
    if (heads_.empty())
      throw ModelError("nothing of '" + robot_.name + "' moves: " +
                       (robot_.joints.empty() ? "it has no joints" : "all its joints are fixed"));
    make_bodies();
    require_inertia(robot_, pose_, m_, body_);
    make_joints();
    make_couplings();
    make_links();
    return std::move(m_);
  }

 private:
  /// Loops that files draw with a few digits are closed; larger gaps only where that is wished.
  void close() {
    constexpr double of_digits = 1e-3, nothing = 1e-13;
    double size = 1;
    for (std::size_t i = 0; i < robot_.links.size(); ++i)
      size = std::max(size, pose_.link(static_cast<int>(i)).position.norm());
    double gap = largest_gap(robot_, pose_);
    if (gap <= nothing * size || (gap > of_digits * size && !start_.close_loops)) return;
    std::vector<bool> free(given_);
    free.flip();
    const auto drawn = pose_.numbers;
    const bool closed = close_loops(robot_, free, pose_, gap);
    if (!closed && start_.close_loops)
      throw ModelError("the loops of '" + robot_.name +
                       "' cannot be closed from the start; the gap was " + detail::quote(gap) +
                       " and is still " + detail::quote(largest_gap(robot_, pose_)));
    if (!closed) {
      pose_.numbers = drawn;
      return pose_.place();
    }
    if (notes_ && gap > 1e-9 * size)
      notes_->push_back("loops closed: joints moved by up to " + detail::quote(moved_from(drawn)) +
                        " from a start with a gap of " + detail::quote(gap));
  }
  double moved_from(const std::vector<std::vector<double>>& drawn) const {
    double most = 0;
    for (std::size_t i = 0; i < drawn.size(); ++i)
      for (std::size_t k = 0; k < drawn[i].size(); ++k)
        most = std::max(most, std::abs(drawn[i][k] - pose_.numbers[i][k]));
    return most;
  }

  /// Numbers the bodies: what fixed joints hold together is one.
  void weld() {
    body_.assign(robot_.links.size(), Mechanism::world);
    for (const int i : pose_.order()) {
      const Robot::Joint& joint = robot_.joints[place_in(i)];
      if (joint.type == Type::fixed) {
        body_[place_in(joint.child)] = body_[place_in(joint.parent)];
      } else {
        body_[place_in(joint.child)] = static_cast<int>(heads_.size());
        heads_.push_back(joint.child);
      }
    }
  }

  std::string body_name(int head) {
    std::string name = robot_.links[place_in(head)].name;
    while (name.empty() || name == "world" || !names_.insert(name).second) name += "'";
    return name;
  }

  void make_bodies() {
    m_.name = robot_.name;
    m_.gravity = robot_.gravity;
    std::vector<std::vector<int>> members(heads_.size());
    for (std::size_t i = 0; i < body_.size(); ++i)
      if (body_[i] >= 0) members[place_in(body_[i])].push_back(static_cast<int>(i));
    for (std::size_t b = 0; b < heads_.size(); ++b) m_.add(merged(heads_[b], members[b]));
    move_bodies();
  }
  /// Axes are those of the head.
  Body merged(int head, const std::vector<int>& members) {
    Body body{.name = body_name(head), .mass = 0, .inertia = Matrix3::Zero()};
    const Placement to_head = pose_.link(head).inverse();
    Vector3 center = Vector3::Zero();
    for (const int i : members) {
      const Robot::Link& link = robot_.links[place_in(i)];
      body.mass += link.mass;
      center += link.mass * (to_head * pose_.link(i) * Placement{link.center, {}}).position;
    }
    if (body.mass > 0) center /= body.mass;
    for (const int i : members) {
      const Robot::Link& link = robot_.links[place_in(i)];
      const Placement in_head = to_head * pose_.link(i) * Placement{link.center, {}};
      const Matrix3 r = in_head.orientation.matrix();
      const Vector3 d = in_head.position - center;
      body.inertia += r * link.inertia * r.transpose() +
                      link.mass * (d.squaredNorm() * Matrix3::Identity() - d * d.transpose());
    }
    body.inertia = (0.5 * (body.inertia + body.inertia.transpose())).eval();
    const Placement place = pose_.link(head) * Placement{center, {}};
    body.position = place.position;
    body.orientation = place.orientation;
    return body;
  }

  /// Velocities of all bodies from the rates of the joints.
  void move_bodies() {
    std::vector<FrameRates> links(robot_.links.size());  // of origins, in space
    for (const int i : pose_.order()) {
      const Robot::Joint& joint = robot_.joints[place_in(i)];
      const FrameRates& parent = links[place_in(joint.parent)];
      const Placement base = pose_.joint(i);
      const Placement& link = pose_.link(joint.child);
      const Placement motion = base.inverse() * link * joint.rest.inverse();
      const FrameRates own =
          rates_by(joint.type, joint.axis / joint.axis.norm(), motion, rates_[place_in(i)]);
      const Vector3 turn = base.orientation(own.turn);
      const Vector3 shift = joint.type == Type::floating ? own.shift : base.orientation(own.shift);
      const Vector3 moved = (base * motion).position;
      links[place_in(joint.child)] = {
          parent.shift +
              lie::cross<double>(parent.turn, link.position - pose_.link(joint.parent).position) +
              shift + lie::cross<double>(turn, link.position - moved),
          parent.turn + turn};
    }
    for (std::size_t b = 0; b < heads_.size(); ++b) {
      Body& body = m_.bodies[b];
      const FrameRates& head = links[place_in(heads_[b])];
      body.velocity = head.shift +
                      lie::cross<double>(head.turn, body.position - pose_.link(heads_[b]).position);
      body.angular_velocity = body.orientation.inverse()(head.turn);
    }
  }

  std::string name_of(int body) const {
    return body < 0 ? "world" : m_.bodies[place_in(body)].name;
  }
  /// A frame in space as a body has it.
  Placement in_body(int body, const Placement& frame) const {
    if (body < 0) return frame;
    const Body& b = m_.bodies[place_in(body)];
    return Placement{b.position, b.orientation}.inverse() * frame;
  }
  void connect(const std::string& name, JointType type, std::array<int, 2> bodies,
               const std::array<Placement, 2>& frames, const Vector3& axis) {
    m_.add(Joint{.name = name,
                 .type = type,
                 .bodies = {name_of(bodies[0]), name_of(bodies[1])},
                 .points = {frames[0].position, frames[1].position},
                 .axis = frames[0].orientation(axis)});
  }

  void make_joints() {
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      const Robot::Joint& joint = robot_.joints[i];
      if (joint.type == Type::fixed) continue;
      const std::array<int, 2> bodies{body_[place_in(joint.parent)], body_[place_in(joint.child)]};
      const std::array<Placement, 2> frames{
          in_body(bodies[0], pose_.joint(static_cast<int>(i))),
          in_body(bodies[1], pose_.link(joint.child) * joint.rest.inverse())};
      const Vector3 axis = joint.axis / joint.axis.norm();
      m_.coordinates.push_back({joint.name, joint.type, bodies, frames, axis});
      if (joint.type == Type::floating) continue;
      connect(joint.name,
              is_locked(static_cast<int>(i))  ? JointType::fixed
              : joint.type == Type::revolute  ? JointType::revolute
              : joint.type == Type::prismatic ? JointType::prismatic
              : joint.type == Type::ball      ? JointType::ball
                                              : JointType::planar,
              bodies, frames, axis);
      add_forces(i);
    }
    for (const Robot::Loop& loop : robot_.loops) make_loop(loop);
  }
  /// A relation without another joint holds it where it is.
  bool is_locked(int joint) const {
    return std::any_of(robot_.relations.begin(), robot_.relations.end(), [&](const auto& relation) {
      return relation.joint == joint && relation.other < 0;
    });
  }
  /// Of the joint that was made last.
  void add_forces(std::size_t i) {
    const Robot::Joint& joint = robot_.joints[i];
    if (is_locked(static_cast<int>(i))) return;
    m_.joints.back().armature = joint.armature;
    if (joint.stiffness == 0) return;
    // Springs of hinges know the angle since the start.
    const double from = joint.type == Type::revolute ? pose_.numbers[i][0] : 0;
    m_.add(Spring{.name = joint.name,
                  .joint = joint.name,
                  .stiffness = joint.stiffness,
                  .rest = joint.spring_rest - from});
  }
  void make_couplings() {
    for (const Robot::Relation& relation : robot_.relations) {
      if (relation.other < 0) continue;
      const auto y = place_in(relation.joint), x = place_in(relation.other);
      const auto& c = relation.coefficients;
      if (is_locked(relation.joint) || is_locked(relation.other))
        throw InputError("mimic", located(relation.where,
                                          "one of its joints is held by another "
                                          "relation; it cannot follow"));
      m_.add(Coupling{.name = robot_.joints[y].name,
                      .joints = {robot_.joints[x].name, robot_.joints[y].name},
                      .coefficients = {c.begin(), c.end()},
                      .start = {pose_.numbers[x][0] - relation.from[1],
                                pose_.numbers[y][0] - relation.from[0]}});
    }
  }
  void make_loop(const Robot::Loop& loop) {
    constexpr double tolerance = 1e-9;
    const std::array<int, 2> bodies{body_[place_in(loop.first)], body_[place_in(loop.second)]};
    if (bodies[0] == bodies[1]) return;  // holds for ever, or never: see close()
    const Placement a = pose_.link(loop.first) * loop.in_first,
                    b = pose_.link(loop.second) * loop.in_second;
    const lie::SO3<double> turn = a.orientation.inverse() * b.orientation;
    const bool keeps_all = loop.type == JointType::fixed || loop.type == JointType::prismatic;
    const double tilt =
        keeps_all ? lie::log(turn).norm()
        : info(loop.type).has_axis
            ? lie::cross<double>(loop.axis, turn(loop.axis)).norm() / loop.axis.squaredNorm()
            : 0;
    if (!(tilt <= tolerance))
      throw ModelError(located(loop.where, std::string(info(loop.type).name) + " loop '" +
                                               loop.name + "' is turned by " + detail::quote(tilt) +
                                               " radians at the start"));
    connect(loop.name, loop.type, bodies, {in_body(bodies[0], a), in_body(bodies[1], b)},
            loop.axis);
  }

  void make_links() {
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      const Robot::Link& link = robot_.links[i];
      if (!link.listed) continue;
      const Placement& frame = pose_.link(static_cast<int>(i));
      m_.links.push_back({link.name, body_[i], in_body(body_[i], frame),
                          in_body(body_[i], frame * Placement{link.center, {}}).position});
    }
  }

  const Robot& robot_;
  const RobotStart& start_;
  std::vector<std::string>* notes_;
  RobotPose pose_;
  std::vector<std::vector<double>> rates_;
  std::vector<bool> given_;
  std::vector<int> body_, heads_;  ///< the body of each link, the first link of each body
  std::unordered_set<std::string> names_;
  Mechanism m_;
};

}  // namespace

Mechanism mechanism_of(const Robot& robot, const RobotStart& start,
                       std::vector<std::string>* notes) {
  return RobotBuilder(robot, start, notes).build();
}

}  // namespace rattleback

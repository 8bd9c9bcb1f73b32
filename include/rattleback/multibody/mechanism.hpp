// Bodies and joints, as one writes them down:
//
//   Mechanism m{.name = "pendulum", .gravity = {0, 0, -9.81}};
//   m.add(Body{.name = "link", .mass = 1, .inertia = diagonal(0.1, 0.1, 0.01), .position = {0, 0,
//   -0.5}}); m.add(Joint{.type = JointType::ball, .bodies = {"world", "link"}, .points = {{{0, 0,
//   0}, {0, 0, 0.5}}}});
//
// Axes and points of the world are those of space. The direction of an axis in the second body, and
// every relative orientation that a joint keeps, are those at the start.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "rattleback/lie/so3.hpp"

namespace rattleback {

using Vector3 = Vector<double, 3>;
using Matrix3 = Matrix<double, 3>;

struct Body {
  std::string name{};
  double mass = 1;
  Matrix3 inertia = Matrix3::Identity();       ///< about the centre of mass, body axes
  Vector3 position = Vector3::Zero();          ///< of the centre of mass
  lie::SO3<double> orientation{};              ///< from body to space
  Vector3 velocity = Vector3::Zero();          ///< of the centre of mass, space axes
  Vector3 angular_velocity = Vector3::Zero();  ///< body axes
};

enum class JointType { ball, revolute, universal, prismatic, cylindrical, planar, fixed, distance };

struct JointTypeInfo {
  JointType type;
  const char* name;
  int equations;
  bool has_axis, points_meet;
};
inline constexpr std::array<JointTypeInfo, 8> joint_types{
    {{JointType::ball, "ball", 3, false, true},
     {JointType::revolute, "revolute", 5, true, true},
     {JointType::universal, "universal", 4, true, true},
     {JointType::prismatic, "prismatic", 5, true, false},
     {JointType::cylindrical, "cylindrical", 4, true, false},
     {JointType::planar, "planar", 3, true, false},
     {JointType::fixed, "fixed", 6, false, true},
     {JointType::distance, "distance", 1, false, false}}};
constexpr const JointTypeInfo& info(JointType type) {
  return joint_types[static_cast<std::size_t>(type)];
}

struct Joint {
  std::string name{};  ///< for messages
  JointType type = JointType::ball;
  std::array<std::string, 2> bodies{"world", "world"};
  std::array<Vector3, 2> points{Vector3::Zero(), Vector3::Zero()};  ///< from the centres of mass
  Vector3 axis = Vector3::UnitZ();   ///< in the first body's axes, of any length
  Vector3 axis2 = Vector3::UnitX();  ///< universal: in the second body's axes
  /// Inertia about the axis (revolute) or mass along it (prismatic) that moves as the joint does,
  /// and not with either body: of a rotor behind a gear.
  double armature = 0;
};

/// A place and axes in something larger: a body (from its centre of mass), a link, space.
struct Placement {
  Vector3 position = Vector3::Zero();
  lie::SO3<double> orientation{};

  friend Placement operator*(const Placement& a, const Placement& b) {
    return {a.position + a.orientation(b.position), (a.orientation * b.orientation).normalized()};
  }
  Placement inverse() const { return {-orientation.inverse()(position), orientation.inverse()}; }
};

/// What robot files call a link: axes that move with a body, and a part of its mass.
struct RobotLink {
  std::string name{};
  int body = -1;                             ///< or the world
  Placement frame{};                         ///< in that body
  Vector3 center_of_mass = Vector3::Zero();  ///< of the link alone, in that body
};

/// What robot files call a joint: numbers that say how two frames lie to each other.
enum class CoordinateType { fixed, revolute, prismatic, ball, floating, planar };
struct JointCoordinate {
  std::string name{};
  CoordinateType type = CoordinateType::fixed;
  std::array<int, 2> bodies{-1, -1};  ///< or the world
  std::array<Placement, 2> frames{};  ///< in these bodies; where all numbers are 0 they coincide
  Vector3 axis = Vector3::UnitZ();    ///< in both frames, of unit length
};

/// k/2 (l - rest)^2: l is the distance of a point of each body, as those of a joint. With the name
/// of a joint instead, l is its angle since the start (revolute; the nearest one to `rest`), or how
/// far its second point is from the first along its axis (prismatic).
struct Spring {
  std::string name{};  ///< for messages
  std::array<std::string, 2> bodies{"world", "world"};
  std::array<Vector3, 2> points{Vector3::Zero(), Vector3::Zero()};
  std::string joint{};
  double stiffness = 1, rest = 0;
};

/// y = sum c_k x^k: gears, racks, joints that mimic others. x and y are how far two joints, each
/// revolute or prismatic, have turned or slid since the start, and `start`; turns are counted.
struct Coupling {
  std::string name{};                   ///< for messages
  std::array<std::string, 2> joints{};  ///< that of x, that of y
  std::vector<double> coefficients{0, 1};
  std::array<double, 2> start{0, 0};  ///< x and y there
};

/// Where a body is, for forces.
struct BodyPose {
  Matrix3 rotation = Matrix3::Identity();
  Vector3 position = Vector3::Zero();
};
/// On a body: the torque about its centre of mass in its own axes, the force in space axes.
struct Wrench {
  Vector3 torque = Vector3::Zero(), force = Vector3::Zero();
};
/// Any potential: its energy, and what it does to the bodies it names, added to what is there. The
/// wrench is minus the derivative: a turn dR = R hat(t) changes the energy by -torque . t.
struct Potential {
  std::string name{};
  std::vector<std::string> bodies{};
  std::function<double(std::span<const BodyPose> bodies, std::span<Wrench> wrenches)> energy{};
};

struct Mechanism {
  std::string name = "mechanism";
  Vector3 gravity = Vector3::Zero();
  std::vector<Body> bodies{};
  std::vector<Joint> joints{};
  std::vector<RobotLink> links{};              ///< of a robot file: all of them, welded ones too
  std::vector<JointCoordinate> coordinates{};  ///< of a robot file
  std::vector<Spring> springs{};
  std::vector<Coupling> couplings{};
  std::vector<Potential> potentials{};

  Mechanism& add(Body body) { return bodies.push_back(std::move(body)), *this; }
  Mechanism& add(Joint joint) { return joints.push_back(std::move(joint)), *this; }
  Mechanism& add(Spring spring) { return springs.push_back(std::move(spring)), *this; }
  Mechanism& add(Coupling coupling) { return couplings.push_back(std::move(coupling)), *this; }
  Mechanism& add(Potential potential) { return potentials.push_back(std::move(potential)), *this; }

  static constexpr int world = -1;
  /// Throws InputError for a name that no body has.
  int index(const std::string& body) const;
  /// "revolute joint 'hinge' between 'world' and 'link'"
  std::string label(const Joint& joint) const;
};

Matrix3 diagonal(double x, double y, double z);

}  // namespace rattleback

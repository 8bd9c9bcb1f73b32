// A robot as its file writes it: a tree of links and the joints that move them, loops that close,
// and relations between joints. mechanism_of() makes bodies of it: what is welded together is one
// body, links without mass that move stay bodies without mass.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "rattleback/multibody/mechanism.hpp"

namespace rattleback {

struct Robot {
  struct Link {
    std::string name{};
    double mass = 0;
    Vector3 center = Vector3::Zero();   ///< of mass, in the link's frame
    Matrix3 inertia = Matrix3::Zero();  ///< about it, in the link's axes
    bool listed = true;                 ///< false: not of the file, between two joints of one body
  };
  /// The link's frame is: parent * origin * (motion by the joint's numbers) * rest.
  struct Joint {
    std::string name{};
    CoordinateType type = CoordinateType::fixed;
    int parent = -1, child = -1;
    Placement origin{}, rest{};
    Vector3 axis = Vector3::UnitX();  ///< of any length but 0
    std::vector<double> drawn{};      ///< its numbers in the pose that the file draws; empty: zero
    /// Of revolute and prismatic ones: a spring that rests at a value of the joint's number, and
    /// the inertia of a rotor.
    double stiffness = 0, spring_rest = 0, armature = 0;
    std::string where{};  ///< "arm.urdf:12", for messages
  };
  /// Frames of two links that a joint holds together.
  struct Loop {
    std::string name{};
    JointType type = JointType::ball;
    int first = -1, second = -1;
    Placement in_first{}, in_second{};
    Vector3 axis = Vector3::UnitX();  ///< in both frames
    std::string where{};
  };
  /// y = sum c_k x^k between the numbers of two joints that turn or slide, x and y counted from
  /// `from`. Without an `other`, x = 0.
  struct Relation {
    int joint = -1, other = -1;
    std::array<double, 5> coefficients{};
    std::array<double, 2> from{};
    std::string where{};
  };

  std::string name = "robot";
  Vector3 gravity = Vector3(0, 0, -9.81);
  std::vector<Link> links{};
  std::vector<Joint> joints{};  ///< in the file's order; each link but the root is a child of one
  std::vector<Loop> loops{};
  std::vector<Relation> relations{};
};

/// Numbers of joints by name: 1 of revolute and prismatic, 3 of planar (two shifts and the angle),
/// ball: quaternion (w, x, y, z), floating: [x, y, z, w, i, j, k]. Velocities: 1, 1, 3; ball:
/// angular velocity in the child's axes, floating: velocity of the link's origin in space axes,
/// then that. Joints left out start as drawn, at rest.
struct RobotStart {
  std::map<std::string, std::vector<double>> joints{}, velocities{};
  bool close_loops = false;  ///< joints that are not given move until loops close, however far
};

/// Throws InputError for joints that are not there, ModelError where loops do not close and where a
/// joint moves nothing that has inertia. What was done to the start is told in `notes`.
Mechanism mechanism_of(const Robot& robot, const RobotStart& start = {},
                       std::vector<std::string>* notes = nullptr);

/// How many numbers a joint has, and how many rates.
int numbers_of(CoordinateType type);
int rates_of(CoordinateType type);

/// Of bodies somewhere on their way. Angles are from -pi to pi.
std::vector<double> value_of(const JointCoordinate& coordinate, const std::vector<Body>& bodies);
std::vector<double> velocity_of(const JointCoordinate& coordinate, const std::vector<Body>& bodies);
/// In space.
Placement frame_of(const RobotLink& link, const std::vector<Body>& bodies);
Vector3 center_of(const RobotLink& link, const std::vector<Body>& bodies);

}  // namespace rattleback

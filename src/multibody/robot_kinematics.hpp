// What the numbers of a robot's joints mean.
#pragma once

#include "rattleback/multibody/robot.hpp"

namespace rattleback {

/// How a frame moves relative to another, in the axes of that one.
struct FrameRates {
  Vector3 shift = Vector3::Zero(), turn = Vector3::Zero();
};

/// Where a joint takes its frame. The axis is of unit length.
Placement motion_by(CoordinateType type, const Vector3& axis, const std::vector<double>& numbers);
/// `to`: the frame after its motion; ball and floating measure in its axes.
FrameRates rates_by(CoordinateType type, const Vector3& axis, const Placement& to,
                    const std::vector<double>& rates);
/// Two directions across an axis; of z they are x and y.
std::array<Vector3, 2> directions_across(const Vector3& axis);
/// From -pi to pi.
double angle_about(const Vector3& axis, const lie::SO3<double>& turn);

/// The links of a robot, placed by the numbers of its joints.
class RobotPose {
 public:
  /// As drawn. Throws InputError where the joints make no tree.
  explicit RobotPose(const Robot& robot);

  /// Of the frames of all links, in space.
  void place();
  const Placement& link(int i) const { return links_[static_cast<std::size_t>(i)]; }
  /// Of the joint in its parent, in space.
  Placement joint(int i) const;
  int root() const { return root_; }
  /// Joints, those of parents first.
  const std::vector<int>& order() const { return order_; }
  /// Moves a joint a little along one of its rates.
  void nudge(int joint, int rate, double by);

  std::vector<std::vector<double>> numbers;

 private:
  const Robot& robot_;
  std::vector<int> order_;
  std::vector<Placement> links_;
  int root_ = 0;
};

/// The numbers and rates of the joints at the start, and which numbers it gives. Throws InputError
/// for joints that are not there.
void take_start(const Robot& robot, const RobotStart& start, RobotPose& pose,
                std::vector<std::vector<double>>& rates, std::vector<bool>& given);
/// Moves the joints that are free to until loops close and relations hold; false where that fails.
/// `gap`: the largest that there was.
bool close_loops(const Robot& robot, const std::vector<bool>& free, RobotPose& pose, double& gap);
/// The largest gap of loops and relations.
double largest_gap(const Robot& robot, RobotPose& pose);

/// Throws ModelError that names a joint which moves nothing that has inertia.
void require_inertia(const Robot& robot, const RobotPose& pose, const Mechanism& mechanism,
                     const std::vector<int>& body_of_link);

}  // namespace rattleback

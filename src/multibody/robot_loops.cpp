#include <algorithm>
#include <cmath>

#include "rattleback/solve/rank_revealing.hpp"
#include "robot_kinematics.hpp"

namespace rattleback {

namespace {

constexpr int rows_of_loop = 6;

std::size_t place_of(int i) { return static_cast<std::size_t>(i); }

/// How far the frames of a loop are from where they should be: of places, then of axes.
Vector<double, rows_of_loop> gap_of(const Robot::Loop& loop, const RobotPose& pose) {
  const Placement between =
      (pose.link(loop.first) * loop.in_first).inverse() * (pose.link(loop.second) * loop.in_second);
  const Vector3 n = loop.axis / loop.axis.norm(), x = between.position;
  const Vector3 along = n * n.dot(x), tilt = lie::cross<double>(n, between.orientation(n));
  Vector<double, rows_of_loop> gap = Vector<double, rows_of_loop>::Zero();
  switch (loop.type) {
    case JointType::ball:
      gap << x, Vector3::Zero();
      break;
    case JointType::revolute:
      gap << x, tilt;
      break;
    case JointType::prismatic:
      gap << x - along, lie::log(between.orientation);
      break;
    case JointType::planar:
      gap << along, tilt;
      break;
    default:
      gap << x, lie::log(between.orientation);
      break;
  }
  return gap;
}

double gap_of(const Robot::Relation& relation, const RobotPose& pose) {
  const double x =
      relation.other < 0 ? 0 : pose.numbers[place_of(relation.other)][0] - relation.from[1];
  double sum = 0;
  for (std::size_t k = relation.coefficients.size(); k-- > 0;)
    sum = sum * x + relation.coefficients[k];
  return pose.numbers[place_of(relation.joint)][0] - relation.from[0] - sum;
}

Eigen::VectorXd gaps(const Robot& robot, RobotPose& pose) {
  pose.place();
  const auto loops = static_cast<Eigen::Index>(robot.loops.size());
  Eigen::VectorXd all(rows_of_loop * loops + static_cast<Eigen::Index>(robot.relations.size()));
  Eigen::Index row = 0;
  for (const auto& loop : robot.loops) {
    all.segment<rows_of_loop>(row) = gap_of(loop, pose);
    row += rows_of_loop;
  }
  for (const auto& relation : robot.relations) all[row++] = gap_of(relation, pose);
  return all;
}

struct Unknown {
  int joint, rate;
};

/// By central differences: exact enough that each iteration gains about nine digits.
Eigen::MatrixXd slopes(const Robot& robot, const std::vector<Unknown>& unknowns, RobotPose& pose,
                       Eigen::Index rows) {
  constexpr double step = 1e-5, noise = 1e-9;
  Eigen::MatrixXd matrix(rows, static_cast<Eigen::Index>(unknowns.size()));
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    const auto [joint, rate] = unknowns[k];
    const auto kept = pose.numbers[place_of(joint)];
    pose.nudge(joint, rate, step);
    const Eigen::VectorXd after = gaps(robot, pose);
    pose.numbers[place_of(joint)] = kept;
    pose.nudge(joint, rate, -step);
    // What does not move a loop, as a floating base, is to stay: its slopes are round-off.
    const Eigen::VectorXd slope = (after - gaps(robot, pose)) / (2 * step);
    matrix.col(static_cast<Eigen::Index>(k)) =
        (slope.array().abs() > noise).select(slope, Eigen::VectorXd::Zero(rows));
    pose.numbers[place_of(joint)] = kept;
  }
  return matrix;
}

}  // namespace

double largest_gap(const Robot& robot, RobotPose& pose) {
  const Eigen::VectorXd all = gaps(robot, pose);
  return all.size() == 0 ? 0 : all.cwiseAbs().maxCoeff();
}

bool close_loops(const Robot& robot, const std::vector<bool>& free, RobotPose& pose, double& gap) {
  constexpr int most_iterations = 60;
  constexpr double farthest = 0.3;  // radians or metres in one iteration: stay on the branch drawn
  std::vector<Unknown> unknowns;
  for (std::size_t i = 0; i < robot.joints.size(); ++i)
    for (int k = 0; free[i] && k < rates_of(robot.joints[i].type); ++k)
      unknowns.push_back({static_cast<int>(i), k});
  gap = largest_gap(robot, pose);
  if (unknowns.empty()) return gap == 0;
  RankRevealing solver(1e-7);  // above the error of the differences
  double last = gap;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    const Eigen::VectorXd g = gaps(robot, pose);
    (void)solver.factor(slopes(robot, unknowns, pose, g.size()));
    Eigen::VectorXd change = solver.solve(g);
    const double largest = change.cwiseAbs().maxCoeff();
    if (!std::isfinite(largest)) return false;
    if (largest > farthest) change *= farthest / largest;
    const auto kept = pose.numbers;
    for (std::size_t k = 0; k < unknowns.size(); ++k)
      pose.nudge(unknowns[k].joint, unknowns[k].rate, -change[static_cast<Eigen::Index>(k)]);
    const double now = largest_gap(robot, pose);
    if (now >= last && last < 1e-12) {  // round-off
      pose.numbers = kept;
      pose.place();
      return true;
    }
    last = now;
    if (now == 0) return true;
  }
  return last < 1e-12;
}

}  // namespace rattleback

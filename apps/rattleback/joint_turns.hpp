// Angles of a robot's joints beyond half a turn, counted over the stored states.
#pragma once

#include <vector>

#include "rattleback/integrators/any_motion.hpp"
#include "rattleback/multibody/robot.hpp"

namespace rattleback::app {

class JointTurns {
 public:
  using Numbers = std::vector<std::vector<double>>;

  explicit JointTurns(const Mechanism& mechanism) : mechanism_(mechanism) {}
  /// In the order of time. Between two states each angle goes on about as its rates say.
  void observe(double t, const AnyMotion::Point& state);
  /// The numbers of each joint at the last state; empty before the first.
  const Numbers& numbers() const { return numbers_; }

 private:
  const Mechanism& mechanism_;
  Numbers numbers_, rates_;
  double time_ = 0;
};

}  // namespace rattleback::app

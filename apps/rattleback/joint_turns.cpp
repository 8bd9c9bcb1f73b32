#include "joint_turns.hpp"

#include <cmath>
#include <numbers>

#include "rattleback/multibody/mechanism_motion.hpp"

namespace rattleback::app {

void JointTurns::observe(double t, const AnyMotion::Point& state) {
  const std::vector<Body> bodies = bodies_of(mechanism_, state);
  const bool first = numbers_.empty();
  for (std::size_t i = 0; i < mechanism_.coordinates.size(); ++i) {
    const JointCoordinate& joint = mechanism_.coordinates[i];
    std::vector<double> now = value_of(joint, bodies), rates = velocity_of(joint, bodies);
    const bool turns =
        joint.type == CoordinateType::revolute || joint.type == CoordinateType::planar;
    if (turns && !first) {  // the angle comes last
      const double guess =
          numbers_[i].back() + 0.5 * (t - time_) * (rates.back() + rates_[i].back());
      now.back() +=
          2 * std::numbers::pi * std::round((guess - now.back()) / (2 * std::numbers::pi));
    }
    if (first) {
      numbers_.push_back(std::move(now));
      rates_.push_back(std::move(rates));
    } else {
      numbers_[i] = std::move(now);
      rates_[i] = std::move(rates);
    }
  }
  time_ = t;
}

}  // namespace rattleback::app

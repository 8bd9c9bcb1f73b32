// Where the joints of a robot start.
#include <cmath>

#include "../problem/suggest.hpp"
#include "rattleback/problem/error.hpp"
#include "robot_kinematics.hpp"

namespace rattleback {

namespace {

std::size_t number(int i) { return static_cast<std::size_t>(i); }

class StartReader {
 public:
  StartReader(const Robot& robot, const RobotStart& start, RobotPose& pose,
              std::vector<std::vector<double>>& rates, std::vector<bool>& given)
      : robot_(robot), start_(start), pose_(pose), rates_(rates), given_(given) {}

  void read() {
    for (const Robot::Joint& joint : robot_.joints)
      rates_.emplace_back(number(rates_of(joint.type)), 0.0);
    given_.resize(robot_.joints.size());
    take(start_.joints, pose_.numbers, numbers_of, "joints");
    for (std::size_t i = 0; i < given_.size(); ++i)
      given_[i] = start_.joints.contains(robot_.joints[i].name);
    require_quaternions();
    take(start_.velocities, rates_, rates_of, "joint_velocities");
    follow_relations();
  }

 private:
  /// Numbers from the start, by the names of joints.
  void take(const std::map<std::string, std::vector<double>>& from,
            std::vector<std::vector<double>>& to, int (*count)(CoordinateType),
            const char* what) const {
    for (const auto& [name, numbers] : from) {
      const std::size_t i = find(name, what);
      const auto wanted = number(count(robot_.joints[i].type));
      if (numbers.size() != wanted)
        throw InputError(what, "joint '" + name + "' has " + std::to_string(wanted) +
                                   (wanted == 1 ? " number" : " numbers") + ", not " +
                                   std::to_string(numbers.size()));
      to[i] = numbers;
    }
  }
  std::size_t find(const std::string& name, const char* what) const {
    std::vector<std::string> known;
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      if (robot_.joints[i].type == CoordinateType::fixed) {
        if (robot_.joints[i].name == name)
          throw InputError(what, "joint '" + name + "' is fixed and has no value");
        continue;
      }
      if (robot_.joints[i].name == name) return i;
      known.push_back(robot_.joints[i].name);
    }
    throw InputError(what, "there is no joint '" + name + "'" + detail::suggestion(name, known));
  }
  void require_quaternions() {
    constexpr double tolerance = 1e-6;  // written with a few digits
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      std::vector<double>& all = pose_.numbers[i];
      if (all.size() < 4) continue;
      double square = 0;
      for (std::size_t k = all.size() - 4; k < all.size(); ++k) square += all[k] * all[k];
      if (!(std::abs(std::sqrt(square) - 1) <= tolerance))
        throw InputError("joints", "joint '" + robot_.joints[i].name +
                                       "' needs a unit quaternion; its length is " +
                                       detail::quote(std::sqrt(square)));
    }
  }

  /// Joints that follow others, and are not given, start where those take them.
  void follow_relations() {
    // Each pass settles at least one more of a chain of followers.
    for (std::size_t pass = 0; pass < robot_.relations.size(); ++pass)
      for (const auto& relation : robot_.relations) follow(relation);
  }
  void follow(const Robot::Relation& relation) {
    const auto i = number(relation.joint);
    const auto& c = relation.coefficients;
    const double x =
        relation.other < 0 ? 0 : pose_.numbers[number(relation.other)][0] - relation.from[1];
    if (!given_[i])
      pose_.numbers[i][0] =
          relation.from[0] + c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])));
    if (!start_.velocities.contains(robot_.joints[i].name) && relation.other >= 0)
      rates_[i][0] = (c[1] + x * (2 * c[2] + x * (3 * c[3] + x * 4 * c[4]))) *
                     rates_[number(relation.other)][0];
  }

  const Robot& robot_;
  const RobotStart& start_;
  RobotPose& pose_;
  std::vector<std::vector<double>>& rates_;
  std::vector<bool>& given_;
};

}  // namespace

void take_start(const Robot& robot, const RobotStart& start, RobotPose& pose,
                std::vector<std::vector<double>>& rates, std::vector<bool>& given) {
  StartReader(robot, start, pose, rates, given).read();
}

}  // namespace rattleback

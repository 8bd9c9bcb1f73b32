// Forces on bodies beside gravity: springs, and potentials of the user.
#pragma once

#include <vector>

#include "joint_equations.hpp"

namespace rattleback {

class MechanismForces {
 public:
  MechanismForces() = default;
  /// Throws InputError for bodies and joints that are not there.
  explicit MechanismForces(const Mechanism& mechanism);

  bool empty() const { return springs_.empty() && potentials_.empty(); }
  /// The energy; torques in body axes and forces in space axes, set in `to`.
  double at(const std::vector<Pose<double>>& poses, std::vector<Vector<double, 6>>& to) const;
  /// Of other scalars there are none.
  template <class S>
  double at(const std::vector<Pose<S>>&, std::vector<Vector<S, 6>>&) const {
    return 0;
  }

 private:
  enum class Kind : unsigned char { line, turn, slide };
  struct SpringPlace {
    Kind kind;
    int a, b;
    Vector3 point_a, point_b;
    Vector3 axis_a, axis_b;
    lie::SO3<double> start{};  ///< of b in a
    double stiffness, rest;
  };
  struct PotentialPlace {
    std::vector<int> bodies;
    std::function<double(std::span<const BodyPose>, std::span<Wrench>)> energy;
    mutable std::vector<BodyPose> poses{};  // what it is asked with, made once
    mutable std::vector<Wrench> wrenches{};
  };
  using Twists = std::vector<Vector<double, 6>>;

  SpringPlace place_of(const Mechanism& mechanism, const Spring& spring) const;
  SpringPlace at_joint(const Mechanism& mechanism, const Spring& spring) const;
  static double apply(const SpringPlace& spring, const Pose<double>& a, const Pose<double>& b,
                      Vector<double, 6>& on_a, Vector<double, 6>& on_b);
  static double apply(const PotentialPlace& potential, const std::vector<Pose<double>>& poses,
                      Twists& to);

  std::vector<SpringPlace> springs_;
  std::vector<PotentialPlace> potentials_;
};

}  // namespace rattleback

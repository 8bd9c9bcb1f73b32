// A motion that is no phase point: a free rigid body, a rotation and a momentum. It is here to show
// that runs, files, pictures and laws ask nothing of a motion but what the concept says.
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cmath>

#include "rattleback/integrators/any_motion.hpp"

namespace rattleback::testing {

/// What computes is not inlined: one code, and so the same bits, whoever calls it.
/// m' = m x omega, R' = R hat(omega), omega_i = m_i / I_i, all in the body's frame.
class RigidBody {
 public:
  struct Point {
    Eigen::Matrix3d attitude = Eigen::Matrix3d::Identity();
    Eigen::Vector3d momentum = Eigen::Vector3d::Zero();
  };

  RigidBody(const Eigen::Vector3d& inertia, const Point& start)
      : inertia_(inertia), attitude_(start.attitude), momentum_(start.momentum) {}

  MotionInfo info() const {
    const Field attitude{"attitude",
                         {"R_xx", "R_xy", "R_xz", "R_yx", "R_yy", "R_yz", "R_zx", "R_zy", "R_zz"}};
    return {"rigid body", "axes", {{attitude, {"momentum", {"m_x", "m_y", "m_z"}}}}};
  }
  /// H is a sum over the axes; each part turns the body about its axis, and the turns in mirrored
  /// order make a step of order two. Beyond the rate at which the axes could be told apart it
  /// fails.
  [[gnu::noinline]] Advance advance(double h, long count) {
    Advance done;
    for (; done.steps < count; ++done.steps) {
      if (std::abs(h) * momentum_.cwiseQuotient(inertia_).norm() > 1) {
        done.status = {Outcome::no_convergence, 0, h};
        break;
      }
      for (const int axis : {0, 1, 2, 2, 1, 0}) turn(axis, h / 2);
    }
    return done;
  }
  void reset() {}

  /// The attitude is carried as a quaternion, whose length is left to round-off.
  [[gnu::noinline]] Point state() const { return {attitude_.toRotationMatrix(), momentum_}; }
  /// One Newton step to the nearest rotation.
  [[gnu::noinline]] Status present(Point& z) const {
    const Eigen::Matrix3d square = z.attitude.transpose() * z.attitude;
    z.attitude *= 0.5 * (3 * Eigen::Matrix3d::Identity() - square);
    return {};
  }
  [[gnu::noinline]] Status measure(Look<Point>& look) const {
    const auto& [attitude, momentum] = look.point;
    look.energy = momentum.cwiseQuotient(inertia_).dot(momentum) / 2;
    look.constraint =
        (attitude.transpose() * attitude - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
    if (!std::isfinite(look.energy)) return {Outcome::not_finite, 0, look.energy};
    return {};
  }
  void multipliers(std::vector<double>& to) const { to.clear(); }
  Projections projections(long, long looks) { return {looks, 0}; }
  Failure explain(const Status& status, const Point&, double step, double time) const {
    return {"the body turns too far",
            "the step is too large",
            "|m| = " + std::to_string(momentum_.norm()),
            status.outcome,
            step,
            time};
  }

  void values(const Point& z, std::vector<double>& to) const {
    const Eigen::Matrix3d rows = z.attitude.transpose();
    to.assign(rows.data(), rows.data() + 9);
    to.insert(to.end(), z.momentum.begin(), z.momentum.end());
  }
  Point point(std::span<const double> values) const {
    return {Eigen::Map<const Eigen::Matrix3d>(values.data()).transpose(),
            Eigen::Map<const Eigen::Vector3d>(values.data() + 9)};
  }
  void save(std::vector<double>& to) const {
    to.assign(attitude_.coeffs().begin(), attitude_.coeffs().end());
    to.insert(to.end(), momentum_.begin(), momentum_.end());
  }
  void restore(std::span<const double> saved) {
    attitude_.coeffs() = Eigen::Map<const Eigen::Vector4d>(saved.data());
    momentum_ = Eigen::Map<const Eigen::Vector3d>(saved.data() + 4);
  }

  /// A tangent vector: the turn in the body's frame, and the change of momentum.
  Point retract(const Point& z, std::span<const double> tangent) const {
    const Eigen::Map<const Eigen::Vector3d> turn(tangent.data()), change(tangent.data() + 3);
    if (turn.norm() == 0) return {z.attitude, z.momentum + change};
    return {z.attitude * Eigen::AngleAxisd(turn.norm(), turn.normalized()), z.momentum + change};
  }
  [[gnu::noinline]] void difference(const Point& a, const Point& b, std::vector<double>& to) const {
    const Eigen::AngleAxisd turn(Eigen::Matrix3d(a.attitude.transpose() * b.attitude));
    const Eigen::Vector3d angles = turn.angle() * turn.axis(), change = b.momentum - a.momentum;
    to.assign(angles.begin(), angles.end());
    to.insert(to.end(), change.begin(), change.end());
  }

 private:
  void turn(int axis, double h) {
    const double angle = h * momentum_[axis] / inertia_[axis];
    const Eigen::Quaterniond by(Eigen::AngleAxisd(angle, Eigen::Vector3d::Unit(axis)));
    attitude_ = attitude_ * by;
    momentum_ = by.conjugate() * momentum_;
  }

  Eigen::Vector3d inertia_;
  Eigen::Quaterniond attitude_;
  Eigen::Vector3d momentum_;
};
static_assert(Motion<RigidBody>);

}  // namespace rattleback::testing

// What is measured of a mechanism's state, and the projection of its momenta.
#pragma once

#include <memory>

#include "mechanism_stepper.hpp"

namespace rattleback {

/// Works in the axes of MechanismState; allocates once.
class MechanismLook {
 public:
  explicit MechanismLook(const MechanismModel& model);

  /// Evaluates the joints there.
  void at(const MechanismState<double>& z);
  double energy(const MechanismState<double>& z);
  double constraint() const;
  /// Shafts where the bodies tell: of what has turned, with the whole turns that fit best.
  void place_shafts(MechanismState<double>& z);
  /// Rates of the equations, G J^-1 m, into rates(); the largest is returned.
  double hidden(const MechanismState<double>& z);
  const Vector<double, dynamic>& rates() const { return rates_; }
  /// What each joint does to its second body, at its point there, in space axes: force and torque.
  /// From J a + G^T lambda = f, G a = -G' v, so that they are those of the state, not of a step.
  /// After at(), of a state that was projected; false where joints have lost rank.
  bool reactions(const MechanismState<double>& z, std::vector<double>& to);
  /// m -= G^T nu, so that G J^-1 m = 0. After at().
  Status project(MechanismState<double>& z);
  /// As far as the momentum tells it.
  Vector<double, 6> velocity(std::size_t body, const Vector<double, 6>& momentum) const;
  /// Of a state that was projected, where bodies have no inertia.
  Vector<double, 6> velocity(std::size_t body, const MechanismState<double>& z) const;

 private:
  bool factor();
  void accelerate(const MechanismState<double>& z);
  void acceleration_residuals();
  void correct_accelerations();
  template <class Use>
  void each_joint_row(const Use& use) const;
  template <class Use>
  void each_shaft_row(const Use& use) const;
  void project_once(MechanismState<double>& z, bool first);
  Vector<double, 6> own_momentum(std::size_t body, const Vector<double, 6>& velocity) const;

  const MechanismModel& model_;
  JointRows<double> rows_, pulled_;
  BlockMatrix<double> matrix_;
  std::vector<Vector<double, 6>> forces_;
  Vector<double, dynamic> rates_, change_;
  bool factored_ = false;
  /// Of reactions(): made when they are first asked for.
  struct Accelerations {
    JointRows<Dual<double, 1>> rows;
    std::vector<Pose<Dual<double, 1>>> poses;
    std::vector<Vector<double, 6>> forces, accelerations, residual;
    Vector<double, dynamic> bend, lambda;  ///< G' v; multipliers
    std::vector<double> shafts;            ///< their accelerations
  };
  std::unique_ptr<Accelerations> accelerations_;
};

}  // namespace rattleback

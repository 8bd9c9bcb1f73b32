// What is measured of a mechanism's state, and the projection of its momenta.
#pragma once

#include "mechanism_stepper.hpp"

namespace rattleback {

/// Works in the axes of MechanismState; allocates once.
class MechanismLook {
 public:
  explicit MechanismLook(const MechanismModel& model);

  /// Evaluates the joints there.
  void at(const MechanismState<double>& z);
  double energy(const MechanismState<double>& z) const;
  double constraint() const;
  /// Rates of the equations, G J^-1 m, into rates(); the largest is returned.
  double hidden(const MechanismState<double>& z);
  const Vector<double, dynamic>& rates() const { return rates_; }
  /// m -= G^T nu, so that G J^-1 m = 0. After at().
  Status project(MechanismState<double>& z);
  Vector<double, 6> velocity(std::size_t body, const Vector<double, 6>& momentum) const;

 private:
  const MechanismModel& model_;
  JointRows<double> rows_;
  BlockMatrix<double> matrix_;
  Vector<double, dynamic> rates_;
};

}  // namespace rattleback

// A mechanism as its steps see it: inertias, equations, and where the blocks of its matrix are.
#pragma once

#include <vector>

#include "block_matrix.hpp"
#include "body_groups.hpp"

namespace rattleback {

/// Poses, and momenta: angular in body axes, then linear in space axes.
template <class S>
struct MechanismState {
  std::vector<Pose<S>> poses;
  std::vector<Vector<S, 6>> momenta;
};

/// A mechanism as steps see it.
struct MechanismModel {
  explicit MechanismModel(const Mechanism& mechanism);

  std::size_t bodies() const { return inertia.size(); }
  std::vector<BodyInertia<double>> inertia;
  std::vector<Matrix3> inverse_inertia;
  Vector3 gravity;
  JointEquations joints;
  BlockPattern pattern;
  /// Two joints, or one with itself, at one body: a block of S has a part from there.
  struct Meeting {
    int row, column;                 ///< joints
    bool row_second, column_second;  ///< whether the body is their second one
    std::size_t place;
  };
  std::vector<Meeting> meetings;
  double softening = 0;  ///< where there are loops
  MechanismState<double> start;
};

/// Values of all equations, and their rows for the first and the second body of their joint.
template <class S>
struct JointRows {
  explicit JointRows(int count)
      : value(static_cast<std::size_t>(count)), first(value.size()), second(value.size()) {}
  std::vector<S> value;
  std::vector<Vector<S, 6>> first, second;
};

template <class S>
void rows_at(const MechanismModel& model, const std::vector<Pose<S>>& poses, JointRows<S>& rows) {
  const Pose<S> ground{};
  const auto pose = [&](int body) -> const Pose<S>& {
    return body < 0 ? ground : poses[static_cast<std::size_t>(body)];
  };
  for (const JointPlace& joint : model.joints.joints) {
    const JointPose<S> both(joint, pose(joint.a), pose(joint.b));
    for (int i = joint.first; i < joint.first + joint.count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const EquationRow<S> row = both.row(model.joints.equations[k]);
      rows.value[k] = row.value;
      rows.first[k] << row.turn_a, row.shift_a;
      rows.second[k] << row.turn_b, row.shift_b;
    }
  }
}

}  // namespace rattleback

// A mechanism as its steps see it: inertias, equations, and where the blocks of its matrix are.
//
// A step and a projection solve, for velocities v of the bodies and multipliers mu of the joints,
//
//   A v + G^T mu = m,   G v = 0.
//
// Most bodies are eliminated first: S = G A^-1 G^T has a block for each two joints at one body.
// Bodies without inertia of their own, or without some of it, are kept: their A is singular, and
// only with what hangs on them they have an inertia. Eliminated leaf to root together with the
// joint that holds it, such a body leaves the block
//
//   [ A'  G^T ]      A' its own inertia and what its children add: the articulated inertia;
//   [ G    -S ]      S of the joint's other body, where that was eliminated,
//
// which is regular where the joint-space inertia is [Featherstone 2008, ch. 7]; no mass is
// invented. Where joints close loops such a block may have to wait for a joint that closes one:
// nodes that are singular at the start are joined with the next one. Bodies with many joints are
// kept too, as eliminating them first would let all these joints meet.
#pragma once

#include <vector>

#include "block_matrix.hpp"
#include "body_groups.hpp"
#include "mechanism_forces.hpp"

namespace rattleback {

inline std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// Poses, and momenta: angular in body axes, then linear in space axes. Velocities, as the momenta
/// have them, are there where momenta do not tell them: after a projection, of kept bodies.
template <class S>
struct MechanismState {
  std::vector<Pose<S>> poses;
  std::vector<Vector<S, 6>> momenta;
  std::vector<Vector<S, 6>> velocities{};
  struct Shaft {
    S position, momentum, velocity;
  };
  std::vector<Shaft> shafts{};
};

/// A mechanism as steps see it.
struct MechanismModel {
  /// Throws ModelError that names a joint about which nothing has inertia.
  explicit MechanismModel(const Mechanism& mechanism);

  std::size_t bodies() const { return inertia.size(); }
  /// Those of the mechanism, and not what measures them.
  std::size_t true_joints() const {
    std::size_t count = joints.joints.size();
    while (count > 0 && joints.joints[count - 1].measures >= 0) --count;
    return count;
  }
  std::vector<BodyInertia<double>> inertia;
  /// Of what there is: zero in directions without inertia.
  std::vector<Matrix3> inverse_inertia;
  std::vector<double> inverse_mass;
  Vector3 gravity;
  MechanismForces forces;  ///< beside gravity
  JointEquations joints;
  BlockPattern pattern;

  /// Two joints, or one with itself, at one body that is eliminated: a block of S has a part.
  struct Meeting {
    int row, rows, column, columns;  ///< their equations
    bool row_second, column_second;  ///< whether the body is their second one
    bool meets;                      ///< whether both are ball joints
    BlockPattern::Place place;
  };
  std::vector<Meeting> meetings;
  /// A body that stays in the matrix, and its joints.
  struct KeptJoint {
    int equation, count;
    bool second;
    BlockPattern::Place below, right;  ///< blocks (joint, body) and (body, joint)
  };
  struct KeptBody {
    std::size_t body;
    int row;  ///< of its velocity in the vector of unknowns
    BlockPattern::Place place;
    std::vector<KeptJoint> joints{};
  };
  std::vector<KeptBody> kept;
  /// A shaft stays in the matrix too, with the rows of what follows it.
  struct KeptShaft {
    int row;  ///< of its velocity in the vector of unknowns
    BlockPattern::Place place;
    std::vector<BlockPattern::Place> below{}, right{};  ///< blocks with each of its rows
  };
  std::vector<KeptShaft> shafts;
  std::vector<char> is_kept;  ///< for each body
  std::vector<int> row;       ///< of each joint in the vector of unknowns
  bool massless = false;      ///< whether momenta tell not all velocities
  double softening = 0;       ///< where there are loops
  std::vector<double> soft;   ///< S_ii at the start, by row of the unknowns; of bodies 0
  std::vector<double> scale;  ///< by row: makes entries of the matrix of order one
  /// Of the mechanism, and the shortest and the mean distance of a joint from a centre of mass.
  double size = 1, arm = 1, mean_arm = 1, mean_mass = 1;
  double mean_inertia() const { return mean_mass * mean_arm * mean_arm; }
  MechanismState<double> start;

 private:
  void arrange(const Mechanism& mechanism);
  std::vector<std::pair<int, int>> meeting_units(const std::vector<int>& kept_units,
                                                 int shaft_unit) const;
  int singular_node() const;
  void place_blocks(const std::vector<int>& kept_units);
  void place_shafts(int first_unit);
  void start_shafts();
  void weigh();
};

/// Values of all equations, and their rows for the first and the second body of their joint.
template <class S>
struct JointRows {
  explicit JointRows(const MechanismModel& model)
      : value(static_cast<std::size_t>(model.joints.count())),
        first(value.size()),
        second(value.size()),
        frames(model.bodies()) {
    for (const ShaftPlace& shaft : model.joints.shafts) {
      shafts.push_back(S(shaft.start));
      for (std::size_t i = 0; i < shaft.rows.size(); ++i) slopes.push_back(S(0));
    }
  }
  std::vector<S> shafts;  ///< where they are; what rows_at() is to know beside poses
  std::vector<S> slopes;  ///< of the equations of shafts in these, one after the other
  std::vector<S> value;
  std::vector<Vector<S, 6>> first, second;
  std::vector<Frame<S>> frames;
};

/// measured - P(s), and -P'(s), where `rows` has what is measured.
template <class S>
void shaft_rows(const JointEquations& joints, JointRows<S>& rows) {
  std::size_t next = 0;
  for (std::size_t k = 0; k < joints.shafts.size(); ++k)
    for (const ShaftPlace::Row& row : joints.shafts[k].rows) {
      const auto [follows, slope] = row.at(rows.shafts[k]);
      const JointPlace& joint = joints.joints[static_cast<std::size_t>(row.joint)];
      S& value = rows.value[static_cast<std::size_t>(joint.first)];
      value = row.least(S(value + S(row.offset) - follows));
      rows.slopes[next++] = -slope;
    }
}

/// use(joint, both of its bodies, its first equation, that behind its last).
template <class S, class Use>
void each_joint(const MechanismModel& model, const std::vector<Pose<S>>& poses, JointRows<S>& rows,
                const Use& use) {
  const Frame<S> ground{};
  for (std::size_t i = 0; i < poses.size(); ++i) rows.frames[i] = Frame<S>::of(poses[i]);
  const auto frame = [&](int body) -> const Frame<S>& {
    return body < 0 ? ground : rows.frames[static_cast<std::size_t>(body)];
  };
  for (const JointPlace& joint : model.joints.joints) {
    const auto first = static_cast<std::size_t>(joint.first);
    use(joint, JointPose<S>(joint, frame(joint.a), frame(joint.b)), first,
        first + static_cast<std::size_t>(joint.count));
  }
  if (!rows.shafts.empty()) shaft_rows(model.joints, rows);
}

template <class S>
void rows_at(const MechanismModel& model, const std::vector<Pose<S>>& poses, JointRows<S>& rows) {
  each_joint(model, poses, rows, [&](const auto& joint, const auto& both, auto k, auto end) {
    if (joint.meets)
      for (int i = 0; i < 3; ++i, ++k) {
        Vector<S, 3> axis = Vector<S, 3>::Constant(S(0));
        axis[i] = S(1);
        rows.value[k] = both.gap()[i];
        rows.first[k] << both.turn_a(i), -axis;
        rows.second[k] << both.turn_b(i), axis;
      }
    for (; k < end; ++k) {
      const EquationRow<S> row = both.row(model.joints.equations[k]);
      rows.value[k] = row.value;
      rows.first[k] << row.turn_a, row.shift_a;
      rows.second[k] << row.turn_b, row.shift_b;
    }
  });
}

template <class S>
void assemble_shafts(const MechanismModel& model, const JointRows<S>& left,
                     const JointRows<S>& right, BlockMatrix<S>& matrix) {
  std::size_t next = 0;
  for (std::size_t k = 0; k < model.shafts.size(); ++k) {
    const auto& shaft = model.shafts[k];
    *matrix.block(shaft.place.at) = S(model.joints.shafts[k].inertia);
    for (std::size_t i = 0; i < shaft.below.size(); ++i, ++next) {
      *matrix.block(shaft.below[i].at) = -left.slopes[next];
      *matrix.block(shaft.right[i].at) = right.slopes[next];
    }
  }
}

/// The values only.
template <class S>
void values_at(const MechanismModel& model, const std::vector<Pose<S>>& poses, JointRows<S>& rows) {
  each_joint(model, poses, rows, [&](const auto& joint, const auto& both, auto k, auto end) {
    if (joint.meets)
      for (int i = 0; i < 3; ++i) rows.value[k++] = both.gap()[i];
    for (; k < end; ++k) rows.value[k] = both.value(model.joints.equations[k]);
  });
}

/// The matrix of the unknowns: `left` are rows of G at the end, times A^-1 for bodies that are
/// eliminated, `right` those of G^T; slope(i) is A of a kept body. `split`: shifts are in space
/// axes and A has them apart, so that points which meet have diagonal rows there.
template <bool split, class S, class Slope>
void assemble(const MechanismModel& model, const JointRows<S>& left, const JointRows<S>& right,
              const Slope& slope, BlockMatrix<S>& matrix) {
  matrix.clear();
  for (const auto& m : model.meetings) {
    const auto* l = (m.row_second ? left.second : left.first).data() + m.row;
    const auto* r = (m.column_second ? right.second : right.first).data() + m.column;
    S* to = matrix.block(m.place.at);
    if (split && m.meets) {
      for (int i = 0; i < 3; ++i, to += m.place.stride) {
        for (int j = 0; j < 3; ++j)
          to[j] = to[j] + l[i].template head<3>().dot(r[j].template head<3>());
        to[i] = to[i] + l[i][3 + i] * r[i][3 + i];
      }
      continue;
    }
    for (int i = 0; i < m.rows; ++i, to += m.place.stride)
      for (int j = 0; j < m.columns; ++j) to[j] = to[j] + l[i].dot(r[j]);
  }
  for (const auto& body : model.kept) {
    const Matrix<S, 6> own = slope(body.body);
    S* diagonal = matrix.block(body.place.at);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) diagonal[i * body.place.stride + j] = own(i, j);
    for (const auto& joint : body.joints) {
      const auto* l = (joint.second ? left.second : left.first).data() + joint.equation;
      const auto* r = (joint.second ? right.second : right.first).data() + joint.equation;
      S *below = matrix.block(joint.below.at), *beside = matrix.block(joint.right.at);
      for (int i = 0; i < joint.count; ++i)
        for (int k = 0; k < 6; ++k) {
          below[i * joint.below.stride + k] = -l[i][k];
          beside[k * joint.right.stride + i] = r[i][k];
        }
    }
  }
  assemble_shafts(model, left, right, matrix);
}

}  // namespace rattleback

// The groups that a body moves in: SO(3) x R^3, or SE(3), whose retractions couple turns and
// shifts. Momenta and rows of equations are (turn in body axes, shift); shifts are in space axes
// for the first and in body axes for the second.
#pragma once

#include "body_kernels.hpp"

namespace rattleback {

template <class S>
struct BodyInertia {
  Matrix<S, 3> inertia;
  S mass;

  Matrix<S, 6> full() const {
    Matrix<S, 6> all = Matrix<S, 6>::Constant(S(0));
    all.template topLeftCorner<3, 3>() = inertia;
    for (int i = 3; i < 6; ++i) all(i, i) = mass;
    return all;
  }
};

/// A body within a Newton iteration.
template <class S, class Method>
class SplitBody {
 public:
  using V = Vector<S, 3>;
  using Twist = Vector<S, 6>;
  static constexpr bool split = true;

  static Twist to_group(const Pose<S>&, const Twist& row) { return row; }
  static Twist from_group(const Pose<S>&, const Twist& row) { return row; }

  void evaluate(const BodyInertia<S>& body, const Real<S>& h, const Pose<S>& at, const Twist& xi) {
    const auto part = turn(body, h, xi);
    arrive(body, h, at, xi, part);
    solve_ = inverse_of<S, 3>(part.slope);
    reach_ = part.moves * solve_;
    inverse_mass_ = S(1) / body.mass;
  }
  /// The same of a body that stays in the matrix: pull() is then a row over its velocity.
  Matrix<S, 6> evaluate_kept(const BodyInertia<S>& body, const Real<S>& h, const Pose<S>& at,
                             const Twist& xi) {
    const auto part = turn(body, h, xi);
    arrive(body, h, at, xi, part);
    reach_ = part.moves;
    inverse_mass_ = S(1);
    return BodyInertia<S>{part.slope, body.mass}.full();
  }
  /// Where it ends only.
  void finish(const BodyInertia<S>& body, const Real<S>& h, const Pose<S>& at, const Twist& xi) {
    const V w = xi.template head<3>();
    arrive(body, h, at, xi, Method::template arrive<S, lie::SO3<S>>(body.inertia, h, w));
  }
  const Pose<S>& end() const { return end_; }
  const Twist& momentum_at_start() const { return begin_; }
  const Twist& momentum_at_end() const { return momentum_; }
  /// d xi by d momentum.
  Twist solve(const Twist& r) const {
    Twist x;
    x.template head<3>() = solve_ * r.template head<3>();
    x.template tail<3>() = r.template tail<3>() * inverse_mass_;
    return x;
  }
  /// A row at the end, as one over the momentum at the start, divided by h.
  Twist pull(const Twist& row) const {
    Twist x;
    x.template head<3>() = reach_.transpose() * row.template head<3>();
    x.template tail<3>() = row.template tail<3>() * inverse_mass_;
    return x;
  }

 private:
  static auto turn(const BodyInertia<S>& body, const Real<S>& h, const Twist& xi) {
    const V w = xi.template head<3>();
    return Method::template evaluate<S, lie::SO3<S>>(body.inertia, h, w);
  }
  void arrive(const BodyInertia<S>& body, const Real<S>& h, const Pose<S>& at, const Twist& xi,
              const PartOfStep<lie::SO3<S>>& part) {
    end_ = {(at.r * part.step).normalized(), at.x + h * xi.template tail<3>()};
    begin_ << part.begin, body.mass * xi.template tail<3>();
    momentum_ << part.end, begin_.template tail<3>();
  }

  Pose<S> end_;
  Twist begin_, momentum_;
  Matrix<S, 3> solve_, reach_;
  S inverse_mass_;
};

template <class S, class Method>
class RigidBodyInSE3 {
 public:
  using Twist = Vector<S, 6>;
  static constexpr bool split = false;

  static Twist to_group(const Pose<S>& at, const Twist& row) { return turned(at.r.inverse(), row); }
  static Twist from_group(const Pose<S>& at, const Twist& row) { return turned(at.r, row); }

  void evaluate(const BodyInertia<S>& body, const Real<S>& h, const Pose<S>& at, const Twist& xi) {
    const auto part = Method::template evaluate<S, lie::SE3<S>>(body.full(), h, xi);
    arrive(at, part);
    solve_ = inverse_of<S, 6>(part.slope);
    reach_ = part.moves * solve_;
  }
  Matrix<S, 6> evaluate_kept(const BodyInertia<S>& body, const Real<S>& h, const Pose<S>& at,
                             const Twist& xi) {
    const auto part = Method::template evaluate<S, lie::SE3<S>>(body.full(), h, xi);
    arrive(at, part);
    reach_ = part.moves;
    return part.slope;
  }
  void finish(const BodyInertia<S>& body, const Real<S>& h, const Pose<S>& at, const Twist& xi) {
    arrive(at, Method::template arrive<S, lie::SE3<S>>(body.full(), h, xi));
  }
  const Pose<S>& end() const { return end_; }
  const Twist& momentum_at_start() const { return begin_; }
  const Twist& momentum_at_end() const { return momentum_; }
  Twist solve(const Twist& r) const { return solve_ * r; }
  Twist pull(const Twist& row) const { return reach_.transpose() * row; }

 private:
  static Twist turned(const lie::SO3<S>& r, Twist row) {
    row.template tail<3>() = r(Vector<S, 3>(row.template tail<3>()));
    return row;
  }
  void arrive(const Pose<S>& at, const PartOfStep<lie::SE3<S>>& part) {
    const lie::SE3<S> end = (lie::SE3<S>{at.r, at.x} * part.step).normalized();
    end_ = {end.r, end.x};
    begin_ = part.begin, momentum_ = part.end;
  }

  Pose<S> end_;
  Twist begin_, momentum_;
  Matrix<S, 6> solve_, reach_;
};

}  // namespace rattleback

// The equations of joints, and their derivatives.
//
// Each joint is a few equations of four kinds. With R, x of its bodies a and b, points a_p, b_p in
// their own axes and d = x_b + R_b b_p - x_a - R_a a_p:
//
//   meet      e . d = 0                 e an axis of space
//   slide     R_a u . d = 0             u a direction in a
//   align     R_a u . R_b c = 0         c a direction in b
//   length    (|d|^2 - l^2) / (2 l) = 0
//
// and two that measure a joint: how far it has turned about an axis that both bodies share, and how
// far it has slid. What they measure follows a shaft: a number s of its own, with an inertia or
// without, and equations  measured - P(s) = 0.  The rotor of a joint is a shaft with P = s, a
// coupling one with P = s for x and y's polynomial for y.
//
// Derivatives are rows over (turn, shift) of each body: R' = R hat(turn), x' = shift.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "rattleback/multibody/mechanism.hpp"

namespace rattleback {

struct JointEquation {
  enum class Kind : unsigned char { meet, slide, align, length, turned };
  Kind kind;
  Vector3 u;  ///< of meet: the axis of space; of turned: the same where it is zero
  Vector3 c = Vector3::Zero();
  double length = 0;                                           ///< of length
  Vector3 axis_a = Vector3::Zero(), axis_b = Vector3::Zero();  ///< of turned
};

/// Equations `first` to `first + count` are those of one joint; its bodies may be the world (-1).
struct JointPlace {
  int a, b;
  int first, count;
  Vector3 point_a, point_b;
  bool meets;         ///< its first three equations are those of points that coincide
  int measures = -1;  ///< the joint that this one is not, but only measures
};

/// Where a body is.
template <class S>
struct Pose {
  lie::SO3<S> r{};
  Vector<S, 3> x = Vector<S, 3>::Constant(S(0));
};

/// The same, with the rotation as a matrix.
template <class S>
struct Frame {
  Matrix<S, 3> r = Matrix<S, 3>::Identity();
  Vector<S, 3> x = Vector<S, 3>::Constant(S(0));

  static Frame of(const Pose<S>& pose) {
    const S x = pose.r.v[0], y = pose.r.v[1], z = pose.r.v[2], w = pose.r.w;
    const S xx = x + x, yy = y + y, zz = z + z;
    const S wx = w * xx, wy = w * yy, wz = w * zz;
    const S x2 = x * xx, y2 = y * yy, z2 = z * zz;
    const S xy = x * yy, xz = x * zz, yz = y * zz;
    Frame f;
    f.r << S(1) - (y2 + z2), xy - wz, xz + wy, xy + wz, S(1) - (x2 + z2), yz - wx, xz - wy, yz + wx,
        S(1) - (x2 + y2);
    f.x = pose.x;
    return f;
  }
};

/// One equation: its value, and its rows.
template <class S>
struct EquationRow {
  S value;
  Vector<S, 3> turn_a, shift_a, turn_b, shift_b;
};

namespace detail {

template <class S>
Vector<S, 3> lifted(const Vector3& v) {
  return {S(v[0]), S(v[1]), S(v[2])};
}

}  // namespace detail

/// What all equations of a joint have in common at a pose.
template <class S>
class JointPose {
 public:
  using V = Vector<S, 3>;

  JointPose(const JointPlace& joint, const Frame<S>& a, const Frame<S>& b)
      : point_a_(detail::lifted<S>(joint.point_a)),
        point_b_(detail::lifted<S>(joint.point_b)),
        ra_(a.r),
        rb_(b.r),
        gap_((b.x - a.x) + (rb_ * point_b_ - ra_ * point_a_)) {}

  /// The gap between the points.
  const V& gap() const { return gap_; }
  /// Row i of three over the turn of a body: e_i . R (turn x p) for the second one.
  V turn_a(int i) const { return lie::cross(V(ra_.row(i)), point_a_); }
  V turn_b(int i) const { return lie::cross(point_b_, V(rb_.row(i))); }

  EquationRow<S> row(const JointEquation& e) const {
    switch (e.kind) {
      case JointEquation::Kind::meet:
        return along(detail::lifted<S>(e.u), gap_.dot(detail::lifted<S>(e.u)));
      case JointEquation::Kind::slide:
        return slide(detail::lifted<S>(e.u));
      case JointEquation::Kind::align:
        return align(detail::lifted<S>(e.u), detail::lifted<S>(e.c));
      case JointEquation::Kind::turned:
        return turned(e);
      default:
        return length(e.length);
    }
  }

  S value(const JointEquation& e) const {
    switch (e.kind) {
      case JointEquation::Kind::slide:
        return gap_.dot(ra_ * detail::lifted<S>(e.u));
      case JointEquation::Kind::align:
        return (ra_ * detail::lifted<S>(e.u)).dot(rb_ * detail::lifted<S>(e.c));
      default:
        return row(e).value;
    }
  }

 private:
  /// d/dt of w . d for a w that rests in space.
  EquationRow<S> along(const V& w, const S& value) const {
    return {value, -lie::cross(point_a_, V(ra_.transpose() * w)), -w,
            lie::cross(point_b_, V(rb_.transpose() * w)), w};
  }
  EquationRow<S> slide(const V& u) const {
    const V w = ra_ * u;
    EquationRow<S> r = along(w, gap_.dot(w));
    r.turn_a += lie::cross(u, V(ra_.transpose() * gap_));
    return r;
  }
  EquationRow<S> align(const V& u, const V& c) const {
    const V seen_b = ra_.transpose() * (rb_ * c), seen_a = rb_.transpose() * (ra_ * u);
    const V none = V::Constant(S(0));
    return {u.dot(seen_b), lie::cross(u, seen_b), none, lie::cross(c, seen_a), none};
  }
  /// The rows are those where the axes are one; elsewhere they miss parts of the joint's own.
  EquationRow<S> turned(const JointEquation& e) const {
    using std::atan2;
    const V u = detail::lifted<S>(e.u), axis = detail::lifted<S>(e.axis_a);
    const V seen = ra_.transpose() * (rb_ * detail::lifted<S>(e.c)), none = V::Constant(S(0));
    return {atan2(S(lie::cross(axis, u).dot(seen)), S(u.dot(seen))), -axis, none,
            detail::lifted<S>(e.axis_b), none};
  }
  EquationRow<S> length(double l) const {
    return along(gap_ * Real<S>(1 / l), (gap_.squaredNorm() - S(l * l)) * Real<S>(0.5 / l));
  }

  V point_a_, point_b_;
  const Matrix<S, 3>&ra_, &rb_;
  V gap_;
};

struct ShaftPlace {
  struct Row {
    int joint;                       ///< of JointEquations::joints: what measures
    bool turns;                      ///< and not slides: counts without whole turns
    double offset;                   ///< added to what is measured
    std::vector<double> polynomial;  ///< P

    template <class S>
    struct Value {
      S value, slope;
    };
    /// P and P'
    template <class S>
    Value<S> at(const S& s) const {
      Value<S> p{S(0), S(0)};
      for (std::size_t i = polynomial.size(); i-- > 0;)
        p = {p.value * s + S(polynomial[i]), p.slope * s + p.value};
      return p;
    }
    /// Without whole turns, where it turns.
    template <class S>
    S least(const S& value) const {
      constexpr double turn = 2 * std::numbers::pi;
      return turns ? value - S(turn * std::nearbyint(static_cast<double>(base(value)) / turn))
                   : value;
    }
  };
  double inertia = 0, start = 0;
  std::vector<Row> rows{};  ///< of the first, P = s
};

/// All equations of a mechanism, made at its start: joints, then what measures them for shafts.
struct JointEquations {
  std::vector<JointPlace> joints;
  std::vector<JointEquation> equations;
  std::vector<ShaftPlace> shafts{};

  int count() const { return static_cast<int>(equations.size()); }
};

/// Of rotors and couplings. Throws InputError for joints that are not there or cannot be measured,
/// ModelError for couplings that do not hold at the start.
void add_shafts(const Mechanism& mechanism, JointEquations& to);

/// Throws InputError for bodies that are not there, axes without a direction and the like, and
/// ModelError where points that meet have a gap, or axes of a universal joint are not
/// perpendicular.
JointEquations joint_equations(const Mechanism& mechanism);

}  // namespace rattleback

// Witness problems with constant mass and constraints on positions: pendulums, curves, surfaces,
// linkages.
#pragma once

#include "rattleback/problem/natural_system.hpp"
#include "rattleback/problem/witness/start.hpp"

namespace rattleback::witness {

namespace detail {

/// (|q|^2 - 1)/2: the unit circle or sphere.
inline constexpr auto unit_sphere = []<class Q>(const Q& q) {
  typename Q::Scalar sum = q[0] * q[0];
  for (Eigen::Index i = 1; i < q.size(); ++i) sum += q[i] * q[i];
  return (sum - 1) / 2;
};

}  // namespace detail

inline auto planar_pendulum() {
  return natural_system(
      mass(1, 1), [](const auto& q) { return q[1]; }, quadratic(detail::unit_sphere));
}
inline constexpr Start<2> planar_pendulum_start{{"0.8", "-0.6"}, {"0.45", "0.6"}};

inline auto spherical_pendulum() {
  return natural_system(
      mass(1, 1, 1),
      []<class Q>(const Q& q) {
        using S = typename Q::Scalar;
        return S(q[2] + q[0] * q[0] * ratio<S>(3, 10));
      },
      quadratic(detail::unit_sphere));
}
inline constexpr Start<3> spherical_pendulum_start{
    {"0.622620470681774120008466569466271971", "0.344990822669402205437676777263336172",
     "-0.702371042798530479690038337607260258"},
    {"0.521099751962878676953997544842623432", "-0.786983722768694854969086280007961594",
     "0.0753806858023749511133603892489807502"}};

/// Coordinates x1 y1 x2 y2; masses 1 and 2, rods 1 and 0.7.
inline auto double_pendulum() {
  return natural_system(
      mass(1, 1, 2, 2), [](const auto& q) { return q[1] + q[3] * 2; },
      quadratic([]<class Q>(const Q& q) {
        using S = typename Q::Scalar;
        const S x = q[2] - q[0], y = q[3] - q[1];
        return std::array<S, 2>{S((q[0] * q[0] + q[1] * q[1] - 1) / 2),
                                S((x * x + y * y - ratio<S>(49, 100)) / 2)};
      }));
}
inline constexpr Start<4> double_pendulum_start{
    {"0.603586444108276803271227130505891246", "-0.797297563327974835144688344512366737",
     "1.02762975860592313460168164788428799", "-0.240352981318372909725796302403608394"},
    {"0.187320401351028354591787784148433227", "0.141809106362328911640985997006574772",
     "-0.549725195560393065392248836128443552", "0.987406766152720557916709448608462851"}};

/// q0^4 + q1^2 = 1
inline auto quartic() {
  return natural_system(
      mass(1, 1),
      []<class Q>(const Q& q) {
        using S = typename Q::Scalar;
        return S(q[1] + q[0] * q[0] * ratio<S>(3, 10));
      },
      [](const auto& q) {
        const auto square = q[0] * q[0];
        return square * square + q[1] * q[1] - 1;
      });
}
inline constexpr Start<2> quartic_start{
    {"0.720025350702275232197457637419882186", "0.855116126385965196414927935965219524"},
    {"0.631269812208817603795702277336268994", "-0.551141714078258996102945336868529944"}};

/// Two equal cranks on the ground pivots (0,0) and (2,0) with a coupler of length 2: coordinates x1
/// y1 x2 y2, the parallelogram branch.
inline auto four_bar() {
  return natural_system(
      mass(1, 1, 1, 1), [](const auto& q) { return q[1] + q[3]; },
      quadratic([]<class Q>(const Q& q) {
        using S = typename Q::Scalar;
        const S x = q[2] - q[0], y = q[3] - q[1], u = q[2] - 2;
        return std::array<S, 3>{S((q[0] * q[0] + q[1] * q[1] - 1) / 2),
                                S((u * u + q[3] * q[3] - 1) / 2), S((x * x + y * y - 4) / 2)};
      }));
}
inline constexpr Start<4> four_bar_start{
    {"0.501268404774851068704132606676443302", "-0.865291850403363076945006618044188955",
     "2.5012684047748510687041326066764433", "-0.865291850403363076945006618044188955"},
    {"0.60104557645506486986361255167039504", "0.348189061489674889562440516713215151",
     "0.60104557645506486986361255167039504", "0.348189061489674889562440516713215151"}};

/// Geodesics on the ellipsoid with axes 1, 2, 4.
inline auto ellipsoid() {
  return natural_system(
      mass(1, 1, 1), []<class Q>(const Q&) { return typename Q::Scalar(0); },
      quadratic([](const auto& q) {
        return (q[0] * q[0] + q[1] * q[1] / 4 + q[2] * q[2] / 16 - 1) / 2;
      }));
}
inline constexpr Start<3> ellipsoid_start{
    {"0.614956539778947681843039476249559113", "1.01834251957658290568828986110398411",
     "-2.40856167000542546718552753303088806"},
    {"0.482221289975631995113235226331189791", "-0.807408824779313777347441233149224225",
     "0.604446730416774952990385344654981252"}};

/// A constant full mass matrix, its decimals exact in every scalar.
class DecimalMass {
 public:
  static constexpr int dimension_at_compile_time = 3;
  static constexpr bool diagonal = false;
  static constexpr int size() { return 3; }

  template <class P, class V>
  void velocity(const P& p, V& v) const {
    in<Real<typename V::Scalar>>().velocity(p, v);
  }
  template <class V, class P>
  void momentum(const V& v, P& p) const {
    in<Real<typename P::Scalar>>().momentum(v, p);
  }
  template <class R>
  static const FullMass<R, 3>& in() {
    static const FullMass<R, 3> mass([] {
      const R a = ratio<R>(3, 10), b = ratio<R>(-2, 10), c = ratio<R>(1, 10), d = ratio<R>(3, 2);
      Matrix<R, 3> m;
      m << R(2), a, b, a, d, c, b, c, R(1);
      return m;
    }());
    return mass;
  }
};

inline auto full_mass_sphere() {
  return natural_system(
      DecimalMass(),
      []<class Q>(const Q& q) {
        using S = typename Q::Scalar;
        return S(q[2] + q[0] * q[0] * ratio<S>(3, 10) + q[0] * q[1] * q[2] * ratio<S>(2, 10));
      },
      quadratic(detail::unit_sphere));
}
inline constexpr Start<3> full_mass_sphere_start{
    {"0.675520995247245074820324247575276037", "0.280361082875941106745404063204936912",
     "-0.681959711558389040995715802720342165"},
    {"0.531484237827092465028233447558112361", "-0.759255560281081029136226137669601291",
     "-0.0109309625489650560483808442547840705"}};

}  // namespace rattleback::witness

// Witness problems with constraints on positions and any H(q, p): magnetic, of index 1, with
// position-dependent mass.
#pragma once

#include "rattleback/problem/lagrangian_system.hpp"
#include "rattleback/problem/witness/holonomic.hpp"

namespace rattleback::witness {

/// A charge on the sphere in the field b = 1.3: H is not separable.
struct MagneticEnergy {
  template <class Q>
  auto operator()(const Q& q, const Q& p) const {
    using S = typename Q::Scalar;
    const S x = p[0] + q[1] * ratio<S>(65, 100), y = p[1] - q[0] * ratio<S>(65, 100);
    return S((x * x + y * y + p[2] * p[2]) / 2 + q[2] + q[0] * q[1] * ratio<S>(2, 10));
  }
  /// L = |v|^2/2 + (b/2)(q0 v1 - q1 v0) - V
  template <class S>
  void lagrangian_gradient(const Vector<S, 3>& q, const Vector<S, 3>& v, Vector<S, 3>& l_q,
                           Vector<S, 3>& l_v) const {
    const Real<S> half_b = ratio<S>(65, 100), c = ratio<S>(2, 10);
    l_q[0] = v[1] * half_b - q[1] * c;
    l_q[1] = -v[0] * half_b - q[0] * c;
    l_q[2] = S(-1);
    l_v[0] = v[0] - q[1] * half_b;
    l_v[1] = v[1] + q[0] * half_b;
    l_v[2] = v[2];
  }
};
inline auto magnetic() {
  return hamiltonian_system<3>(MagneticEnergy{}, quadratic(detail::unit_sphere));
}
inline constexpr Start<3> magnetic_start{
    {"0.622620470681774120008466569466271971", "0.344990822669402205437676777263336172",
     "-0.702371042798530479690038337607260258"},
    {"0.521099751962878676953997544842623432", "-0.786983722768694854969086280007961594",
     "0.0753806858023749511133603892489807502"}};

/// H(q, p, alpha, beta) with alpha = 0 and H_beta,beta regular  [McLachlan12 5.3]; q0 = q,
/// q1 = alpha, p0 = p, p1 = beta.
inline auto index1() {
  return hamiltonian_system<2>(regular<2>([]<class Q>(const Q& q, const Q& p) {
                                 using std::sin;
                                 using S = typename Q::Scalar;
                                 const S q2 = q[0] * q[0], b2 = p[1] * p[1];
                                 return S(p[0] * p[0] / 2 + b2 / 2 * (1 + q2 / 2) +
                                          p[1] * sin(q[0]) + q2 / 2 + b2 * b2 * ratio<S>(1, 10));
                               }),
                               [](const auto& q) { return q[1]; });
}
inline constexpr Start<2> index1_start{{"0.704606474743646526859695681112761179", "0.0"},
                                       {"0.6", "-0.482846251185575809214616533180424895"}};

inline auto variable_mass_sphere() {
  return variable_mass_system<3>(
      []<class Q, class M>(const Q& q, M& m) {
        using std::sin;
        using S = typename Q::Scalar;
        const Real<S> tenth = ratio<S>(1, 10);
        m << 1 + q[1] * q[1] * ratio<S>(3, 10), S(0), S(tenth),  //
            S(0), S(ratio<S>(3, 2)) + sin(q[2]) * ratio<S>(2, 10), S(0), S(tenth), S(0),
            2 + q[0] * q[1] * tenth;
      },
      []<class Q>(const Q& q) {
        using S = typename Q::Scalar;
        return S(q[2] + q[0] * q[0] * ratio<S>(3, 10));
      },
      quadratic(detail::unit_sphere));
}
inline constexpr Start<3> variable_mass_sphere_start{
    {"0.583506795976078115769005527651952864", "0.400093957103792987173719999716499782",
     "-0.706713976470509464579153064410067795"},
    {"0.473825073652328963535676681046923552", "-0.811537040265318339085339299123156253",
     "0.116089888580787466578939566151452755"}};

/// A free fall along the vertical line x = 1 in polar coordinates r, theta.
inline auto polar_line() {
  return variable_mass_system<2>(
      []<class Q, class M>(const Q& q, M& m) {
        using S = typename Q::Scalar;
        m << S(1), S(0), S(0), q[0] * q[0];
      },
      [](const auto& q) {
        using std::sin;
        return q[0] * sin(q[1]);
      },
      [](const auto& q) {
        using std::cos;
        return q[0] * cos(q[1]) - 1;
      });
}
inline constexpr Start<2> polar_line_start{
    {"1.19367295079774179029263244089581859", "0.577645950221151783669855930703974147"},
    {"0.535116267122586216250162379633297516", "0.979970677933406781368210143004308047"}};

}  // namespace rattleback::witness

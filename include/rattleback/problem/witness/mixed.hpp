// Witness problems with constraints on positions and momenta.
#pragma once

#include "rattleback/problem/hamiltonian_system.hpp"
#include "rattleback/problem/natural_system.hpp"
#include "rattleback/problem/witness/start.hpp"

namespace rattleback::witness {

namespace detail {

/// |q|^2 + |p|^2 - level for two coordinates: fibres of the Hopf fibration.
template <class T>
auto hopf(const T& level) {
  return quadratic([level](const auto& q, const auto& p) {
    return q[0] * q[0] + q[1] * q[1] + p[0] * p[0] + p[1] * p[1] - level;
  });
}

}  // namespace detail

inline auto hopf_free() {
  return natural_system(
      mass(1, 1), []<class Q>(const Q&) { return typename Q::Scalar(0); }, detail::hopf(1));
}
inline constexpr Start<2> hopf_free_start{
    {"0.780517137904235628579655045973543248", "0.359678569840662426326464074926159867"},
    {"-0.213988315017170408144174047992037949", "0.464363354358705167034235558501484204"}};

/// The level |z|^2 may be of any type that mixes with the scalars in use; the start is for 1.
template <class T = int>
auto hopf_gravity(const T& level = T(1)) {
  return natural_system(
      mass(1, 1), [](const auto& q) { return q[1]; }, detail::hopf(level));
}
inline constexpr Start<2> hopf_gravity_start{
    {"0.560471723396027852346083173019800395", "-0.706716758840981038908299727998385654"},
    {"0.41021435004714111614300743873441829", "0.134711013143642673984688170955058714"}};

/// Linear terms beside the squares: the field along the fibres is affine, not linear.
inline auto hopf_shifted() {
  return natural_system(
      mass(1, 1),
      []<class Q>(const Q& q) {
        using S = typename Q::Scalar;
        return S(q[1] + q[0] * q[0] * ratio<S>(3, 10));
      },
      quadratic([]<class Q>(const Q& q, const Q& p) {
        using S = typename Q::Scalar;
        return S(q[0] * q[0] + q[1] * q[1] + p[0] * p[0] + p[1] * p[1] + q[0] * ratio<S>(3, 10) -
                 p[1] * ratio<S>(2, 10) - 1);
      }));
}
inline constexpr Start<2> hopf_shifted_start{
    {"0.467562562548316883531454782252151146", "-0.709967082170573707357693586236138249"},
    {"0.38199840576892668643358578987448182", "0.133770424382238331585058820323860223"}};

/// Not separable.
inline auto hopf_quartic() {
  return hamiltonian_system<2>(
      []<class Q>(const Q& q, const Q& p) {
        using S = typename Q::Scalar;
        return S((p[0] * p[0] + p[1] * p[1]) / 2 + q[1] +
                 (q[0] * q[0] + q[1] * q[1] * 2) * (p[0] * p[0] + 1) / 4);
      },
      detail::hopf(1));
}
inline constexpr Start<2> hopf_quartic_start{
    {"0.536672325391656686259616531915675214", "-0.71667990357182113942525646719176985"},
    {"0.373634979602058911701706926754280382", "0.242383235791516613273643743936023554"}};

/// Two harmonic oscillators' energies: the constraints commute.
inline auto two_harmonic() {
  return natural_system(
      mass(1, 1, 1, 1),
      []<class Q>(const Q& q) {
        using S = typename Q::Scalar;
        const S square = q[0] * q[0];
        return S(q[0] * q[2] / 2 + q[1] + q[3] * q[3] * ratio<S>(3, 10) +
                 square * square * ratio<S>(1, 10));
      },
      quadratic([]<class Q>(const Q& q, const Q& p) {
        using S = typename Q::Scalar;
        return std::array<S, 2>{S((q[0] * q[0] + p[0] * p[0] + q[1] * q[1] + p[1] * p[1] - 1) / 2),
                                S((q[2] * q[2] + p[2] * p[2] + q[3] * q[3] + p[3] * p[3] - 2) / 2)};
      }));
}
inline constexpr Start<4> two_harmonic_start{
    {"0.557236654262112598216720164859797567", "-0.772246512017534452594890810362516409",
     "1.08804493631254653581877464627208034", "0.756126556819523323727731665247051643"},
    {"0.305007800648396421291375308359464791", "-0.00963729044632740240886173921671498632",
     "-0.173051189897373316127219102617974065", "0.463124316260744355846224913608456202"}};

/// Harmonic energy and angular momentum about an axis: they commute.
inline auto harmonic_angular() {
  return natural_system(
      mass(1, 1, 0.5),
      []<class Q>(const Q& q) {
        using S = typename Q::Scalar;
        return S(q[2] + q[0] * q[0] * ratio<S>(4, 10) + q[0] * q[1] * ratio<S>(2, 10));
      },
      quadratic([]<class Q>(const Q& q, const Q& p) {
        using S = typename Q::Scalar;
        return std::array<S, 2>{S((q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + p[0] * p[0] +
                                   p[1] * p[1] + p[2] * p[2] - 1) /
                                  2),
                                S(q[0] * p[1] - q[1] * p[0] - ratio<S>(2, 10))};
      }));
}
inline constexpr Start<3> harmonic_angular_start{
    {"-0.191505345209253193022704096305880237", "0.811229660360960213391343310716829533",
     "-0.291781337935341725185596444166914076"},
    {"-0.314641358611760832033297896662174474", "0.288484911070045773070484339308937801",
     "0.19461002871239938739523785847332213"}};

/// a x p_a + b x p_b = 0 for two bodies a, b in space: brackets vanish on the manifold only.
inline auto zero_angular_momentum() {
  return natural_system(
      mass(1, 1, 1, 1, 1, 1),
      []<class Q>(const Q& q) {
        using S = typename Q::Scalar;
        return S((q[0] * q[0] + q[1] * q[1] * ratio<S>(15, 10) + q[2] * q[2] * ratio<S>(22, 10)) /
                     2 +
                 (q[3] * q[3] * ratio<S>(13, 10) + q[4] * q[4] * ratio<S>(7, 10) +
                  q[5] * q[5] * ratio<S>(19, 10)) /
                     2 +
                 q[0] * q[4] * ratio<S>(2, 10));
      },
      quadratic([]<class Q>(const Q& q, const Q& p) {
        using S = typename Q::Scalar;
        return std::array<S, 3>{S(q[1] * p[2] - q[2] * p[1] + q[4] * p[5] - q[5] * p[4]),
                                S(q[2] * p[0] - q[0] * p[2] + q[5] * p[3] - q[3] * p[5]),
                                S(q[0] * p[1] - q[1] * p[0] + q[3] * p[4] - q[4] * p[3])};
      }));
}
inline constexpr Start<6> zero_angular_momentum_start{
    {"0.37679163435613849159729240665555784", "0.633374692406797547309130866744754387",
     "0.849981522224994208908032103794547972", "-0.682769984739762795094659572052200984",
     "-0.239843973430493494891870455005836597", "1.03766449157012605192581055546185794"},
    {"0.0611895418441224211695176632642987502", "0.109588656759804902276303372565266638",
     "0.157146345462066309069352285549433471", "-0.172346827711885561465976222851303541",
     "-0.0568275802838068573420532111942520499", "0.272477753750578019992948827849900289"}};

/// Fibres without an elementary closed form.
inline auto mixed_quartic() {
  return hamiltonian_system<2>(
      []<class Q>(const Q& q, const Q& p) {
        using S = typename Q::Scalar;
        const S square = p[1] * p[1] / 2;
        return S((p[0] * p[0] + square) / 2 + q[1] + q[0] * q[0] * (square + 1) * ratio<S>(3, 10));
      },
      []<class Q>(const Q& q, const Q& p) {
        using S = typename Q::Scalar;
        const S square = q[0] * q[0];
        return S((p[0] * p[0] + p[1] * p[1]) / 2 + square * square / 4 + q[1] * q[1] / 2 +
                 q[0] * p[1] * ratio<S>(2, 10) - ratio<S>(6, 10));
      });
}
inline constexpr Start<2> mixed_quartic_start{
    {"1.10716830741862752750596913485229696", "-0.555272818881743387950866325220038231"},
    {"0.361642673254399299589130935706835083", "0.0206410536370061664079655652843875511"}};

}  // namespace rattleback::witness

// Chains of unit masses and unit rods hanging from the origin, sizes known at run time, dense.
// linked_system() has the fast one.
#pragma once

#include <string>

#include "rattleback/problem/natural_system.hpp"
#include "rattleback/problem/witness/start.hpp"

namespace rattleback::witness {

/// `links` masses in Space dimensions; coordinates mass by mass, the last one of each upwards.
template <int Space>
auto chain(int links) {
  if (links < 1)
    throw InputError("links", "a chain has at least one, got " + std::to_string(links));
  const Vector<double, dynamic> masses = Vector<double, dynamic>::Ones(Space * links);
  return natural_system(
      mass(masses),
      []<class Q>(const Q& q) {
        typename Q::Scalar sum = q[Space - 1];
        for (Eigen::Index i = 2 * Space - 1; i < q.size(); i += Space) sum += q[i];
        return sum;
      },
      quadratic(constraints(links, [](const auto& q, auto& g) {
        using S = typename std::decay_t<decltype(g)>::Scalar;
        for (Eigen::Index i = 0; i < g.size(); ++i) {
          S sum(-1);
          for (Eigen::Index k = i * Space; k < (i + 1) * Space; ++k) {
            const S rod = i == 0 ? S(q[k]) : S(q[k] - q[k - Space]);
            sum += rod * rod;
          }
          g[i] = sum / 2;
        }
      })));
}

/// Consistent starts for any number of links: every rod has its own direction and spin.
template <class S, int Space>
State<S, dynamic> chain_start(int links) {
  static_assert(Space == 2 || Space == 3);
  const int n = Space * links;
  State<S, dynamic> z{Vector<S, dynamic>(n), Vector<S, dynamic>(n)};
  for (int k = 0; k < links; ++k) {
    // The unit vector (sin, -cos) from the tangent of the half angle, and its normal.
    const S t = ratio<S>(3 + (7 * k) % 5, 10), c = S(1) / (S(1) + t * t);
    const S sine = t * c * 2, cosine = (S(1) - t * t) * c;
    const S spin = ratio<S>((k % 3) - 1, 5), drift = ratio<S>(k % 2 == 0 ? 1 : -1, 4);
    // 3D: the vertical plane of the rod is turned by a fixed angle (4/5, 3/5); drift across it.
    const S east = Space == 2 ? S(1) : S(ratio<S>(4, 5)), north = ratio<S>(3, 5);
    const auto add = [&](int i, const S& rod, const S& velocity) {
      z.q[i] = k == 0 ? rod : S(z.q[i - Space] + rod);
      z.p[i] = k == 0 ? velocity : S(z.p[i - Space] + velocity);
    };
    const int first = Space * k;
    if constexpr (Space == 2) {
      add(first, sine, cosine * spin);
    } else {
      add(first, sine * east, cosine * spin * east - north * drift);
      add(first + 1, sine * north, cosine * spin * north + east * drift);
    }
    add(first + Space - 1, -cosine, sine * spin);
  }
  return z;
}

/// Three links in the plane and in space.
inline auto chain_2d() { return chain<2>(3); }
inline constexpr Start<6, dynamic> chain_2d_start{
    {"0.707360326161254546703331856961716768", "-0.706853145266429147353450896334885395",
     "1.61624383404497323909621424231711001", "-0.289803065423508770132359203531014597",
     "1.41367366791398412744305800222124954", "-1.26907081624228431498661569866047421"},
    {"0.0888879214624754873869340576223038301", "0.0889517002768563947571611065953195293",
     "-0.028658079536357926207149640874768461", "0.345121467144571333216866769265328374",
     "0.586549736099342829879328937134084516", "0.217860307656567671562137498412674939"}};
inline auto chain_3d() { return chain<3>(3); }
inline constexpr Start<9, dynamic> chain_3d_start{
    {"0.555408492564833657357125522050477748", "0.332188045964822159756270782788663024",
     "-0.762346711480368567332855627755498867", "1.04396170439206104748061237096215464",
     "-0.093836761615573298793677671374924398", "-1.52380493261885447527531033061916981",
     "1.59820254114240188567848935289606689", "0.653945499087595849250239090846384001",
     "-1.88937132256182995870352774016490524"},
    {"0.0752342455803246603967698819245435587", "0.405513988105692440222393332237542072",
     "0.231512296950201566606330037923347492", "-0.26964898488454742626864842438964389",
     "0.387973776830319476562040390447922196", "0.0200479771156822971806426818648704618",
     "0.725513536503564143278202381340254026", "-0.134677848673126977718067017808534392",
     "0.459722134531096766449863038239082981"}};

}  // namespace rattleback::witness

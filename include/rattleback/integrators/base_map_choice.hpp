// The base maps by name; their formulas stand in base_map.hpp.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "rattleback/problem/error.hpp"
#include "rattleback/solve/tableau.hpp"

namespace rattleback {

enum class BaseMap { verlet, verlet_b, midpoint, euler_a, euler_b, gauss2, gauss3, exact, theta };

/// A base map with its number, where it has one.
struct BaseMapChoice {
  BaseMap map = BaseMap::verlet;
  double theta = 0.5;  ///< of BaseMap::theta

  constexpr BaseMapChoice(BaseMap map, double theta = 0.5) : map(map), theta(theta) {}  // NOLINT
};

struct BaseMapInfo {
  BaseMap map;
  std::string_view name;
  int order;  ///< 0: exact
  bool symmetric;
};
/// Those without a number.
inline constexpr std::array<BaseMapInfo, 8> base_maps{{{BaseMap::verlet, "verlet", 2, true},
                                                       {BaseMap::verlet_b, "verlet-b", 2, true},
                                                       {BaseMap::midpoint, "midpoint", 2, true},
                                                       {BaseMap::euler_a, "euler-a", 1, false},
                                                       {BaseMap::euler_b, "euler-b", 1, false},
                                                       {BaseMap::gauss2, "gauss2", 4, true},
                                                       {BaseMap::gauss3, "gauss3", 6, true},
                                                       {BaseMap::exact, "exact", 0, true}}};

inline BaseMapInfo info(const BaseMapChoice& choice) {
  if (choice.map == BaseMap::theta) {
    const bool centred = choice.theta == 0.5;
    return {BaseMap::theta, "theta", centred ? 2 : 1, centred};
  }
  for (const auto& entry : base_maps)
    if (entry.map == choice.map) return entry;
  throw InputError("base", "unknown base map");
}

/// "base=midpoint", "base=theta,theta=0.3": as it is asked for.
inline std::string option_text(const BaseMapChoice& choice) {
  const std::string name(info(choice).name);
  return "base=" + name +
         (choice.map == BaseMap::theta ? ",theta=" + detail::quote(choice.theta) : "");
}

namespace detail {

/// The tableau of the base maps that have one.
template <class R>
std::optional<Tableau<R>> stages_of(const BaseMapChoice& choice) {
  switch (choice.map) {
    case BaseMap::midpoint:
      return gauss_tableau<R>(1);
    case BaseMap::gauss2:
      return gauss_tableau<R>(2);
    case BaseMap::gauss3:
      return gauss_tableau<R>(3);
    case BaseMap::theta:
      return theta_tableau(R(choice.theta));
    default:
      return std::nullopt;
  }
}

}  // namespace detail

}  // namespace rattleback

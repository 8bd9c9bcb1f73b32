// Small models in MJCF.
#pragma once

#include "robots.hpp"

namespace rattleback::mjcf_cases {

inline const std::string solid = "<inertial pos='0 0 0' mass='2' diaginertia='0.1 0.2 0.25'/>";

inline std::string model(const std::string& world, const std::string& before = "",
                         const std::string& after = "") {
  return "<mujoco model='m'>" + before + "<worldbody>" + world + "</worldbody>" + after +
         "</mujoco>";
}
inline std::string body(const std::string& inside, const std::string& attributes = "name='a'") {
  return "<body " + attributes + ">" + inside + "</body>";
}

}  // namespace rattleback::mjcf_cases

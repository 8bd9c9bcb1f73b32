// Links and joints of small URDF files.
#pragma once

#include "robots.hpp"

namespace rattleback::urdf_cases {

inline const std::string solid =
    "<inertial><mass value='2'/>"
    "<inertia ixx='0.1' iyy='0.2' izz='0.25' ixy='0' ixz='0' iyz='0'/></inertial>";

inline std::string link(const std::string& name, const std::string& inside = solid) {
  return "<link name='" + name + "'>" + inside + "</link>\n";
}
inline std::string joint(const std::string& name, const std::string& type,
                         const std::string& parent, const std::string& child,
                         const std::string& inside = "") {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent +
         "'/><child link='" + child + "'/>" + inside + "</joint>\n";
}
inline std::string robot(const std::string& inside) {
  return "<robot name='r'>\n" + inside + "</robot>";
}
/// A base and one link, with something in the joint.
inline std::string one(const std::string& in_joint, const std::string& type = "continuous",
                       const std::string& in_link = solid) {
  return robot(link("base", "") + link("a", in_link) + joint("j", type, "base", "a", in_joint));
}
inline std::string inertial(const std::string& mass, const std::string& inertia) {
  return "<inertial><mass value='" + mass + "'/><inertia " + inertia + "/></inertial>";
}
inline const std::string no_inertia = "ixx='0' iyy='0' izz='0' ixy='0' ixz='0' iyz='0'";

}  // namespace rattleback::urdf_cases

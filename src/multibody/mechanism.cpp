#include "rattleback/multibody/mechanism.hpp"

#include "../problem/suggest.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {

int Mechanism::index(const std::string& body) const {
  if (body == "world") return world;
  std::vector<std::string> known{"world"};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].name == body) return static_cast<int>(i);
    known.push_back(bodies[i].name);
  }
  const bool elsewhere_the_world = body == "ground" || body == "Ground" || body == "earth" ||
                                   body == "base" || body == "fixed" || body == "inertial";
  std::string hint = elsewhere_the_world ? "" : detail::suggestion(body, known);
  if (hint.empty()) hint = "; what does not move is called 'world'";
  throw InputError("bodies", "there is no body '" + body + "'" + hint);
}

std::string Mechanism::label(const Joint& joint) const {
  return std::string(info(joint.type).name) + " joint" +
         (joint.name.empty() ? "" : " '" + joint.name + "'") + " between '" + joint.bodies[0] +
         "' and '" + joint.bodies[1] + "'";
}

Matrix3 diagonal(double x, double y, double z) { return Vector3(x, y, z).asDiagonal(); }

}  // namespace rattleback

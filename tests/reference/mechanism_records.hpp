// Mechanisms of the reference data, and how far bodies are from where they should be.
#pragma once

#include <algorithm>

#include "rattleback/integrators/run_motion.hpp"
#include "rattleback/multibody/mechanism_motion.hpp"
#include "reference/records.hpp"

namespace rattleback::reference {

using nlohmann::json;

inline Vector3 three(const json& texts) { return vector<double, 3>(texts); }

inline Matrix3 matrix(const json& rows) {
  Matrix3 m;
  for (int i = 0; i < 3; ++i) m.row(i) = three(rows[static_cast<std::size_t>(i)]).transpose();
  return m;
}

inline Mechanism mechanism_of(const std::string& name, const json& text) {
  Mechanism m{.name = name, .gravity = three(text["gravity"])};
  for (const json& b : text["bodies"]) {
    const auto q = vector<double>(b["orientation"]);
    m.add(Body{.name = b["name"],
               .mass = number<double>(b["mass"]),
               .inertia = matrix(b["inertia"]),
               .position = three(b["position"]),
               .orientation = {q[0], {q[1], q[2], q[3]}},
               .velocity = three(b["velocity"]),
               .angular_velocity = three(b["angular_velocity"])});
  }
  for (const json& j : text["joints"]) {
    Joint joint{.bodies = {j["bodies"][0], j["bodies"][1]},
                .points = {three(j["points"][0]), three(j["points"][1])}};
    for (const JointTypeInfo& type : joint_types)
      if (j["type"] == type.name) joint.type = type.type;
    if (j.contains("axis")) joint.axis = three(j["axis"]);
    if (j.contains("axis2")) joint.axis2 = three(j["axis2"]);
    m.add(joint);
  }
  return m;
}

inline double far_apart(const Body& body, const json& truth) {
  return std::max({(body.position - three(truth["position"])).norm(),
                   (body.orientation.matrix() - matrix(truth["orientation"])).norm(),
                   (body.velocity - three(truth["velocity"])).norm(),
                   (body.angular_velocity - three(truth["angular_velocity"])).norm()});
}

/// Of all bodies.
inline double far_apart(const std::vector<Body>& bodies, const json& truth) {
  double worst = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    worst = std::max(worst, far_apart(bodies[i], truth[i]));
  return worst;
}

inline std::vector<Body> bodies_after(const Mechanism& m, const std::string& method, double h,
                                      long steps) {
  const auto motion = mechanism_motion(m, find_mechanism_method(method));
  const auto run = run_motion(*motion, {.step = h, .steps = steps, .every = steps});
  if (!run.ok()) throw std::runtime_error(m.name + " " + method + ": " + run.failure.text());
  return bodies_of(m, run.final);
}

}  // namespace rattleback::reference

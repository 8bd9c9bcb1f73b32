// Models on which reversible adaptive steps vary.
#pragma once

#include <algorithm>
#include <string>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/text/model.hpp"

namespace rattleback::varying_steps {

using State = rattleback::State<double>;

struct Model {
  AnySystem system;
  State start;
};

inline Model model(const std::string& text) {
  const ModelFile file = parse_model(text, "test");
  Model m{expression_system(file.system), {}};
  const auto n = static_cast<Eigen::Index>(file.initial->q.size());
  m.start = {Vector<double, dynamic>(n), Vector<double, dynamic>(n)};
  for (Eigen::Index i = 0; i < n; ++i)
    m.start.q[i] = file.initial->q[i], m.start.p[i] = file.initial->p[i];
  return m;
}

/// Quadratic g, and a force that is large at the tips.
inline Model bead() {
  return model(
      "[model]\ncoordinates = [\"x\", \"y\"]\nmass = [1.0]\npotential = \"y\"\n"
      "constraints = [\"(x^2 + 25*y^2 - 1)/2\"]\n[initial]\nq = [0, -0.2]\np = [1.3, 0]\n");
}
/// The symmetric projection.
inline Model quartic() {
  return model(
      "[model]\ncoordinates = [\"x\", \"y\", \"z\"]\nmass = [1.0, 2.0, 1.0]\npotential = \"z/2\"\n"
      "constraints = [\"(x^4 + y^4 + z^4 - 1)/4\"]\n"
      "[initial]\nq = [0, 0, -1]\np = [0.5, 0.4, 0]\n");
}

inline double distance(const State& a, const State& b) {
  return std::max((a.q - b.q).cwiseAbs().maxCoeff(), (a.p - b.p).cwiseAbs().maxCoeff());
}

}  // namespace rattleback::varying_steps

// The models of tests/geometry/models, with their starts.
#pragma once

#include <optional>
#include <string>

#include "rattleback/expression/derivative.hpp"
#include "rattleback/expression/program.hpp"
#include "rattleback/geometry/analysis.hpp"
#include "rattleback/text/model.hpp"

namespace models {

using namespace rattleback;

struct Model {
  SystemDescription system;
  std::optional<State<double>> start;

  Analysis analyse() const { return rattleback::analyse(system, start ? &*start : nullptr); }
};

/// p = L_v(q, v) for a diagonal mass that is constant.
inline double momentum(const SystemDescription& d, int i, double velocity) {
  return d.graph->value(d.mass.at(i)) * velocity;
}

inline Model model_of(const ModelFile& file) {
  Model model{file.system, std::nullopt};
  if (!file.initial) return model;
  const int n = file.system.dimension();
  State<double> z{Vector<double, dynamic>(n), Vector<double, dynamic>(n)};
  for (int i = 0; i < n; ++i) {
    z.q[i] = file.initial->q[i];
    z.p[i] =
        file.initial->p.empty() ? momentum(file.system, i, file.initial->v[i]) : file.initial->p[i];
  }
  model.start = z;
  return model;
}

inline Model read(const std::string& name, const Settings& settings = {}) {
  return model_of(read_model(
      std::string(RATTLEBACK_SOURCE_DIR) + "/tests/geometry/models/" + name + ".toml", settings));
}

inline Model parse(const std::string& text) { return model_of(parse_model(text, "test.toml")); }

}  // namespace models

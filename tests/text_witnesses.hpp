// The witness problems once more, from the model files of examples/witness: made of expressions.
#pragma once

#include <vector>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/testing/witness_systems.hpp"
#include "rattleback/text/model.hpp"

namespace rattleback::testing {

/// Starts are those of the problems in C++.
inline const std::vector<WitnessSystem>& text_witnesses() {
  static const std::vector<WitnessSystem> all = [] {
    std::vector<WitnessSystem> list;
    for (const WitnessSystem& w : witness_systems()) {
      ModelFile file = read_model(RATTLEBACK_SOURCE_DIR "/examples/witness/" + w.name() + ".toml");
      file.system.name = w.name();
      list.push_back({expression_system(file.system), w.start});
    }
    return list;
  }();
  return all;
}

}  // namespace rattleback::testing

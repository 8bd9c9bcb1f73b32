// A model file made ready: the system in compiled code and its start.
#pragma once

#include <optional>
#include <string>

#include "rattleback/expression/canonical.hpp"
#include "rattleback/problem/any_system.hpp"
#include "rattleback/text/model.hpp"

namespace rattleback::app {

struct Problem {
  ModelFile file;
  CanonicalSystem form;
  AnySystem system;
  /// Momenta from velocities, made consistent where the file asks for it; not judged yet.
  std::optional<State<double>> start;

  /// The constraint as the user knows it.
  std::string label(long constraint) const;
};

Problem prepare(ModelFile file);

/// The start of a run. Throws ModelError with the constraint that it violates and by how much.
const State<double>& require_start(const Problem& problem);

/// "natural H with diagonal mass, holonomic constraints": what the fast path rests on.
std::string class_in_words(const Problem& problem);
/// "dense 1 x 1, native code"
std::string path_in_words(const Problem& problem);

}  // namespace rattleback::app

// A C++ system in compiled code: what a model file becomes, of functions written in C++.
//
//   const AnySystem chain =
//       recorded_system("chain", natural_system(mass(m), V, constraints(k, g)));
//
// The functions run once, and from there on the sparsity of what they compute is known: steps of
// large systems cost as much as they have terms, while AnySystem("chain", system) fills full
// matrices. Flows and derivatives of one's own are not asked.
#pragma once

#include <string>
#include <utility>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/expression/recorder.hpp"

namespace rattleback {

/// Throws ModelError where the functions branch on their inputs: AnySystem wraps those.
template <ConstrainedSystem Sys>
AnySystem recorded_system(std::string name, const Sys& system) {
  return expression_system(record(system, std::move(name)));
}

}  // namespace rattleback

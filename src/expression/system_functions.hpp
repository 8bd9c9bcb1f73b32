// The compiled functions of a system made of expressions.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "rattleback/expression/canonical.hpp"
#include "rattleback/expression/expression_system.hpp"

namespace rattleback::detail {

/// What a model of every scalar shares.
struct SystemFunctions {
  CanonicalSystem source;  // of the first lane
  int n, m;
  bool holonomic;
  CompiledFunction energy, energy_gradient;
  CompiledFunction energy_hessian;  // nonzeros of its lower half; empty where there are too many
  std::vector<std::array<int, 2>> place_zz;       // of each in a full matrix by columns, both ways
  CompiledFunction potential_gradient, velocity;  // natural
  CompiledFunction lagrangian_gradient;
  CompiledFunction constraint;
  CompiledFunction linearise;  // g; the nonzeros of G, of its q columns and then its p columns
  std::vector<int> place_q, place_p;  // of each nonzero in a full matrix by columns
  std::shared_ptr<const CompiledNatural> natural;
};

std::shared_ptr<const SystemFunctions> compile(const CanonicalSystem& s);

/// Whether they differ in their constants only.
bool same_shape(const SystemFunctions& a, const SystemFunctions& b);

/// One for each lane of a pack.
template <class T>
using Lanes = std::array<const T*, CompiledFunction::lanes_of_a_pack>;

/// Functions of one shape as one, each lane with its constants.
std::shared_ptr<const SystemFunctions> pack_functions(const Lanes<SystemFunctions>& lanes);

}  // namespace rattleback::detail

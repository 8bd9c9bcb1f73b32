// A model file made ready: the system in compiled code and its start.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rattleback/expression/canonical.hpp"
#include "rattleback/geometry/hamiltonian_form.hpp"
#include "rattleback/integrators/family.hpp"
#include "rattleback/problem/any_system.hpp"
#include "rattleback/text/model.hpp"

namespace rattleback::study {

struct Problem {
  ModelFile file;        ///< file.system: as it was written
  CanonicalSystem form;  ///< as it is integrated: with the constraints of a singular Lagrangian,
                         ///< without redundant ones
  AnySystem system;
  std::optional<HamiltonianForm> singular{};  ///< where the Lagrangian is
  /// With the redundant constraints, where there are any: what a run steps and measures.
  std::optional<AnySystem> complete{};
  std::optional<CanonicalSystem> complete_form{};
  std::vector<int> kept{};  ///< which of its constraints those of `system` are
  /// Momenta from velocities, made consistent where the file asks for it; not judged yet.
  std::optional<State<double>> start{};
  std::string no_start{};            ///< why `project = true` found none; empty: it did
  std::vector<std::string> notes{};  ///< how `form` differs from what was written

  /// The constraint as the user knows it.
  std::string label(long constraint) const;
  /// The same of all that were written, also those that are left out.
  std::vector<std::string> written() const;
};

/// Throws ModelError where there is no H(q, p).
Problem prepare(ModelFile file);
/// The same system, from here.
void start_from(Problem& problem, ModelFile::Initial initial);

/// Goes on without these constraints (from 0), which follow from the others.
void leave_out(Problem& problem, const std::vector<int>& redundant);

/// dg = (g_q, g_p) at a point.
Matrix<double, dynamic> slopes(const AnySystem& system, const State<double>& z);

/// The start, where there is one and H is finite; else throws.
const State<double>& finite_start(const Problem& problem);
/// The start of a run. Throws ModelError with the constraint that it violates and by how much.
const State<double>& require_start(const Problem& problem);

/// "natural H with diagonal mass, holonomic constraints": what the fast path rests on.
std::string class_in_words(const Problem& problem);
/// "constraints solved dense 1 x 1, native code": how steps of this method are computed.
std::string path_in_words(const Problem& problem, const Method& method);

}  // namespace rattleback::study

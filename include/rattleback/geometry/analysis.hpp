// What a system is, before it is integrated: ranks, the two assumptions of SHAKE and RATTLE
// [McLachlan12 Assumptions 1, 2], hidden constraints, classes, index; and what is wrong with it,
// with the constraint and the number.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rattleback/geometry/dirac.hpp"
#include "rattleback/geometry/frobenius.hpp"
#include "rattleback/geometry/hamiltonian_form.hpp"

namespace rattleback {

struct AnalysisOptions {
  DiracOptions dirac{};
  double start_tolerance = 1e-9;  ///< of |chi| for a start that counts as consistent
};

/// {g_i, g_j} on g = 0  [McLachlan12 Assumption 2].
struct Coisotropy {
  double largest = 0;              ///< |{g_i, g_j}|
  double relative = 0;             ///< over the size of its terms
  std::pair<int, int> pair{0, 0};  ///< constraint numbers
};

/// N = {{g, H}, g} on g = {g, H} = 0  [McLachlan12 Assumption 1; not the formula of Example 1.2].
struct Nondegeneracy {
  double smallest = 0;  ///< singular value, at the start; without one, the best of the points
  double relative = 0;  ///< the same with every constraint scaled to N_ii ~ 1, over the largest
  double least = 0;     ///< `relative` at the worst point found
  int positive = 0, negative = 0, zero = 0;  ///< inertia, where `smallest` is from
  int weakest = -1;                          ///< the constraint with most weight in it
};

struct Analysis {
  // What `check --json` prints, in its order.
  int constraints = 0;  ///< given, and from a singular Lagrangian
  bool holonomic = true;
  int rank = 0;                ///< of dg on g = 0
  std::vector<int> redundant;  ///< constraint numbers, from 0
  bool coisotropic = true;
  bool nondegenerate = true;
  int index = 0;  ///< of the equations with multipliers; -1: not determined
  int hidden_constraints = 0;
  int first_class = 0, second_class = 0;
  bool consistent_start = true;  ///< also where no start was given
  bool well_posed = true;        ///< one motion through every consistent point, of index 3 or less
  std::string verdict;           ///< a few words

  HamiltonianForm form;
  DiracChain chain;
  Coisotropy coisotropy;
  Nondegeneracy nondegeneracy;
  Integrability velocities;  ///< of constraints linear in them
  bool has_start = false;
  bool singular_start = false;  ///< a rank is lower there than elsewhere
  double start_residual = 0;    ///< largest |chi| at the start
  int free_multipliers = 0;

  std::vector<std::string> messages;  ///< what fails: which assumption, where, by how much
  std::vector<std::string> hints;     ///< likely mistakes and what to do
  /// Why methods that rest on the two assumptions (SHAKE, RATTLE, ...) do not apply; empty: they
  /// do.
  std::string obstacle;

  /// "constraint 2 ('x - y')", or with its expression where it has no label.
  std::string name(int constraint) const;
  /// Several lines for people.
  std::string text() const;
};

/// start: where given, one of the points; need not be consistent.
Analysis analyse(const SystemDescription& description, const State<double>* start = nullptr,
                 const AnalysisOptions& options = {});

}  // namespace rattleback

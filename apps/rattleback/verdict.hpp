// What a system is, as far as its start tells: the one place that a full analysis of constraints
// will replace. What only that analysis can know is left empty.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "problem.hpp"
#include "rattleback/geometry/point_report.hpp"
#include "rattleback/integrators/any_stepper.hpp"

namespace rattleback::app {

struct Verdict {
  int constraints = 0;
  bool holonomic = true;
  std::optional<int> rank;              ///< of dg at the start
  std::optional<double> smallest;       ///< singular value of dg, relative to the largest
  std::vector<int> redundant;           ///< rows that depend on the others, from 0
  std::optional<double> bracket;        ///< max |{g_i, g_j}|
  std::optional<double> nondegeneracy;  ///< smallest singular value of N, relative
  std::optional<bool> coisotropic, nondegenerate;
  std::optional<int> index, hidden_constraints, first_class, second_class;
  std::optional<double> constraint, hidden;  ///< largest residuals at the start
  std::optional<bool> consistent_start, well_posed;
  std::string text;     ///< one sentence
  std::string failing;  ///< the assumption that fails, where and by how much; empty if none does
};

Verdict analyse(const Problem& problem);

/// Why the method cannot run this system; empty if it can.
std::string obstacle(const Method& method, const Problem& problem, const Verdict& verdict);

/// The same without a verdict: what the form of H and g rules out, and the method itself.
std::string obstacle_of_form(const Method& method, const Problem& problem);

}  // namespace rattleback::app

// What is asked of a model before it is run, and which methods apply. The answers are those of
// rattleback::analyse(); where numbers at the start already decide, they save its time.
#pragma once

#include <string>
#include <vector>

#include "rattleback/geometry/analysis.hpp"
#include "rattleback/integrators/family.hpp"
#include "rattleback/study/problem.hpp"

namespace rattleback::study {

/// The largest of q, p and the slopes of H and g there, in words, where products of such numbers
/// overflow: a matrix made of them looks singular. Else empty. `most` is what is still taken for
/// harmless: ranks come from squares of products, so it is the fourth root of the largest number.
std::string overflow_at(const AnySystem& system, const State<double>& z, double most = 1e75);

/// Of the model as it was written, at its start.
Analysis analysis_of(const Problem& problem);

/// Why no method can run it: verdict, the numbers, hints. Empty where some can.
std::string refusal(const Analysis& analysis);

/// Asks what a run needs, cheap questions first, and leaves redundant constraints out. Throws
/// ModelError in the words of the analysis, or for a start that is inconsistent. Of systems with
/// many constraints only the start is judged.
void require_well_posed(Problem& problem);

/// The same by the whole analysis, for a system that turned out not to run. True: constraints were
/// left out, so it may run now.
bool reconsider(Problem& problem);

/// Constraints up to which require_well_posed judges ranks.
constexpr int most_judged_constraints = 100;

/// Why the method cannot run this system, as far as the form of H and g and the method itself tell;
/// empty if it can.
std::string obstacle_of_form(const Method& method, const Problem& problem);

/// For each of law_methods() why it cannot run this system; empty if it can. Steppers of large
/// systems take long to make: there the expressions tell.
std::vector<std::string> obstacles(const Problem& problem, const Analysis& analysis);

}  // namespace rattleback::study

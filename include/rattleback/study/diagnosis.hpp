// Why a run of a model failed, beyond what its last step can tell.
#pragma once

#include <string>

#include "rattleback/study/plan.hpp"

namespace rattleback::study {

/// A first step that fails may be the model's fault, which the analysis then tells; else empty.
std::string fault_of_model(const Problem& problem, const FinishedRun& run);

/// What the start had and the last state has not, with the constraint that is weakest there:
/// numbers relative to that state do not show it. Empty where nothing was lost.
std::string lost_on_the_way(const Problem& problem, const FinishedRun& run);

/// Makes that the cause of its failure; the step could only guess that it was too large.
void explain_better(const Problem& problem, FinishedRun& run);

}  // namespace rattleback::study

// What a run says at its end, to a person or to a script.
#pragma once

#include <string>

#include "json.hpp"
#include "rattleback/integrators/modified_energy.hpp"
#include "rattleback/integrators/run.hpp"
#include "verbs.hpp"

namespace rattleback::app {

/// The object of the contract, and after it what else there is to say. `joints`: the numbers of a
/// robot's joints at the end, all turns counted.
Json run_json(const Job& job, const FinishedRun& run,
              const std::optional<ModifiedEnergy>& modified = {},
              const std::vector<std::vector<double>>& joints = {});

std::string run_text(const Job& job, const FinishedRun& run,
                     const std::optional<ModifiedEnergy>& modified = {});

/// A message on standard error, after the program's name.
void complain(const std::string& message);

}  // namespace rattleback::app

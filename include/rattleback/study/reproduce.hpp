// The papers' experiments: figure and table data, the paper's claim beside what was measured here,
// and what is known to be wrong in the paper.
#pragma once

#include <string>
#include <vector>

#include "rattleback/report/figure.hpp"

namespace rattleback::study {

struct Claim {
  std::string paper;     ///< what it says, in short
  std::string measured;  ///< what was found
  bool holds = false;
};

struct Experiment {
  std::string id;     ///< "hopf-fig4"
  std::string text;   ///< one line
  std::string cite;   ///< "[McLachlan12 Figure 4]"
  std::string needs;  ///< a method, where it is not one of the first ones; else empty
};

struct Reproduction {
  Experiment experiment;
  Figure figure;
  std::vector<Claim> claims;
  std::vector<std::string> errata;  ///< of the paper, where they bear on this
};

const std::vector<Experiment>& experiments();

/// Why it cannot be run here: a method that this program does not have; empty where it can.
std::string obstacle(const Experiment& experiment);

/// Throws InputError for an id that is not there, or whose method is not; ModelError where a run
/// fails.
Reproduction reproduce(const std::string& id);

}  // namespace rattleback::study

// A run with everything decided, and in words what the program decided by itself.
#pragma once

#include <string>
#include <vector>

#include "problem.hpp"
#include "rattleback/integrators/any_stepper.hpp"
#include "verbs.hpp"

namespace rattleback::app {

struct Plan {
  const Method* method = nullptr;
  double step = 0;
  long steps = 0, every = 0;
  SolveOptions solve{};
  std::vector<std::string> notes;
};

/// Throws InputError for an unknown method and ModelError for one that does not apply.
const Method& choose_method(const Problem& problem, const std::string& specification,
                            std::vector<std::string>& notes);

Plan make_plan(const Problem& problem, const RunRequest& request);

/// 1, 2 or 5 times a power of ten, at most x.
double round_down(double x);

}  // namespace rattleback::app

// Two methods that are the same map on fibres, such as SHAKE and RATTLE over one base map
// [McLachlan12 (11)].
#pragma once

#include "rattleback/testing/results.hpp"
#include "rattleback/testing/trial.hpp"

namespace rattleback::testing {

struct FibreOptions {
  double step = 0.0625;
  int steps = 1000;
  int every = 10;  ///< steps between comparisons
};

/// Runs both, each on its own, and projects copies along the fibres where they are compared.
template <class S = double, class Sys, class M>
FibreResult check_equal_on_fibres(const Sys& system, const M& one, const M& other,
                                  const Start<Sys>& start, const FibreOptions& options = {}) {
  Trial<S, Sys, M> a(system, one, convert<S>(start)), b(system, other, convert<S>(start));
  FibreResult result;
  while (result.steps < options.steps && a.step(Real<S>(options.step)) &&
         b.step(Real<S>(options.step))) {
    if (++result.steps % options.every != 0) continue;
    auto x = a.state(), y = b.state();
    if (!project_along_fibre<S>(system, x) || !project_along_fibre<S>(system, y)) {
      result.failure = "a state could not be projected along its fibre";
      return result;
    }
    result.difference = larger(result.difference, distance(x, y));
  }
  result.failure = a.failure() + b.failure();
  return result;
}

}  // namespace rattleback::testing

// Time reversal: backward(-h) after forward(h) is the identity when backward is the adjoint of
// forward; a symmetric method is its own adjoint. A symmetric method with memory is no map of
// states: with its memory reversed it goes back over the states it came through.
#pragma once

#include <vector>

#include "rattleback/testing/results.hpp"
#include "rattleback/testing/trial.hpp"

namespace rattleback::testing {

struct ReversalOptions {
  double step = 0.0625;
  int steps = 4;  ///< so many there, so many back
};

template <class S = double, class Sys, class M>
ReversalResult check_adjoint(const Sys& system, const M& forward, const M& backward,
                             const Start<Sys>& start, const ReversalOptions& options = {}) {
  const auto z0 = convert<S>(start);
  Trial<S, Sys, M> there(system, forward, z0);
  there.run(Real<S>(options.step), options.steps);
  Trial<S, Sys, M> back(system, backward, there.shown());
  back.remember(there.memory());
  back.run(Real<S>(-options.step), options.steps);
  const auto z = back.shown();
  return {{there.failure() + back.failure()}, distance(z, z0), options.step};
}

/// Of a method with memory: the largest distance of a state on the way back from that on the way
/// there. The start itself is not compared: its momentum was given.
template <class S = double, class Sys, class M>
ReversalResult check_retraced(const Sys& system, const M& method, const Start<Sys>& start,
                              const ReversalOptions& options = {}) {
  Trial<S, Sys, M> trial(system, method, convert<S>(start));
  std::vector<StateOf<Sys, S>> there;
  for (int k = 0; k < options.steps && trial.step(Real<S>(options.step)); ++k)
    there.push_back(trial.shown());
  ReversalResult result{{trial.failure()}, 0, options.step};
  if (result.failure.empty() && !trial.reverse()) result.failure = "the method has no memory";
  for (std::size_t k = there.size(); k-- > 1 && result.failure.empty();) {
    trial.step(Real<S>(-options.step));
    result.defect = larger(result.defect, distance(trial.shown(), there[k - 1]));
    result.failure = trial.failure();
  }
  return result;
}

template <class S = double, class Sys, class M>
ReversalResult check_reversal(const Sys& system, const M& method, const Start<Sys>& start,
                              const ReversalOptions& options = {}) {
  Trial<S, Sys, M> probe(system, method, convert<S>(start));
  if (probe.step(Real<S>(options.step)) && probe.reverse())
    return check_retraced<S>(system, method, start, options);
  return check_adjoint<S>(system, method, method, start, options);
}

}  // namespace rattleback::testing

// Time reversal: backward(-h) after forward(h) is the identity when backward is the adjoint of
// forward; a symmetric method is its own adjoint.
#pragma once

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

template <class S = double, class Sys, class M>
ReversalResult check_reversal(const Sys& system, const M& method, const Start<Sys>& start,
                              const ReversalOptions& options = {}) {
  return check_adjoint<S>(system, method, method, start, options);
}

}  // namespace rattleback::testing

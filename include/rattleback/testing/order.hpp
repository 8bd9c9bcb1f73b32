// Order: the error at a fixed time against the exact solution, under halving of the step.
#pragma once

#include "rattleback/testing/results.hpp"
#include "rattleback/testing/solution.hpp"

namespace rattleback::testing {

/// Whose error is looked at.
enum class Part { both, positions, momenta };

struct OrderOptions {
  double time = 1;    ///< exact in binary, like every step below
  int coarsest = 16;  ///< steps of the coarsest run
  int halvings = 4;   ///< finer runs
  double plateau = 1e-11;
  Part part = Part::both;
};

/// The largest difference of two phase points in the coordinates of one part.
template <class A, class B, int N>
double distance(const State<A, N>& a, const State<B, N>& b, Part part) {
  if (part == Part::both) return distance(a, b);
  const bool q = part == Part::positions;
  return distance(State<A, N>{q ? a.q : a.p, q ? a.q : a.p},
                  State<B, N>{q ? b.q : b.p, q ? b.q : b.p});
}

/// error(h, steps, failure) is that of a run of so many steps.
template <class Error>
OrderResult measure_order(int expected, const OrderOptions& options, Error&& error) {
  OrderResult result{.expected = expected, .plateau = options.plateau};
  int steps = options.coarsest;
  for (int k = 0; k <= options.halvings; ++k, steps *= 2) {
    const double h = options.time / steps;
    const double found = error(h, steps, result.failure);
    if (!result.failure.empty()) return result;
    result.steps.push_back(h);
    result.errors.push_back(found);
  }
  return result;
}

/// S is the scalar of the runs: double, or Quad where round-off is in the way. truth is the exact
/// solution at options.time. A method that preserves g but not {g,H} is compared on fibres.
template <class S = double, class Sys, class M>
OrderResult check_order(const Sys& system, const M& method, const Start<Sys>& start,
                        const Start<Sys>& truth, const OrderOptions& options = {}) {
  const MethodInfo& info = method.info();
  const auto chosen = chosen_memory(system, method, start, options.time / options.coarsest);
  const bool on_fibres = info.preserves_primary && !info.preserves_hidden;
  const int expected =
      options.part == Part::momenta ? info.momentum_order.value_or(info.order) : info.order;
  return measure_order(expected, options, [&](double h, int steps, std::string& failure) {
    Trial<S, Sys, M> trial(system, method, convert<S>(start));
    trial.remember(chosen);
    trial.run_as_long_as(Real<S>(h), steps);
    auto z = trial.shown();
    failure = trial.failure();
    if (failure.empty() && on_fibres && !project_along_fibre<S>(system, z))
      failure = "the state could not be projected along its fibre";
    return distance(z, truth, options.part);
  });
}

/// The same, with the truth computed here.
template <class S = double, class Sys, class M>
OrderResult check_order(const Sys& system, const M& method, const Start<Sys>& start,
                        const OrderOptions& options = {}) {
  Start<Sys> truth = start;
  if (!solve_exactly<Quad>(system, truth, Quad(options.time)))
    return {{"the exact solution could not be computed"}};
  return check_order<S>(system, method, start, truth, options);
}

}  // namespace rattleback::testing

// Energy over a long run: the range of its oscillation, whether it grows, and the slope.
#pragma once

#include "rattleback/testing/results.hpp"
#include "rattleback/testing/trial.hpp"

namespace rattleback::testing {

struct EnergyOptions {
  double step = 0.0625;
  int steps = 2000;
};

/// Least-squares slope of y over 0, 1, 2, ..., from the textbook's two sums: not as runs compute
/// their drift, which this law would then not see.
inline double least_squares_slope(const std::vector<double>& y) {
  const double middle = (static_cast<double>(y.size()) - 1) / 2;
  double above = 0, below = 0;
  for (std::size_t k = 0; k < y.size(); ++k) {
    const double x = static_cast<double>(k) - middle;
    above += x * y[k];
    below += x * x;
  }
  return below > 0 ? above / below : 0;
}

/// From the first step on: a method that leaves {g,H} = 0 jumps off its start.
template <class Trial, class Energy>
EnergyResult measure_energy(Trial& trial, double before, Energy&& energy,
                            const EnergyOptions& options) {
  EnergyResult result;
  double low = 0, high = 0;
  std::vector<double> changes;
  while (result.steps < options.steps && trial.step(options.step)) {
    const double change = energy() - before;
    low = result.steps == 0 ? change : std::min(low, change);
    high = result.steps == 0 ? change : std::max(high, change);
    changes.push_back(change);
    result.range = std::isfinite(change) ? high - low : change;
    if (++result.steps == options.steps / 4) result.early_range = result.range;
    if (!std::isfinite(change)) break;
  }
  result.drift = least_squares_slope(changes) * result.steps;
  result.round_off = 1e-12 * std::max(1.0, std::abs(before));
  result.failure = trial.failure();
  return result;
}

template <class Sys, class M>
EnergyResult check_energy(const Sys& system, const M& method, const Start<Sys>& start,
                          const EnergyOptions& options = {}) {
  const auto z0 = convert<double>(start);
  Trial<double, Sys, M> trial(system, method, z0);
  const auto energy = [&] {
    const auto z = trial.shown();
    return system.energy(z.q, z.p);
  };
  return measure_energy(trial, system.energy(z0.q, z0.p), energy, options);
}

}  // namespace rattleback::testing

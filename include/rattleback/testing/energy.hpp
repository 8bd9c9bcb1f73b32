// Energy over a long run: the spread of its oscillation, whether it grows, and its drift.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "rattleback/testing/results.hpp"
#include "rattleback/testing/trial.hpp"

namespace rattleback::testing {

struct EnergyOptions {
  double step = 0.0625;
  int steps = 2000;
};

/// What part of the values is below it.
inline double percentile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  const auto at = values.begin() + std::lround(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}
inline double spread(const std::vector<double>& values) {
  return percentile(values, 0.9) - percentile(values, 0.1);
}

/// Of the medians of 32 equal parts of the run, how many of the 31 moves from one to the next go
/// the way that most do: all of a drift, of a random walk 27 or more in 3e-5 of all cases.
inline int moves_one_way(const std::vector<double>& changes) {
  constexpr std::ptrdiff_t parts = 32;
  const auto length = static_cast<std::ptrdiff_t>(changes.size()) / parts;
  if (length == 0) return 0;
  double last = 0;
  int up = 0, down = 0;
  for (std::ptrdiff_t k = 0; k < parts; ++k) {
    const auto first = changes.begin() + k * length;
    const double median = percentile({first, first + length}, 0.5);
    if (k > 0) up += median > last, down += median < last;
    last = median;
  }
  return std::max(up, down);
}

/// From the first step on: a method that leaves {g,H} = 0 jumps off its start.
template <class Trial, class Energy>
EnergyResult measure_energy(Trial& trial, double before, Energy&& energy,
                            const EnergyOptions& options) {
  EnergyResult result;
  std::vector<double> changes;
  bool finite = true;
  while (finite && result.steps < options.steps && trial.step(options.step)) {
    const double change = energy() - before;
    finite = std::isfinite(change);
    if (finite) changes.push_back(change);
    ++result.steps;
  }
  const auto quarter = static_cast<std::ptrdiff_t>(changes.size() / 4);
  const std::vector<double> first(changes.begin(), changes.begin() + quarter),
      last(changes.end() - quarter, changes.end());
  result.spread = finite ? spread(changes) : std::numeric_limits<double>::infinity();
  result.early_spread = spread(first);
  result.drift = percentile(last, 0.5) - percentile(first, 0.5);
  result.one_way = moves_one_way(changes);
  // A third of a unit of the last place in every step, all one way, was seen (hopf_free, composed).
  result.round_off =
      std::max(1e-12, epsilon<double> * result.steps) * std::max(1.0, std::abs(before));
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

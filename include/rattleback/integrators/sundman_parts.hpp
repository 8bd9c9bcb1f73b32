// Parts of SundmanStepper: what is normal to the constraints, how far stages change, and which of
// two iterations to take.
#pragma once

#include <algorithm>
#include <vector>

#include "rattleback/integrators/stage_lanes.hpp"

namespace rattleback {

/// What is normal to the constraints at a point: g, G M^-1 p, and the rows of G and W = G M^-1.
template <class S>
struct NormalSpace {
  int n, m;
  std::vector<S> values, slopes;

  NormalSpace(int dimension, int constraints)
      : n(dimension), m(constraints), values(2 * m), slopes(2 * m * n) {}
  const S* g() const { return values.data(); }
  const S* rate() const { return values.data() + m; }
  const S* rows() const { return slopes.data(); }
  const S* raised() const { return slopes.data() + m * n; }
  /// K = G M^-1 G^T
  S gram(int i, int j) const {
    S sum = rows()[i * n] * raised()[j * n];
    for (int d = 1; d < n; ++d) sum += rows()[i * n + d] * raised()[j * n + d];
    return sum;
  }
};

/// Of q' and p' from one iteration to the next.
template <class S>
struct StageChange {
  LargestChange<S> q{}, p{};
};

/// Iterations that a step took of late, with Jacobi's iteration and with the one that goes ahead.
/// The one that takes more is tried again after 16 steps, and then after twice as many each time.
struct IterationWay {
  double mean[2] = {0, 0};
  long until = 16, interval = 16;

  bool ahead() const { return mean[1] > 0 && mean[1] < mean[0]; }
  bool next() {
    if (mean[0] == 0 || mean[1] == 0) return mean[0] != 0;
    if (--until > 0) return ahead();
    interval = std::min(2 * interval, 1024L);
    until = interval;
    return !ahead();
  }
  void note(bool way, double iterations) {
    const bool before = ahead();
    mean[way] = mean[way] == 0 ? iterations : 0.75 * mean[way] + 0.25 * iterations;
    if (ahead() != before) until = interval = 16;
  }
};

}  // namespace rattleback

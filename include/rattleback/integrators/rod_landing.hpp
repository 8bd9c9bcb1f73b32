// How the end of a series of rods (rod_series.hpp) comes back to |d| = length and d.d' = 0, along
// M^-1 G^T.
#pragma once

#include <cmath>

#include "rattleback/integrators/rod_series.hpp"

namespace rattleback {

template <class Sys, class S>
double RodSeries<Sys, S>::measure() {
  Largest<Row> most;
  const Link* __restrict d = link(0);
  for (int r = 0; r < length_; ++r) {
    product_[r] = (Links::dot(d[r], d[r]) - links_.square(r)) * Row(R(0.5));
    most.add(product_[r] * links_.inverse_square(r));
  }
  return most.value();
}

template <class Sys, class S>
double RodSeries<Sys, S>::correct() {
  Largest<Row> most;
  Link* d = link(0);
  links_.pull(
      d, multiplier(order_), [&](int r) RATTLEBACK_INLINE_LAMBDA { return product_[r]; },
      [&](int r, const Link& moved) RATTLEBACK_INLINE_LAMBDA {
        for (int c = 0; c < D; ++c) d[r][c] += moved[c];
        most.add(Links::dot(moved, moved) * links_.inverse_square(r));
      });
  return std::sqrt(most.value());
}

template <class Sys, class S>
double RodSeries<Sys, S>::turn() {
  Largest<Row> most;
  const Link* d = link(0);
  Link* v = link(1);
  links_.pull(
      d, multiplier(order_), [&](int r) RATTLEBACK_INLINE_LAMBDA { return Links::dot(d[r], v[r]); },
      [&](int r, const Link& moved) RATTLEBACK_INLINE_LAMBDA {
        for (int c = 0; c < D; ++c) v[r][c] += moved[c];
        most.add(Links::dot(moved, moved));
      });
  return std::sqrt(most.value());
}

/// With the exact matrix a correction of d by c leaves |c|^2/2, with that of links which have moved
/// by m since, c m more. A turn by c leaves c m.
template <class Sys, class S>
Status RodSeries<Sys, S>::project() {
  Contraction contraction;
  double moved = 0;
  bool exact = false;  // the last correction was by the exact matrix
  for (int k = 1; k <= options_.max_iterations; ++k) {
    const auto verdict = contraction.judge(measure());
    const double size = contraction.last();
    if (verdict == Contraction::Verdict::not_finite) return {Outcome::not_finite, k, size};
    const bool poor = verdict == Contraction::Verdict::poor;
    if (poor && exact) return {Outcome::no_convergence, k, size};
    exact = k == 1 || poor;
    if (exact) {
      if (const FactorReport f = factor(); !f.ok) return {Outcome::rank_loss, k, f.smallest_pivot};
      moved = 0;
    }
    const double step = correct(), left = step * (step / 2 + moved);
    moved += step;
    if (left <= floor_) return turn_back(moved, {Outcome::ok, k, size});
  }
  return {Outcome::no_convergence, options_.max_iterations, contraction.last()};
}

template <class Sys, class S>
Status RodSeries<Sys, S>::turn_back(double moved, const Status& done) {
  const double speed = largest(1);
  for (int k = 0; k < options_.max_iterations; ++k)
    if (turn() * moved <= floor_ * speed) return done;
  return {Outcome::no_convergence, done.iterations, moved};
}

}  // namespace rattleback

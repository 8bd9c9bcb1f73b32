// How far a slide along a fibre goes, relative to the state it begins from: q moves by g_p^T
// lambda, p by g_q^T lambda, with slopes of a HiddenConstraint as it was last evaluated.
#pragma once

#include "rattleback/problem/scalar.hpp"
#include "rattleback/solve/thresholds.hpp"

namespace rattleback::detail {

template <class X>
double extent(const X& x) {
  double most = threshold::least_scale;
  for (Eigen::Index i = 0; i < x.size(); ++i) most = larger(most, magnitude(base(x[i])));
  return most;
}

/// Relative to all of the state: an angle where the fibre is a circle.
template <class Hidden, class Multiplier, class Point>
double slide_length(const Hidden& hidden, const Multiplier& lambda, const Point& z) {
  using S = typename Multiplier::Scalar;
  double speed = 0, size = 1e-30;
  for (Eigen::Index i = 0; i < z.q.size(); ++i) {
    S dq(0), dp(0);
    for (Eigen::Index k = 0; k < lambda.size(); ++k) {
      dq += hidden.g_p()(k, i) * lambda[k];
      dp += hidden.g_q()(k, i) * lambda[k];
    }
    speed = larger(speed, larger(magnitude(base(dq)), magnitude(base(dp))));
    size = larger(size, larger(magnitude(base(z.q[i])), magnitude(base(z.p[i]))));
  }
  return speed / size;
}

/// At the most, where nothing cancels; of q and of p each relative to its own.
template <class Hidden, class Multiplier, class Point>
double most_slide(const Hidden& hidden, const Multiplier& lambda, const Point& z, bool holonomic) {
  double slide_q = 0, slide_p = 0;
  for (Eigen::Index j = 0; j < z.q.size(); ++j) {
    double dq = 0, dp = 0;
    for (Eigen::Index i = 0; i < lambda.size(); ++i) {
      dp += magnitude(base(hidden.g_q()(i, j))) * magnitude(lambda[i]);
      if (!holonomic) dq += magnitude(base(hidden.g_p()(i, j))) * magnitude(lambda[i]);
    }
    slide_q = larger(slide_q, dq);
    slide_p = larger(slide_p, dp);
  }
  return larger(slide_q / extent(z.q), slide_p / extent(z.p));
}

}  // namespace rattleback::detail

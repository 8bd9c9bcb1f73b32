// The planar pendulum H = |p|^2/2 + y, x^2 + y^2 = 1, from its state-space form by quadrature: a
// truth that no step and no constraint is part of.
//
// With phi from the bottom, x = -sin phi, y = -cos phi, E = phi'^2/2 - cos phi:
//   turning over, E > 1     phi = 2u,             u' = w sqrt(1 - sin(u)^2/w^2), w^2 = (E + 1)/2
//   swinging, E < 1         sin(phi/2) = k sin u, u' = sqrt(1 - k^2 sin(u)^2),   k^2 = (E + 1)/2
// so that time is the integral of a periodic function of u. Its cosine series converges
// geometrically, term by term integrated it is t(u), and Newton inverts that.
#pragma once

#include <vector>

#include "rattleback/problem/scalar.hpp"

namespace rattleback {

class PendulumReference {
 public:
  /// From a state on |q| = 1, q.p = 0. Throws InputError at and next to E = 1 and at rest, where
  /// there is no period.
  explicit PendulumReference(const State<double>& start);

  double period() const { return period_; }
  double energy() const { return energy_; }
  State<double> at(double time) const;
  /// The mean of y over a period.
  double mean_height() const;

 private:
  double time_of(double u) const;  ///< times rate_
  double slope(double u) const;    ///< 1/sqrt(1 - modulus sin^2)

  double energy_, modulus_ = 0, rate_ = 1, period_ = 0;
  double sign_ = 1, begin_ = 0;  ///< of u' and of t(u)
  bool over_ = false;
  std::vector<double> series_;  ///< of slope(): a_0 + sum a_j cos(2 j u)
};

}  // namespace rattleback

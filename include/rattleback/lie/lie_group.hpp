// What the layer asks of a group, and the two ways from an algebra to its group that it has.
//
// Elements of the algebra are coordinate vectors. Tangents are matrices in these coordinates, right
// trivialised: T tau(xi) eta = (d^R tau_xi eta) tau(xi). The left trivialised ones are those of -xi
// [Barbero24 App. A], since tau(xi) tau(-xi) = e.
#pragma once

#include <concepts>

#include "rattleback/problem/scalar.hpp"

namespace rattleback::lie {

/// Beyond what the compiler can see, check_lie_group() (testing/lie_laws.hpp) measures the laws.
template <class G>
concept LieGroup = requires(const G& g, const typename G::Algebra& xi) {
  typename G::Scalar;
  { G::dimension } -> std::convertible_to<int>;
  { G() };  // the unit
  { g* g } -> std::same_as<G>;
  { g.inverse() } -> std::same_as<G>;
  { g.normalized() } -> std::same_as<G>;  // round-off of many products removed
  { g.matrix() };                         // a faithful representation
  { G::hat(xi) };                         // the same of the algebra
  { g.Ad() } -> std::same_as<typename G::Tangent>;
  { G::ad(xi) } -> std::same_as<typename G::Tangent>;
  { G::exp(xi) } -> std::same_as<G>;
  { G::dexp(xi) } -> std::same_as<typename G::Tangent>;
  { G::dexp_inverse(xi) } -> std::same_as<typename G::Tangent>;
  { G::cay(xi) } -> std::same_as<G>;  // (1 - xi/2)^-1 (1 + xi/2)
  { G::dcay(xi) } -> std::same_as<typename G::Tangent>;
  { G::dcay_inverse(xi) } -> std::same_as<typename G::Tangent>;
};

/// Retractions tau, to choose by type.
struct Exponential {
  template <class G>
  static G at(const typename G::Algebra& xi) {
    return G::exp(xi);
  }
  template <class G>
  static typename G::Tangent right(const typename G::Algebra& xi) {
    return G::dexp(xi);
  }
  template <class G>
  static typename G::Tangent right_inverse(const typename G::Algebra& xi) {
    return G::dexp_inverse(xi);
  }
};

struct Cayley {
  template <class G>
  static G at(const typename G::Algebra& xi) {
    return G::cay(xi);
  }
  template <class G>
  static typename G::Tangent right(const typename G::Algebra& xi) {
    return G::dcay(xi);
  }
  template <class G>
  static typename G::Tangent right_inverse(const typename G::Algebra& xi) {
    return G::dcay_inverse(xi);
  }
};

/// d^L tau and its inverse.
template <class Retraction, class G>
typename G::Tangent left(const typename G::Algebra& xi) {
  return Retraction::template right<G>(-xi);
}
template <class Retraction, class G>
typename G::Tangent left_inverse(const typename G::Algebra& xi) {
  return Retraction::template right_inverse<G>(-xi);
}

}  // namespace rattleback::lie

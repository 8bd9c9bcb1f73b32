// Which bodies are joined by which links, and how: what a linked system is made of.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/problem/error.hpp"
#include "rattleback/problem/scalar.hpp"

namespace rattleback {

/// As the first end of a link: a fixed point, the link's anchor.
inline constexpr int ground = -1;

template <int D>
struct Link {
  int first = ground;
  int second = 0;
  double length = 1;  ///< read by Rods
  Vector<double, D> anchor = Vector<double, D>::Zero();
};

/// One value for all bodies or all links.
struct Uniform {
  double value = 1;
  double operator[](int) const { return value; }
};

/// A link function of d = x_second - x_first alone, f(d) or f(d, k): half the derivatives.
template <class F>
struct RelativeLink {
  F f;
};
template <class F>
auto relative(F f) {
  return RelativeLink<F>{std::move(f)};
}

/// Rigid rods: g = (|d|^2 - length^2)/2.
template <class Lengths>
struct Rods {
  Lengths length;
  template <class V>
  RATTLEBACK_INLINE auto operator()(const V& d, int k) const {
    typename V::Scalar sum = d[0] * d[0];
    for (int c = 1; c < d.size(); ++c) sum += d[c] * d[c];
    const Base<typename V::Scalar> l(length[k]);
    return typename V::Scalar((sum - l * l) * 0.5);
  }
};

/// Link 0 joins the anchor and body 0, link k bodies k - 1 and k. Chosen by type: the step of a
/// chain is then two-ended tridiagonal elimination and fused passes (chain_kernel.hpp).
template <int D>
struct ChainGraph {
  static constexpr bool is_chain = true;
  int bodies;
  Vector<double, D> anchor_point = Vector<double, D>::Zero();
  int size() const { return bodies; }
  int first(int k) const { return k - 1; }
  int second(int k) const { return k; }
  const Vector<double, D>& anchor(int) const { return anchor_point; }
};

/// Any links. The linear algebra is chosen once from their graph (choose_structure).
template <int D>
struct LinkGraph {
  static constexpr bool is_chain = false;
  std::vector<Link<D>> links;
  int size() const { return static_cast<int>(links.size()); }
  int first(int k) const { return links[k].first; }
  int second(int k) const { return links[k].second; }
  const Vector<double, D>& anchor(int k) const { return links[k].anchor; }
};

namespace detail {

template <class Masses, class Graph>
void check_links(int bodies, const Masses& masses, const Graph& graph) {
  if (bodies < 1) throw InputError("bodies", "there must be one, got " + std::to_string(bodies));
  if (graph.size() < 1) throw InputError("links", "there must be one");
  for (int i = 0; i < bodies; ++i)
    if (!(masses[i] > 0) || !std::isfinite(masses[i]))
      throw InputError("mass", "of body " + std::to_string(i) +
                                   " must be positive and finite, got " +
                                   std::to_string(masses[i]));
  for (int k = 0; k < graph.size(); ++k) {
    const int a = graph.first(k), b = graph.second(k);
    if (a < ground || a >= bodies || b < 0 || b >= bodies || a == b)
      throw InputError("links", "link " + std::to_string(k) + " joins " + std::to_string(a) +
                                    " and " + std::to_string(b) + " of " + std::to_string(bodies) +
                                    " bodies");
  }
}

}  // namespace detail

}  // namespace rattleback

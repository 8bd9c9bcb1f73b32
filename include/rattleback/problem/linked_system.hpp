// Points in R^D joined by links: chains, trees, rings, molecules. The potential is one function of
// one body's position, the constraint one function of the two ends of a link; both are given once,
// as templates, and differentiated with D or 2D duals at a time, so that a step costs a constant
// amount per body.
//
//   H(q,p) = sum_i p_i.p_i/(2 m_i) + V(x_i, i),      g_k(q) = link(x_first(k), x_second(k), k)
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rattleback/problem/derivatives.hpp"
#include "rattleback/problem/link_graph.hpp"
#include "rattleback/problem/link_slopes.hpp"
#include "rattleback/problem/system.hpp"

namespace rattleback {

template <class Sys, class S>
class ChainKernel;
template <class Sys, class S, class Algebra>
class SparseKernel;
template <class S, int D>
class LinkAlgebra;

/// Coordinates are stored body by body: x_0, y_0, x_1, y_1, ...
template <int D, class Potential, class LinkFunction, class Graph, class Masses>
class LinkedSystem {
 public:
  static constexpr int dimension_at_compile_time = dynamic;
  static constexpr int constraints_at_compile_time = dynamic;
  static constexpr int space = D;
  static constexpr bool is_chain = Graph::is_chain;
  /// How NaturalConstrained does the linear algebra of a step on this system.
  template <class S>
  using Kernel = std::conditional_t<is_chain, ChainKernel<LinkedSystem, S>,
                                    SparseKernel<LinkedSystem, S, LinkAlgebra<S, D>>>;
  template <class S>
  using Point = Vector<S, D>;

  LinkedSystem(int bodies, Masses masses, Potential potential, Graph graph, LinkFunction link)
      : bodies_(bodies),
        masses_(std::move(masses)),
        inverse_mass_(masses_),
        potential_(std::move(potential)),
        graph_(std::move(graph)),
        link_(std::move(link)) {
    detail::check_links(bodies_, masses_, graph_);
    invert(inverse_mass_);
  }

  int bodies() const { return bodies_; }
  int dimension() const { return D * bodies_; }
  int constraint_count() const { return graph_.size(); }
  static constexpr Traits traits() {
    return {.natural = true, .separable = true, .lagrangian = true, .holonomic = true};
  }
  const Graph& graph() const { return graph_; }
  double mass(int body) const { return masses_[body]; }
  double inverse_mass(int body) const { return inverse_mass_[body]; }
  /// Of a chain of rods.
  double rod_length(int link) const
    requires requires(const LinkFunction& l) { l.length; }
  {
    return link_.function().length[link];
  }

  /// Whether all bodies have the same potential.
  static constexpr bool is_common =
      !std::is_invocable_v<const Potential&, const Point<double>&, int>;

  // -- one body, one link: what the kernels are made of --

  template <class Q>
  static auto point(const Q& q, int body) {
    Point<typename Q::Scalar> x;
    for (int c = 0; c < D; ++c) x[c] = q[D * body + c];
    return x;
  }
  /// The first end of link k: a body, or the anchor on the ground.
  template <class Q>
  auto first_end(const Q& q, int k) const {
    if (const int body = graph_.first(k); body != ground) return point(q, body);
    Point<typename Q::Scalar> x;
    for (int c = 0; c < D; ++c) x[c] = typename Q::Scalar(graph_.anchor(k)[c]);
    return x;
  }

  template <class S>
  RATTLEBACK_INLINE S body_potential(const Point<S>& x, int body) const {
    if constexpr (std::is_invocable_v<const Potential&, const Point<S>&, int>)
      return S(potential_(x, body));
    else
      return S(potential_(x));
  }
  template <class S>
  RATTLEBACK_INLINE Point<S> body_gradient(const Point<S>& x, int body) const {
    Point<S> gradient;
    if constexpr (requires { potential_.gradient(x, body, gradient); })
      potential_.gradient(x, body, gradient);
    else
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((gradient[I] = body_slope<I>(x, body)), ...);
      }(std::make_index_sequence<D>{});
    return gradient;
  }

  /// Whether links depend on d = b - a only; their Jacobian is then (-e, e).
  static constexpr bool is_relative = LinkSlopes<D, LinkFunction>::is_relative;
  /// Whether that derivative e is d itself.
  static constexpr bool is_rod = requires(const LinkFunction& l) { l.length; };

  template <class S>
  RATTLEBACK_INLINE S link(const Point<S>& a, const Point<S>& b, int k) const {
    return link_.value(a, b, k);
  }
  /// The value; slope has D entries (by d) for relative links, else 2D (by a, then by b).
  template <class S, class Slope>
  RATTLEBACK_INLINE S link_slope(const Point<S>& a, const Point<S>& b, int k, Slope&& slope) const {
    return link_.slope(a, b, k, slope);
  }

  // -- the whole system in any scalar: what generic code asks --

  template <class Q>
  auto potential(const Q& q) const {
    using S = typename Q::Scalar;
    S sum(0);
    for (int i = 0; i < bodies_; ++i) sum += body_potential<S>(point(q, i), i);
    return sum;
  }
  template <class S>
  void potential_gradient(const Vector<S, dynamic>& q, Vector<S, dynamic>& v_q) const {
    for (int i = 0; i < bodies_; ++i) {
      const Point<S> gradient = body_gradient<S>(point(q, i), i);
      for (int c = 0; c < D; ++c) v_q[D * i + c] = gradient[c];
    }
  }
  template <class P, class V>
  void velocity(const P& p, V& v) const {
    for (int i = 0; i < bodies_; ++i)
      for (int c = 0; c < D; ++c) v[D * i + c] = p[D * i + c] * inverse_mass_[i];
  }
  template <class S>
  S energy(const Vector<S, dynamic>& q, const Vector<S, dynamic>& p) const {
    S kinetic(0);
    for (int i = 0; i < bodies_; ++i)
      for (int c = 0; c < D; ++c) kinetic += p[D * i + c] * p[D * i + c] * inverse_mass_[i];
    return kinetic * 0.5 + potential(q);
  }
  template <class S>
  void energy_gradient(const Vector<S, dynamic>& q, const Vector<S, dynamic>& p,
                       Vector<S, dynamic>& h_q, Vector<S, dynamic>& h_p) const {
    potential_gradient(q, h_q);
    velocity(p, h_p);
  }
  template <class S>
  void lagrangian_gradient(const Vector<S, dynamic>& q, const Vector<S, dynamic>& v,
                           Vector<S, dynamic>& l_q, Vector<S, dynamic>& l_v) const {
    potential_gradient(q, l_q);
    for (int i = 0; i < bodies_; ++i)
      for (int c = 0; c < D; ++c) {
        l_q[D * i + c] = -l_q[D * i + c];
        l_v[D * i + c] = v[D * i + c] * masses_[i];
      }
  }
  template <class Q, class P, class G>
  void constraint(const Q& q, const P&, G& g) const {
    using S = typename Q::Scalar;
    for (int k = 0; k < graph_.size(); ++k)
      g[k] = link<S>(first_end(q, k), point(q, graph_.second(k)), k);
  }
  /// The Jacobian link by link, 2D numbers each: by the first end, then by the second.
  template <class S>
  void linearise_sparse(const Vector<S, dynamic>& q, Vector<S, dynamic>& g,
                        Vector<S, dynamic>& slopes) const {
    for (int k = 0; k < graph_.size(); ++k) g[k] = slopes_of(q, k, slopes.data() + 2 * D * k);
  }
  /// The Jacobian as a full matrix, for generic code.
  template <class S>
  void linearise(const Vector<S, dynamic>& q, const Vector<S, dynamic>&, Vector<S, dynamic>& g,
                 Matrix<S, dynamic>& g_q, Matrix<S, dynamic>&) const {
    g_q.setConstant(S(0));
    for (int k = 0; k < graph_.size(); ++k) {
      S slope[2 * D];
      g[k] = slopes_of(q, k, slope);
      for (int c = 0; c < D; ++c) {
        if (graph_.first(k) != ground) g_q(k, D * graph_.first(k) + c) += slope[c];
        g_q(k, D * graph_.second(k) + c) += slope[D + c];
      }
    }
  }

 private:
  /// The value of link k, and its derivatives by the first end and by the second.
  template <class S>
  S slopes_of(const Vector<S, dynamic>& q, int k, S* slope) const {
    const S value = link_slope<S>(first_end(q, k), point(q, graph_.second(k)), k, slope);
    if constexpr (is_relative)
      for (int c = 0; c < D; ++c) slope[D + c] = slope[c], slope[c] = -slope[c];
    return value;
  }
  template <int Variable, class S>
  RATTLEBACK_INLINE S body_slope(const Point<S>& x, int body) const {
    return body_potential(detail::lifted<Variable>(x), body).partials[0];
  }
  static void invert(Uniform& m) { m.value = 1 / m.value; }
  static void invert(std::vector<double>& m) {
    for (double& x : m) x = 1 / x;
  }

  int bodies_;
  Masses masses_, inverse_mass_;
  Potential potential_;
  Graph graph_;
  LinkSlopes<D, LinkFunction> link_;
};

/// N equal bodies in a row of equal rods, hung from the origin:
///   chain_system<2>(1000, [](const auto& x) { return x[1]; })
template <int D, class Potential>
auto chain_system(int bodies, Potential potential, double mass = 1, double length = 1) {
  using Function = Rods<Uniform>;
  return LinkedSystem<D, Potential, Function, ChainGraph<D>, Uniform>(
      bodies, Uniform{mass}, std::move(potential), ChainGraph<D>{bodies}, Function{{length}});
}
/// A chain of given masses and rod lengths.
template <int D, class Potential>
auto chain_system(std::vector<double> masses, std::vector<double> lengths, Potential potential) {
  const int n = static_cast<int>(masses.size());
  if (lengths.size() != masses.size())
    throw InputError("lengths", "there must be " + std::to_string(n) + ", one per body, got " +
                                    std::to_string(lengths.size()));
  using Function = Rods<std::vector<double>>;
  return LinkedSystem<D, Potential, Function, ChainGraph<D>, std::vector<double>>(
      n, std::move(masses), std::move(potential), ChainGraph<D>{n}, Function{std::move(lengths)});
}
/// A chain of N equal bodies with one's own links: f(d), f(a, b), f(a, b, k) or relative(f).
template <int D, class Potential, class LinkFunction>
  requires(!std::is_arithmetic_v<LinkFunction>)
auto chain_system(int bodies, Potential potential, LinkFunction link, double mass = 1) {
  return LinkedSystem<D, Potential, LinkFunction, ChainGraph<D>, Uniform>(
      bodies, Uniform{mass}, std::move(potential), ChainGraph<D>{bodies}, std::move(link));
}

/// Bodies with rigid rods between any of them and the ground.
template <int D, class Potential>
auto linked_system(std::vector<double> masses, Potential potential, std::vector<Link<D>> links) {
  std::vector<double> lengths;
  for (const auto& l : links) lengths.push_back(l.length);
  using Function = Rods<std::vector<double>>;
  const int n = static_cast<int>(masses.size());
  return LinkedSystem<D, Potential, Function, LinkGraph<D>, std::vector<double>>(
      n, std::move(masses), std::move(potential), LinkGraph<D>{std::move(links)},
      Function{std::move(lengths)});
}
/// The same with one's own link function.
template <int D, class Potential, class LinkFunction>
auto linked_system(std::vector<double> masses, Potential potential, std::vector<Link<D>> links,
                   LinkFunction link) {
  const int n = static_cast<int>(masses.size());
  return LinkedSystem<D, Potential, LinkFunction, LinkGraph<D>, std::vector<double>>(
      n, std::move(masses), std::move(potential), LinkGraph<D>{std::move(links)}, std::move(link));
}

}  // namespace rattleback

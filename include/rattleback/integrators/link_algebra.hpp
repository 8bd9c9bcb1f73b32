// G of bodies joined by links, 2D numbers a link: by its first end, then by its second. What is
// done with G M^-1 G^T is chosen from the graph, once. Nothing here depends on the functions of a
// system: compiled once for a scalar and a dimension of space, it serves all of them.
#pragma once

#include <vector>

#include "rattleback/problem/link_graph.hpp"
#include "rattleback/problem/vector_ops.hpp"
#include "rattleback/solve/structured.hpp"

namespace rattleback {

/// Links are coupled when they share a body that is not the ground.
template <class Graph>
CouplingPattern coupling_pattern(const Graph& graph, int bodies) {
  std::vector<std::vector<int>> at(bodies);
  for (int k = 0; k < graph.size(); ++k) {
    if (graph.first(k) != ground) at[graph.first(k)].push_back(k);
    at[graph.second(k)].push_back(k);
  }
  CouplingPattern pattern(graph.size());
  for (const auto& links : at)
    for (int a : links)
      for (int b : links)
        if (a != b) pattern[a].push_back(b);
  return normalised(pattern);
}

template <class S, int D>
class LinkAlgebra {
 public:
  using T = Base<S>;
  using Values = Vector<S, dynamic>;

  template <class Sys>
  explicit LinkAlgebra(const Sys& system)
      : gram_(coupling_pattern(system.graph(), system.bodies())) {
    for (int i = 0; i < system.bodies(); ++i) inverse_mass_.push_back(system.inverse_mass(i));
    for (int k = 0; k < system.constraint_count(); ++k)
      ends_.push_back({system.graph().first(k), system.graph().second(k)});
  }
  template <class Sys>
  static int nonzeros(const Sys& system) {
    return 2 * D * system.constraint_count();
  }
  template <class Sys>
  static Structure structure(const Sys& system) {
    return choose_structure(coupling_pattern(system.graph(), system.bodies()));
  }
  T inverse_mass(int coordinate) const { return T(inverse_mass_[coordinate / D]); }

  /// G^T x
  void force(const Values& j, const Values& x, Values& out) const {
    out.setConstant(S(0));
    for_ends(j, [&](int k, int body, const S* slope) {
      for (int c = 0; c < D; ++c) out[D * body + c] += slope[c] * x[k];
    });
  }
  /// G M^-1 p
  void hidden(const Values& j, const Values& p, Values& out) const {
    out.setConstant(S(0));
    for_ends(j, [&](int k, int body, const S* slope) {
      S sum = slope[0] * p[D * body];
      for (int c = 1; c < D; ++c) sum += slope[c] * p[D * body + c];
      out[k] += sum * inverse_mass_[body];
    });
  }
  /// The diagonal of G_1 M^-1 G_0^T
  void alignment(const Values& j1, const Values& j0, Vector<T, dynamic>& out) const {
    for (int k = 0; k < links(); ++k) out[k] = product(j1, k, j0, k);
  }
  FactorReport factor(const Values& j) { return gram_.factor(Entry{*this, j}); }
  void solve(Values& b) const { gram_.solve(b); }

  template <class F>
  void for_entries(const Values& j, F&& f) const {
    for_ends(j, [&](int k, int body, const S* slope) {
      for (int c = 0; c < D; ++c) f(k, D * body + c, slope[c]);
    });
  }

 private:
  struct Ends {
    int first, second;
  };
  int links() const { return static_cast<int>(ends_.size()); }

  /// f(link, body, derivative of the link by the body)
  template <class F>
  void for_ends(const Values& j, F&& f) const {
    const S* slope = j.data();
    for (int k = 0; k < links(); ++k, slope += 2 * D) {
      if (ends_[k].first != ground) f(k, ends_[k].first, slope);
      f(k, ends_[k].second, slope + D);
    }
  }
  /// (G_1 M^-1 G_0^T)_kl: a sum over the bodies the two links share.
  T product(const Values& j1, int k, const Values& j0, int l) const {
    T sum(0);
    const Ends a = ends_[k], b = ends_[l];
    const auto add = [&](int body, int side_k, int side_l) {
      const S* x = j1.data() + 2 * D * k + D * side_k;
      const S* y = j0.data() + 2 * D * l + D * side_l;
      T dot = base(x[0]) * base(y[0]);
      for (int c = 1; c < D; ++c) dot += base(x[c]) * base(y[c]);
      sum += dot * T(inverse_mass_[body]);
    };
    if (a.first != ground && a.first == b.first) add(a.first, 0, 0);
    if (a.first != ground && a.first == b.second) add(a.first, 0, 1);
    if (a.second == b.first) add(a.second, 1, 0);
    if (a.second == b.second) add(a.second, 1, 1);
    return sum;
  }
  /// G M^-1 G^T. Not inlined into each of the many solvers: that took 7 s of compile time.
  struct Entry {
    const LinkAlgebra& algebra;
    const Values& j;
    [[gnu::noinline]] T operator()(int k, int l) const { return algebra.product(j, k, j, l); }
  };

  std::vector<Ends> ends_;
  std::vector<double> inverse_mass_;  // of each body
  StructuredLdlt<T> gram_;
};

}  // namespace rattleback

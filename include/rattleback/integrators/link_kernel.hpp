// The verbs of NaturalConstrained for bodies joined by any links. G is kept link by link; the
// linear algebra of G M^-1 G^T is chosen from the graph, once.
#pragma once

#include <algorithm>
#include <vector>

#include "rattleback/problem/linked_system.hpp"
#include "rattleback/problem/vector_ops.hpp"
#include "rattleback/solve/broyden.hpp"
#include "rattleback/solve/rolling_predictor.hpp"
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

template <class Sys, class S>
class LinkKernel {
 public:
  static constexpr int N = dynamic;
  static constexpr int M = dynamic;
  static constexpr bool exact_newton = false;
  static constexpr int D = Sys::space;
  using T = Base<S>;
  using Position = Vector<S, dynamic>;
  using Multiplier = Vector<S, dynamic>;
  using Jacobian = Vector<S, dynamic>;  // 2D a link: by its first end, then by its second
  using Predictor = ProjectedPredictor<Multiplier>;
  using Floor = Vector<double, dynamic>;

  explicit LinkKernel(const Sys& system)
      : m_(system.constraint_count()),
        gram_(coupling_pattern(system.graph(), system.bodies())),
        newton_(std::min(m_, small)) {
    for (int k = 0; k < m_; ++k)
      ends_.push_back({system.graph().first(k), system.graph().second(k)});
  }
  const Structure& structure() const { return gram_.structure(); }

  static Jacobian jacobian(const Sys& system) {
    return Jacobian(2 * D * system.constraint_count());
  }
  static void exchange(Jacobian& j, Jacobian& next) { j.swap(next); }

  void linearise(const Sys& system, const Position& q, Multiplier& g, Jacobian& jacobian) const {
    for (int k = 0; k < m_; ++k) {
      S* slope = jacobian.data() + 2 * D * k;
      const auto a = system.first_end(q, k), b = Sys::point(q, ends_[k].second);
      g[k] = system.template link_slope<S>(a, b, k, slope);
      if constexpr (Sys::is_relative)
        for (int c = 0; c < D; ++c) slope[D + c] = slope[c], slope[c] = -slope[c];
    }
  }
  bool settled(const Sys& system, const Position& q, Multiplier& g, Jacobian& jacobian,
               const Floor& floor) const {
    linearise(system, q, g, jacobian);
    return within_floor(g, floor, 1);
  }

  /// p = p0 - G^T lambda - before h V_q,   q = q0 + h M^-1 p
  void launch(const Sys& system, const State<S, dynamic>& z, const Jacobian& jacobian,
              const Jacobian&, const Multiplier& lambda, const Position& v_q, const Real<S>& h,
              double before, const Floor&, Position& q, Position& p, const Multiplier&) {
    broyden_.reset();
    const Real<S> strength = h * before;
    for (Eigen::Index i = 0; i < p.size(); ++i) p[i] = z.p[i] - v_q[i] * strength;
    kick(jacobian, lambda, p);
    for (int i = 0; i < system.bodies(); ++i)
      for (int c = D * i; c < D * i + D; ++c) q[c] = z.q[c] + p[c] * (h * system.inverse_mass(i));
  }
  /// q -= M^-1 G^T delta; total (+)= delta
  void shift(const Sys& system, const Jacobian& jacobian, const Multiplier& delta, bool first,
             Position& q, Multiplier& total) const {
    for_ends(jacobian, [&](int k, int body, const S* slope) {
      const S strength = delta[k] * system.inverse_mass(body);
      for (int c = 0; c < D; ++c) q[D * body + c] -= slope[c] * strength;
    });
    for (int k = 0; k < m_; ++k) total[k] = first ? delta[k] : S(total[k] + delta[k]);
  }
  /// p -= G^T lambda
  void kick(const Jacobian& jacobian, const Multiplier& lambda, Position& p) const {
    for_ends(jacobian, [&](int k, int body, const S* slope) {
      for (int c = 0; c < D; ++c) p[D * body + c] -= slope[c] * lambda[k];
    });
  }
  /// lambda += delta/h, p -= G^T delta/h
  void correct(const Jacobian& jacobian, const Real<S>& h, Multiplier& delta, Multiplier& lambda,
               Position& p) const {
    scale(Real<S>(Real<S>(1) / h), delta);
    kick(jacobian, delta, p);
    add_scaled(Real<S>(1), delta, lambda);
  }
  /// p -= after h V_q(q), and mu = G M^-1 p with the G of next where that is asked for
  void arrive(const Sys& system, const State<S, dynamic>&, const Jacobian&, const Jacobian& next,
              const Multiplier&, const Real<S>& h, double, double after, bool project,
              const Position& q, Position& v_q, Position& p, Multiplier& mu) const {
    system.potential_gradient(q, v_q);
    if (after != 0) subtract_scaled(Real<S>(h * after), v_q, p);
    if (project) hidden(system, next, p, mu);
  }
  /// out = G M^-1 p
  void hidden(const Sys& system, const Jacobian& jacobian, const Position& p,
              Multiplier& out) const {
    for (int k = 0; k < m_; ++k) out[k] = S(0);
    for_ends(jacobian, [&](int k, int body, const S* slope) {
      S sum = slope[0] * p[D * body];
      for (int c = 1; c < D; ++c) sum += slope[c] * p[D * body + c];
      out[k] += sum * system.inverse_mass(body);
    });
  }

  /// Factors G M^-1 G^T.
  FactorReport factor(const Sys& system, const Jacobian& j) {
    return gram_.factor(Entry{*this, system, j});
  }
  void solve(Multiplier& b) const { gram_.solve(b); }
  bool solve_fresh(const Sys& system, const Jacobian& jacobian, Multiplier& b, bool wanted) {
    const FactorReport report = factor(system, jacobian);
    if (wanted) solve(b);
    return report.ok;
  }
  /// b <- (G_1 M^-1 G_0^T)^-1 b with the exact matrix where it is small, else with Broyden's. The
  /// symmetric part would not do: with A = K + N, N skew, the error is multiplied by -K^-1 N, and K
  /// becomes singular before A does.
  bool solve_newton(const Sys& system, const Jacobian& j0, const Jacobian& j1, Multiplier& b) {
    if (m_ > small) {
      solve(b);
      broyden_.correct(b);
      return true;
    }
    const FactorReport report =
        newton_.factor([&](int k, int l) { return product(system, j1, k, j0, l); });
    newton_.solve(b);
    return report.ok;
  }

  /// Whether no link has turned by a right angle or more: (G_1 M^-1 G_0^T)_kk > 0.
  bool same_branch(const Sys& system, const Jacobian& j0, const Jacobian& j1) const {
    bool all = true;
    for (int k = 0; k < m_; ++k) all = all && smallest(product(system, j1, k, j0, k)) > 0;
    return all;
  }

  /// Whether a solve gave finite values.
  RATTLEBACK_INLINE static bool solved(const Multiplier& b, double bound) {
    return within(b, bound);
  }
  static double size(const Multiplier& g) { return largest_magnitude(g); }
  static Floor floor(const Sys& system) { return Floor(system.constraint_count()); }
  /// floor_k = relative sum_j |G_kj| |q_j|, see round_off_size
  void measure(const Position& q, const Jacobian& jacobian, double relative, Floor& floor) const {
    const double least = round_off_size(q);
    floor.setZero();
    for_ends(jacobian, [&](int k, int body, const S* slope) {
      for (int c = 0; c < D; ++c)
        floor[k] += relative * magnitude(base(slope[c])) *
                    std::max(magnitude(base(q[D * body + c])), least);
    });
  }
  static bool within_floor(const Multiplier& g, const Floor& floor, double factor) {
    bool all = true;
    for (Eigen::Index k = 0; k < g.size(); ++k)
      all &= ScalarTraits<S>::within(g[k], factor * floor[k]);
    return all;
  }

 private:
  static constexpr int small = 64;
  struct Ends {
    int first, second;
  };

  /// f(link, body, derivative of the link by the body)
  template <class F>
  void for_ends(const Jacobian& jacobian, F&& f) const {
    const S* slope = jacobian.data();
    for (int k = 0; k < m_; ++k, slope += 2 * D) {
      if (ends_[k].first != ground) f(k, ends_[k].first, slope);
      f(k, ends_[k].second, slope + D);
    }
  }
  /// (G_1 M^-1 G_0^T)_kl: a sum over the bodies the two links share.
  T product(const Sys& system, const Jacobian& j1, int k, const Jacobian& j0, int l) const {
    T sum(0);
    const Ends a = ends_[k], b = ends_[l];
    const auto add = [&](int body, int side_k, int side_l) {
      const S* x = j1.data() + 2 * D * k + D * side_k;
      const S* y = j0.data() + 2 * D * l + D * side_l;
      T dot = base(x[0]) * base(y[0]);
      for (int c = 1; c < D; ++c) dot += base(x[c]) * base(y[c]);
      sum += dot * T(system.inverse_mass(body));
    };
    if (a.first != ground && a.first == b.first) add(a.first, 0, 0);
    if (a.first != ground && a.first == b.second) add(a.first, 0, 1);
    if (a.second == b.first) add(a.second, 1, 0);
    if (a.second == b.second) add(a.second, 1, 1);
    return sum;
  }

  /// G M^-1 G^T. Not inlined into each of the many solvers: that took 7 s of compile time a system.
  struct Entry {
    const LinkKernel& kernel;
    const Sys& system;
    const Jacobian& j;
    [[gnu::noinline]] T operator()(int k, int l) const {
      return kernel.product(system, j, k, j, l);
    }
  };

  int m_;
  std::vector<Ends> ends_;
  StructuredLdlt<T> gram_;
  DenseLu<T> newton_;
  Broyden<Multiplier> broyden_;
};

}  // namespace rattleback

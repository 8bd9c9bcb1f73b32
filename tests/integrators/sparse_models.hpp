// Systems of many coordinates that the tests of sparse matrices share: rods in a plane, and
// oscillators with constraints on positions or on momenta.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/problem/formulation.hpp"
#include "rattleback/problem/scalar.hpp"

namespace rattleback::sparse_models {

using Edges = std::vector<std::pair<int, int>>;  // -1: the origin

struct Example {
  std::string name;
  SystemDescription description;
  State<double> start;
};

/// Points in a plane, joined by rods as long as they are at the start, in a field that is not
/// linear; with `magnetic`, p_x -> p_x + 0.3 y.
inline Example rods(const std::string& name, const std::vector<std::pair<double, double>>& places,
                    const Edges& edges, bool magnetic = false) {
  const int count = static_cast<int>(places.size());
  Example e{name, {}, {Vector<double, dynamic>(2 * count), Vector<double, dynamic>(2 * count)}};
  SystemDescription& d = e.description;
  d.name = name;
  d.form = SystemDescription::Form::hamiltonian;
  Graph& g = *d.graph;
  const auto square = [&](Expression x) { return g.multiply(x, x); };
  for (int i = 0; i < count; ++i) {
    d.coordinates.push_back("x" + std::to_string(i));
    d.coordinates.push_back("y" + std::to_string(i));
  }
  Expression h = g.constant(0);
  for (int i = 0; i < count; ++i) {
    Expression p_x = d.p(2 * i);
    if (magnetic) p_x = g.add(p_x, g.multiply(g.constant(0.3), d.q(2 * i + 1)));
    h = g.add(
        h, g.multiply(g.constant(0.5 + 0.1 * (i % 3)), g.add(square(p_x), square(d.p(2 * i + 1)))));
    h = g.add(
        h, g.add(d.q(2 * i + 1), g.multiply(g.constant(0.2), g.apply(Operation::sin, d.q(2 * i)))));
    e.start.q[2 * i] = places[i].first, e.start.q[2 * i + 1] = places[i].second;
    e.start.p[2 * i] = 0.3 * std::cos(i), e.start.p[2 * i + 1] = 0.2 * std::sin(3 * i);
  }
  d.hamiltonian = h;
  for (const auto& [a, b] : edges) {
    Expression length2 = g.constant(0);
    double now = 0;
    for (int k = 0; k < 2; ++k) {
      const Expression at = d.q(2 * b + k);
      length2 = g.add(length2, square(a < 0 ? at : g.subtract(at, d.q(2 * a + k))));
      now += std::pow(e.start.q[2 * b + k] - (a < 0 ? 0 : e.start.q[2 * a + k]), 2);
    }
    d.constraints.push_back(g.multiply(g.constant(0.5), g.subtract(length2, g.constant(now))));
    d.constraint_labels.push_back("rod " + std::to_string(b));
  }
  return e;
}
inline Example chain(int n, bool magnetic = false) {
  std::vector<std::pair<double, double>> places;
  Edges edges;
  for (int i = 0; i < n; ++i) {
    places.emplace_back(0.7 * (i + 1), -0.6 * (i + 1) + 0.1 * (i % 2));
    edges.emplace_back(i - 1, i);
  }
  return rods("chain", places, edges, magnetic);
}
inline Example tree(int n) {
  std::vector<std::pair<double, double>> places;
  Edges edges;
  for (int i = 0; i < n; ++i) {
    const int parent = (i + 1) / 2 - 1;
    places.emplace_back(i + 0.3, -std::log2(i + 1.) - 1 + 0.2 * std::sin(i));
    edges.emplace_back(parent, i);
  }
  return rods("tree", places, edges);
}
inline Example ring(int n) {
  std::vector<std::pair<double, double>> places;
  Edges edges;
  for (int i = 0; i < n; ++i) {
    places.emplace_back(2 * std::cos(6.28 * i / n), 1.5 * std::sin(6.28 * i / n));
    edges.emplace_back(i == 0 ? n - 1 : i - 1, i);
  }
  return rods("ring", places, edges);
}
/// n oscillators that turn each other; every constraint holds the momentum of one on a curve
/// (mixed), or the distance of two (holonomic).
inline SystemDescription oscillators(int n, bool mixed, double strength = 1) {
  SystemDescription d;
  d.name = "oscillators";
  d.form = SystemDescription::Form::hamiltonian;
  for (int i = 0; i < n; ++i) d.coordinates.push_back("x[" + std::to_string(i) + "]");
  Graph& g = *d.graph;
  const auto number = [&](double x) { return g.constant(x); };
  const auto square = [&](Expression x) { return g.multiply(x, x); };
  Expression h = number(0);
  for (int i = 0; i < n; ++i) {
    const Expression mass = g.add(number(0.5), g.multiply(number(0.05), square(d.q(i))));
    h = g.add(h, g.multiply(square(d.p(i)), mass));
    h = g.add(h, g.multiply(number(strength), square(d.q(i))));
    if (i == 0) continue;
    h = g.add(h, g.multiply(number(0.1), square(square(g.subtract(d.q(i), d.q(i - 1))))));
    h = g.add(h, g.multiply(number(0.1), g.multiply(d.q(i - 1), d.p(i))));
  }
  d.hamiltonian = h;
  for (int i = 3; i < n; i += 4) {
    d.constraints.push_back(mixed
                                ? g.subtract(d.p(i), g.multiply(number(0.5), square(d.q(i))))
                                : g.subtract(g.add(square(d.q(i)), square(d.q(i - 1))), number(1)));
    d.constraint_labels.push_back("g" + std::to_string(i));
  }
  return d;
}
template <class S>
State<S> start(int n, bool mixed) {
  using std::cos, std::sin;
  State<S> z{Vector<S, dynamic>(n), Vector<S, dynamic>(n)};
  for (int i = 0; i < n; ++i) {
    z.q[i] = cos(S(i));
    z.p[i] = z.q[i] * z.q[i] / 2;
  }
  if (!mixed)
    for (int i = 3; i < n; i += 4) z.q[i] = sin(S(i - 1));
  return z;
}

inline Example oscillators_at_start(int n, bool mixed) {
  return {mixed ? "mixed" : "holonomic", oscillators(n, mixed), start<double>(n, mixed)};
}

inline std::vector<Example> examples() {
  return {chain(5),
          chain(4, true),
          tree(7),
          ring(6),
          oscillators_at_start(8, false),
          oscillators_at_start(8, true)};
}

inline constexpr Formulation formulations[] = {Formulation::index2, Formulation::index3,
                                               Formulation::index2_momentum,
                                               Formulation::unconstrained};
inline bool fits(Formulation form, const AnySystem& system) {
  return system.traits().holonomic || form == Formulation::index2 ||
         form == Formulation::unconstrained;
}

}  // namespace rattleback::sparse_models

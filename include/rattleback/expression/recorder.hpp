// Records what a C++ system computes: its templates run once with a scalar that writes expressions
// down, and the system becomes a SystemDescription like one from a model file, with sparse exact
// derivatives and native code. For systems of many coordinates that is far cheaper than dual
// numbers; the model must not branch on its inputs.
#pragma once

#include <compare>
#include <string>
#include <type_traits>

#include "rattleback/expression/description.hpp"
#include "rattleback/problem/scalar.hpp"
#include "rattleback/problem/system.hpp"

namespace rattleback {

/// A number, or an expression of a graph.
class Recorded {
 public:
  Recorded() = default;
  template <class A>
    requires std::is_arithmetic_v<A>
  Recorded(A number) : number_(static_cast<double>(number)) {}  // NOLINT: constants mix freely
  Recorded(Graph& graph, Expression expression);

  bool is_number() const { return graph_ == nullptr; }
  /// The number; throws ModelError where `what` would depend on the inputs.
  double number(const char* what) const;
  /// As an expression of this graph; throws if it belongs to another.
  Expression in(Graph& graph) const;

  Recorded operator-() const { return apply(Operation::negate, *this); }
  Recorded operator+() const { return *this; }
  Recorded& operator+=(const Recorded& o) { return *this = *this + o; }
  Recorded& operator-=(const Recorded& o) { return *this = *this - o; }
  Recorded& operator*=(const Recorded& o) { return *this = *this * o; }
  Recorded& operator/=(const Recorded& o) { return *this = *this / o; }
  friend Recorded operator+(const Recorded& a, const Recorded& b) {
    return apply(Operation::add, a, b);
  }
  friend Recorded operator-(const Recorded& a, const Recorded& b) {
    return apply(Operation::subtract, a, b);
  }
  friend Recorded operator*(const Recorded& a, const Recorded& b) {
    return apply(Operation::multiply, a, b);
  }
  friend Recorded operator/(const Recorded& a, const Recorded& b) {
    return apply(Operation::divide, a, b);
  }

  friend bool operator==(const Recorded& a, const Recorded& b) {
    return a.number("a comparison") == b.number("a comparison");
  }
  friend std::partial_ordering operator<=>(const Recorded& a, const Recorded& b) {
    return a.number("a comparison") <=> b.number("a comparison");
  }

  // Elementary functions, found by argument-dependent lookup: write sin(x), not std::sin(x).
  friend Recorded sqrt(const Recorded& x) { return apply(Operation::sqrt, x); }
  friend Recorded exp(const Recorded& x) { return apply(Operation::exp, x); }
  friend Recorded log(const Recorded& x) { return apply(Operation::log, x); }
  friend Recorded sin(const Recorded& x) { return apply(Operation::sin, x); }
  friend Recorded cos(const Recorded& x) { return apply(Operation::cos, x); }
  friend Recorded tan(const Recorded& x) { return apply(Operation::tan, x); }
  friend Recorded asin(const Recorded& x) { return apply(Operation::asin, x); }
  friend Recorded acos(const Recorded& x) { return apply(Operation::acos, x); }
  friend Recorded atan(const Recorded& x) { return apply(Operation::atan, x); }
  friend Recorded sinh(const Recorded& x) { return apply(Operation::sinh, x); }
  friend Recorded cosh(const Recorded& x) { return apply(Operation::cosh, x); }
  friend Recorded tanh(const Recorded& x) { return apply(Operation::tanh, x); }
  friend Recorded abs(const Recorded& x) { return apply(Operation::abs, x); }
  friend Recorded atan2(const Recorded& y, const Recorded& x) {
    return apply(Operation::atan2, y, x);
  }
  friend Recorded pow(const Recorded& a, const Recorded& b) {
    return apply(Operation::power, a, b);
  }
  friend bool isfinite(const Recorded& x) { return std::isfinite(x.number("isfinite")); }
  friend bool isnan(const Recorded& x) { return std::isnan(x.number("isnan")); }

 private:
  static Recorded apply(Operation operation, const Recorded& a);
  static Recorded apply(Operation operation, const Recorded& a, const Recorded& b);

  Graph* graph_ = nullptr;  ///< none: a number
  Expression expression_{};
  double number_ = 0;
};

template <>
struct ScalarTraits<Recorded> {
  using Base = Recorded;
  using Real = double;
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();
  static constexpr int lanes = 1;
  static constexpr bool is_dual = false;
  static double magnitude(const Recorded& x) { return std::abs(x.number("a magnitude")); }
  static bool within(const Recorded& x, double bound) { return magnitude(x) <= bound; }
  static bool beyond(const Recorded& x, double bound) { return magnitude(x) > bound; }
  static double smallest(const Recorded& x) { return x.number("a comparison"); }
  static Recorded base(const Recorded& x) { return x; }
};

}  // namespace rattleback

namespace Eigen {

template <>
struct NumTraits<rattleback::Recorded>
    : rattleback::detail::RealNumTraits<rattleback::Recorded, double, 1, 10, 10> {};

template <class BinaryOp>
struct ScalarBinaryOpTraits<rattleback::Recorded, double, BinaryOp> {
  using ReturnType = rattleback::Recorded;
};
template <class BinaryOp>
struct ScalarBinaryOpTraits<double, rattleback::Recorded, BinaryOp> {
  using ReturnType = rattleback::Recorded;
};

}  // namespace Eigen

namespace rattleback {

namespace detail {

template <int N>
Vector<Recorded, N> recorded_inputs(Graph& graph, int n, int first) {
  Vector<Recorded, N> x(n);
  for (int i = 0; i < n; ++i) x[i] = Recorded(graph, graph.input(first + i));
  return x;
}

/// The entries of a constant mass, n or n*n; empty where the system has none to show.
template <class Sys>
std::vector<double> constant_mass(const Sys& system) {
  std::vector<double> entries;
  if constexpr (requires { system.mass().masses(); }) {
    for (const double m : system.mass().masses()) entries.push_back(m);
  } else if constexpr (requires { system.mass().matrix(); }) {
    const auto& m = system.mass().matrix();
    for (Eigen::Index i = 0; i < m.rows(); ++i)
      for (Eigen::Index j = 0; j < m.cols(); ++j) entries.push_back(m(i, j));
  } else if constexpr (requires { system.mass(0), Sys::space; }) {
    for (int i = 0; i < system.dimension(); ++i) entries.push_back(system.mass(i / Sys::space));
  }
  return entries;
}

/// What the energy is made of, in the form that tells most.
template <class Sys, class X>
void record_energy(const Sys& system, const X& q, const X& p, const X& v, SystemDescription& out) {
  using Form = SystemDescription::Form;
  Graph& graph = *out.graph;
  constexpr int N = Sys::dimension_at_compile_time;
  if constexpr (requires { system.potential(q); }) {
    out.form = Form::natural;
    for (const double m : constant_mass(system)) out.mass.push_back(graph.constant(m));
    out.potential = Recorded(system.potential(q)).in(graph);
    if (!out.mass.empty()) return;
  } else if constexpr (requires { system.hamiltonian().lagrangian(q, v); }) {
    out.form = Form::lagrangian;
    out.lagrangian = Recorded(system.hamiltonian().lagrangian(q, v)).in(graph);
    return;
  } else if constexpr (requires(Matrix<Recorded, N> m) {
                         system.hamiltonian().mass(q, m);
                         system.hamiltonian().potential(q);
                       }) {
    out.form = Form::natural;
    Matrix<Recorded, N> m(q.size(), q.size());
    system.hamiltonian().mass(q, m);
    for (Eigen::Index i = 0; i < m.rows(); ++i)
      for (Eigen::Index j = 0; j < m.cols(); ++j) out.mass.push_back(m(i, j).in(graph));
    out.potential = Recorded(system.hamiltonian().potential(q)).in(graph);
    return;
  }
  out.form = Form::hamiltonian;
  out.potential = {};
  out.hamiltonian = Recorded(system.energy(q, p)).in(graph);
}

}  // namespace detail

/// The system as expressions: natural systems with their mass and potential, Lagrangian ones with
/// L(q, v), all others with H(q, p); coordinates are q[0], q[1], ... Throws ModelError where the
/// model compares numbers that depend on its inputs.
template <class Sys>
SystemDescription record(const Sys& system, std::string name = "recorded") {
  SystemDescription out;
  out.name = std::move(name);
  const int n = system.dimension(), m = system.constraint_count();
  for (int i = 0; i < n; ++i) out.coordinates.push_back("q[" + std::to_string(i) + "]");
  constexpr int N = Sys::dimension_at_compile_time, M = Sys::constraints_at_compile_time;
  const auto q = detail::recorded_inputs<N>(*out.graph, n, 0);
  const auto p = detail::recorded_inputs<N>(*out.graph, n, n);
  const auto v = detail::recorded_inputs<N>(*out.graph, n, 2 * n);
  detail::record_energy(system, q, p, v, out);
  Vector<Recorded, M> g(m);
  if (m > 0) system.constraint(q, p, g);
  for (int i = 0; i < m; ++i) {
    out.constraints.push_back(g[i].in(*out.graph));
    out.constraint_labels.push_back("g[" + std::to_string(i) + "]");
  }
  return out;
}

}  // namespace rattleback

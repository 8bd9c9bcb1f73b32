// The concepts: what a step body may ask of a system.
#pragma once

#include <concepts>

#include "rattleback/problem/scalar.hpp"

namespace rattleback {

/// What a system is; decides the fast path. For systems with types known at compile time this is a
/// constant expression and costs nothing.
struct Traits {
  bool natural = false;     ///< H = p.M^-1 p/2 + V(q), M constant
  bool separable = false;   ///< H = T(p) + V(q)
  bool lagrangian = false;  ///< L(q, v) is known
  bool holonomic = true;    ///< g depends on q only
  bool quadratic = false;   ///< every g_i is quadratic in (q, p)
  bool operator==(const Traits&) const = default;
};

/// H(q, p) with its gradient, in any scalar type.
template <class Sys>
concept System =
    requires(const Sys& system, const Vector<double, Sys::dimension_at_compile_time>& x,
             Vector<double, Sys::dimension_at_compile_time>& y) {
      { system.dimension() } -> std::convertible_to<int>;
      { system.traits() } -> std::same_as<Traits>;
      { system.energy(x, x) } -> std::convertible_to<double>;
      system.energy_gradient(x, x, y, y);
    };

/// A system with constraints g(q, p) = 0 and their Jacobians (m may be 0).
template <class Sys>
concept ConstrainedSystem =
    System<Sys> &&
    requires(const Sys& system, const Vector<double, Sys::dimension_at_compile_time>& x,
             Vector<double, Sys::constraints_at_compile_time>& g,
             Matrix<double, Sys::constraints_at_compile_time, Sys::dimension_at_compile_time>&
                 jacobian) {
      { system.constraint_count() } -> std::convertible_to<int>;
      system.constraint(x, x, g);
      system.linearise(x, x, g, jacobian, jacobian);
    };

/// Systems that can give the parts of H = p.M^-1 p/2 + V(q) (traits().natural says whether they
/// do).
template <class Sys>
concept NaturalForm =
    requires(const Sys& system, const Vector<double, Sys::dimension_at_compile_time>& x,
             Vector<double, Sys::dimension_at_compile_time>& y) {
      system.potential_gradient(x, y);
      system.velocity(x, y);
    };

/// Systems that know their Lagrangian's gradient (traits().lagrangian says whether they do).
template <class Sys>
concept LagrangianForm = requires(
    const Sys& system, const Vector<double, Sys::dimension_at_compile_time>& x,
    Vector<double, Sys::dimension_at_compile_time>& y) { system.lagrangian_gradient(x, x, y, y); };

template <class Sys, class S>
using StateOf = State<S, Sys::dimension_at_compile_time>;
template <class Sys, class S>
using PositionOf = Vector<S, Sys::dimension_at_compile_time>;
template <class Sys, class S>
using MultiplierOf = Vector<S, Sys::constraints_at_compile_time>;
template <class Sys, class S>
using JacobianOf = Matrix<S, Sys::constraints_at_compile_time, Sys::dimension_at_compile_time>;

/// Room for a point and the slopes of H there.
template <class S, int N>
struct EnergySlopes {
  Vector<S, N> q, p, h_q, h_p;

  explicit EnergySlopes(int dimension)
      : q(dimension), p(dimension), h_q(dimension), h_p(dimension) {}
};

}  // namespace rattleback

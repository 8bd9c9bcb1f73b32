// Systems given by any H(q, p); by a position-dependent mass; or by a regular Lagrangian L(q, v).
#pragma once

#include <string>
#include <utility>

#include "rattleback/problem/constraints.hpp"
#include "rattleback/problem/small_ldlt.hpp"
#include "rattleback/problem/system.hpp"

namespace rattleback {

/// Energy is a function object H(q, p); it may bring its own gradient(q, p, H_q, H_p), and
///   static constexpr bool separable = true;   to promise H = T(p) + V(q)
///   void flow(q, p, h) const;                 the exact flow of X_H (base map `exact`)
///   lagrangian_gradient(q, v, L_q, L_v)       where the Lagrangian is known
///   std::string undefined_at(q, p) const      why there is no H(q, p); empty where there is one
template <int N, class Energy, class Constraints>
class HamiltonianSystem {
 public:
  static constexpr int dimension_at_compile_time = N;
  static constexpr int constraints_at_compile_time = Constraints::count_at_compile_time;

  HamiltonianSystem(int n, Energy energy, Constraints constraints)
      : n_(n), energy_(std::move(energy)), g_(std::move(constraints)) {}

  int dimension() const { return N == dynamic ? n_ : N; }
  int constraint_count() const { return g_.count(); }
  static constexpr Traits traits() {
    constexpr bool separable = [] {
      if constexpr (requires { Energy::separable; }) return Energy::separable;
      return false;
    }();
    constexpr bool lagrangian =
        requires(const Energy& h, Vector<double, N>& x) { h.lagrangian_gradient(x, x, x, x); };
    return {.natural = false,
            .separable = separable,
            .lagrangian = lagrangian,
            .holonomic = Constraints::holonomic,
            .quadratic = Constraints::quadratic};
  }
  const Energy& hamiltonian() const { return energy_; }
  const Constraints& constraints() const { return g_; }

  template <class S>
  S energy(const Vector<S, N>& q, const Vector<S, N>& p) const {
    return static_cast<S>(energy_(q, p));
  }
  template <class S>
  void energy_gradient(const Vector<S, N>& q, const Vector<S, N>& p, Vector<S, N>& h_q,
                       Vector<S, N>& h_p) const {
    if constexpr (requires { energy_.gradient(q, p, h_q, h_p); })
      energy_.gradient(q, p, h_q, h_p);
    else
      automatic_energy_gradient(q, p, h_q, h_p);
  }
  template <class S>
  void automatic_energy_gradient(const Vector<S, N>& q, const Vector<S, N>& p, Vector<S, N>& h_q,
                                 Vector<S, N>& h_p) const {
    automatic_gradient(energy_, q, p, h_q, h_p);
  }
  std::string undefined_at(const Vector<double, N>& q, const Vector<double, N>& p) const
    requires requires(const Energy& h) { h.undefined_at(q, p); }
  {
    return energy_.undefined_at(q, p);
  }
  template <class S>
  void lagrangian_gradient(const Vector<S, N>& q, const Vector<S, N>& v, Vector<S, N>& l_q,
                           Vector<S, N>& l_v) const
    requires requires(const Energy& h) { h.lagrangian_gradient(q, v, l_q, l_v); }
  {
    energy_.lagrangian_gradient(q, v, l_q, l_v);
  }
  /// The user's exact flow of X_H.
  template <class S>
  void flow(Vector<S, N>& q, Vector<S, N>& p, const Real<S>& h) const
    requires requires(const Energy& e) { e.flow(q, p, h); }
  {
    energy_.flow(q, p, h);
  }

  template <class Q, class P, class G>
  void constraint(const Q& q, const P& p, G& g) const {
    g_.evaluate(q, p, g);
  }
  template <class S, int M>
  void linearise(const Vector<S, N>& q, const Vector<S, N>& p, Vector<S, M>& g,
                 Matrix<S, M, N>& g_q, Matrix<S, M, N>& g_p) const {
    g_.linearise(q, p, g, g_q, g_p);
  }
  /// The user's own fibre flow; true where there is one.
  template <class S, int M>
  bool slide(Vector<S, N>& q, Vector<S, N>& p, const Vector<S, M>& lambda) const
    requires(Constraints::template has_slide<S, N>)
  {
    g_.function().slide(q, p, lambda);
    return true;
  }

 private:
  int n_;
  Energy energy_;
  Constraints g_;
};

/// hamiltonian_system<2>(H, g): sizes known at compile time.
template <int N, class Energy, class F = Unconstrained>
auto hamiltonian_system(Energy energy, F g = {}) {
  detail::require_function<N, 2, Energy>();
  auto constraints = make_constraints<N>(std::move(g));
  return HamiltonianSystem<N, Energy, decltype(constraints)>(N, std::move(energy),
                                                             std::move(constraints));
}
/// hamiltonian_system(n, H, constraints(m, f)): sizes known at run time.
template <class Energy, class F = Unconstrained>
auto hamiltonian_system(int n, Energy energy, F g = {}) {
  detail::require_function<dynamic, 2, Energy>();
  auto constraints = make_constraints<dynamic>(std::move(g));
  return HamiltonianSystem<dynamic, Energy, decltype(constraints)>(n, std::move(energy),
                                                                   std::move(constraints));
}

/// H = p.M(q)^-1 p/2 + V(q): the mass function writes its matrix, M(q, out).
template <int N, class MassFunction, class Potential>
struct VariableMassEnergy {
  MassFunction mass;
  Potential potential;

  template <class S>
  S operator()(const Vector<S, N>& q, const Vector<S, N>& p) const {
    Matrix<S, N> m(q.size(), q.size());
    mass(q, m);
    Vector<S, N> v = p;
    ldlt_solve(m, v);
    S kinetic(0);
    for (Eigen::Index i = 0; i < p.size(); ++i) kinetic += p[i] * v[i];
    return kinetic * 0.5 + potential(q);
  }
  /// L(q,v) = v.M(q)v/2 - V(q)
  template <class S>
  void lagrangian_gradient(const Vector<S, N>& q, const Vector<S, N>& v, Vector<S, N>& l_q,
                           Vector<S, N>& l_v) const {
    automatic_gradient(
        [this]<class X>(const X& x, const X& w) {
          using T = typename X::Scalar;
          Matrix<T, N> m(x.size(), x.size());
          mass(x, m);
          T kinetic(0);
          for (Eigen::Index i = 0; i < x.size(); ++i)
            for (Eigen::Index j = 0; j < x.size(); ++j) kinetic += w[i] * m(i, j) * w[j];
          return T(kinetic * 0.5 - potential(x));
        },
        q, v, l_q, l_v);
  }
};

/// Natural system with position-dependent mass.
template <int N, class MassFunction, class Potential, class F = Unconstrained>
auto variable_mass_system(MassFunction mass, Potential potential, F g = {}) {
  detail::require_function<N, 1, Potential>();
  return hamiltonian_system<N>(
      VariableMassEnergy<N, MassFunction, Potential>{std::move(mass), std::move(potential)},
      std::move(g));
}

}  // namespace rattleback

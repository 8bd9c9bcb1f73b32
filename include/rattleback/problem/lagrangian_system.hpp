// Systems given by a regular Lagrangian L(q, v), by the Legendre transform:
//   L_v(q, v) = p for v,   H(q, p) = p.v - L(q, v),   H_q = -L_q(q, v),   H_p = v,
// and the other way round, the Lagrangian of a Hamiltonian that is regular in p. L_vv may be
// indefinite, not singular.
#pragma once

#include <string>
#include <utility>

#include "rattleback/problem/hamiltonian_system.hpp"
#include "rattleback/problem/legendre_solve.hpp"

namespace rattleback {

/// H of a regular Lagrangian L(q, v), a templated function; it may bring gradient(q, v, L_q, L_v).
template <int N, class Lagrangian>
struct LagrangianEnergy {
  Lagrangian lagrangian;

  template <class S>
  S operator()(const Vector<S, N>& q, const Vector<S, N>& p) const {
    Vector<S, N> v(q.size()), l_q(q.size());
    solve(q, p, v, l_q);
    S energy = -static_cast<S>(lagrangian(q, v));
    for (Eigen::Index i = 0; i < q.size(); ++i) energy += p[i] * v[i];
    return energy;
  }
  /// H_q = -L_q, H_p = v
  template <class S>
  void gradient(const Vector<S, N>& q, const Vector<S, N>& p, Vector<S, N>& h_q,
                Vector<S, N>& h_p) const {
    solve(q, p, h_p, h_q);
    for (Eigen::Index i = 0; i < q.size(); ++i) h_q[i] = -h_q[i];
  }
  template <class S>
  void lagrangian_gradient(const Vector<S, N>& q, const Vector<S, N>& v, Vector<S, N>& l_q,
                           Vector<S, N>& l_v) const {
    detail::gradient_of(lagrangian, q, v, l_q, l_v);
  }
  /// Why there is no v with L_v(q, v) = p.
  std::string undefined_at(const Vector<double, N>& q, const Vector<double, N>& p) const {
    Vector<double, N> v(q.size()), l_q(q.size());
    auto transform = legendre(q, p);
    transform.run(v, l_q);
    return transform.failure();
  }

 private:
  template <class S>
  auto legendre(const Vector<S, N>& q, const Vector<S, N>& p) const {
    return detail::LegendreSolve<Lagrangian, S, N>(lagrangian, {"L_vv", "q", "v"}, q, p);
  }
  template <class S>
  void solve(const Vector<S, N>& q, const Vector<S, N>& p, Vector<S, N>& v,
             Vector<S, N>& l_q) const {
    legendre(q, p).run(v, l_q);
  }
};

/// A Hamiltonian that is regular in p, together with its Lagrangian.
template <int N, class Hamiltonian>
struct RegularEnergy {
  Hamiltonian hamiltonian;

  template <class S>
  S operator()(const Vector<S, N>& q, const Vector<S, N>& p) const {
    return static_cast<S>(hamiltonian(q, p));
  }
  template <class S>
  void gradient(const Vector<S, N>& q, const Vector<S, N>& p, Vector<S, N>& h_q,
                Vector<S, N>& h_p) const {
    detail::gradient_of(hamiltonian, q, p, h_q, h_p);
  }
  /// L_v = p where H_p(q, p) = v, L_q = -H_q
  template <class S>
  void lagrangian_gradient(const Vector<S, N>& q, const Vector<S, N>& v, Vector<S, N>& l_q,
                           Vector<S, N>& l_v) const {
    detail::LegendreSolve<Hamiltonian, S, N>(hamiltonian, {"H_pp", "q", "p"}, q, v).run(l_v, l_q);
    for (Eigen::Index i = 0; i < q.size(); ++i) l_q[i] = -l_q[i];
  }
};

/// lagrangian_system<2>(L, g): L(q, v) regular, g as for the other systems.
template <int N, class Lagrangian, class F = Unconstrained>
auto lagrangian_system(Lagrangian lagrangian, F g = {}) {
  detail::require_function<N, 2, Lagrangian>();
  return hamiltonian_system<N>(LagrangianEnergy<N, Lagrangian>{std::move(lagrangian)},
                               std::move(g));
}
/// lagrangian_system(n, L, constraints(m, f)): sizes known at run time.
template <class Lagrangian, class F = Unconstrained>
auto lagrangian_system(int n, Lagrangian lagrangian, F g = {}) {
  detail::require_function<dynamic, 2, Lagrangian>();
  return hamiltonian_system(n, LagrangianEnergy<dynamic, Lagrangian>{std::move(lagrangian)},
                            std::move(g));
}
/// hamiltonian_system<2>(regular<2>(H), g): H with H_pp regular, usable by variational methods.
template <int N, class Hamiltonian>
auto regular(Hamiltonian hamiltonian) {
  return RegularEnergy<N, Hamiltonian>{std::move(hamiltonian)};
}

}  // namespace rattleback

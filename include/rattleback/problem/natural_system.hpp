// Natural systems with constant mass: H(q,p) = p.M^-1 p/2 + V(q), constraints g(q) or g(q,p).
#pragma once

#include <utility>

#include "rattleback/problem/constraints.hpp"
#include "rattleback/problem/mass.hpp"
#include "rattleback/problem/system.hpp"

namespace rattleback {

template <class MassType, class Potential, class Constraints>
class NaturalSystem {
 public:
  static constexpr int dimension_at_compile_time = MassType::dimension_at_compile_time;
  static constexpr int constraints_at_compile_time = Constraints::count_at_compile_time;

  NaturalSystem(MassType mass, Potential potential, Constraints constraints)
      : mass_(std::move(mass)), potential_(std::move(potential)), g_(std::move(constraints)) {}

  int dimension() const { return static_cast<int>(mass_.size()); }
  int constraint_count() const { return g_.count(); }
  static constexpr Traits traits() {
    return {.natural = true,
            .separable = true,
            .lagrangian = true,
            .holonomic = Constraints::holonomic,
            .quadratic = Constraints::quadratic};
  }
  const MassType& mass() const { return mass_; }
  const Constraints& constraints() const { return g_; }

  template <class Q>
  auto potential(const Q& q) const {
    return static_cast<typename Q::Scalar>(potential_(q));
  }
  template <class S, int N>
  void potential_gradient(const Vector<S, N>& q, Vector<S, N>& v_q) const {
    if constexpr (requires { potential_.gradient(q, v_q); })
      potential_.gradient(q, v_q);
    else
      automatic_gradient(potential_, q, v_q);
  }
  template <class S, int N>
  void automatic_potential_gradient(const Vector<S, N>& q, Vector<S, N>& v_q) const {
    automatic_gradient(potential_, q, v_q);
  }
  template <class P, class V>
  void velocity(const P& p, V& v) const {
    mass_.velocity(p, v);
  }

  template <class S, int N>
  S energy(const Vector<S, N>& q, const Vector<S, N>& p) const {
    auto&& v = detail::scratch<S, N, struct Velocity>(p.size());
    mass_.velocity(p, v);
    S kinetic(0);
    for (Eigen::Index i = 0; i < p.size(); ++i) kinetic += p[i] * v[i];
    return kinetic * 0.5 + potential(q);
  }
  template <class S, int N>
  void energy_gradient(const Vector<S, N>& q, const Vector<S, N>& p, Vector<S, N>& h_q,
                       Vector<S, N>& h_p) const {
    potential_gradient(q, h_q);
    mass_.velocity(p, h_p);
  }
  /// L(q,v) = v.Mv/2 - V(q): L_q and L_v.
  template <class S, int N>
  void lagrangian_gradient(const Vector<S, N>& q, const Vector<S, N>& v, Vector<S, N>& l_q,
                           Vector<S, N>& l_v) const {
    potential_gradient(q, l_q);
    l_q = -l_q;
    mass_.momentum(v, l_v);
  }

  template <class Q, class P, class G>
  void constraint(const Q& q, const P& p, G& g) const {
    g_.evaluate(q, p, g);
  }
  template <class S, int N, int M>
  void linearise(const Vector<S, N>& q, const Vector<S, N>& p, Vector<S, M>& g,
                 Matrix<S, M, N>& g_q, Matrix<S, M, N>& g_p) const {
    g_.linearise(q, p, g, g_q, g_p);
  }
  /// The user's own fibre flow; true where there is one.
  template <class S, int N, int M>
  bool slide(Vector<S, N>& q, Vector<S, N>& p, const Vector<S, M>& lambda) const
    requires(Constraints::template has_slide<S, N>)
  {
    g_.function().slide(q, p, lambda);
    return true;
  }

 private:
  MassType mass_;
  Potential potential_;
  Constraints g_;
};

/// natural_system(mass, V, g): g a function of q or of (q, p), or constraints(m, f).
template <class MassType, class Potential, class F>
auto natural_system(MassType mass, Potential potential, F g) {
  detail::require_function<MassType::dimension_at_compile_time, 1, Potential>();
  auto constraints = make_constraints<MassType::dimension_at_compile_time>(std::move(g));
  return NaturalSystem<MassType, Potential, decltype(constraints)>(
      std::move(mass), std::move(potential), std::move(constraints));
}
template <class MassType, class Potential>
auto natural_system(MassType mass, Potential potential) {
  return natural_system(std::move(mass), std::move(potential), Unconstrained{});
}

}  // namespace rattleback

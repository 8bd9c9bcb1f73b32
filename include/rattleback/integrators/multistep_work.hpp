// What a step of a multistep method works on.
#pragma once

#include "rattleback/integrators/multistep_row.hpp"

namespace rattleback {

/// The front of a multistep method, and a step of it on its way.
template <class K>
struct MultistepWork {
  using Position = typename K::Position;
  using Row = RowOf<Position>;
  MultistepFront<Row> front;
  MultistepFront<Row> coast, ahead;  ///< without beta w, and with it, where its size is static
  Position force;  ///< h^2 M^-1 f at the front; V_q where a kernel has passes of its own
  Position w, q;   ///< q ahead, as far as the iteration is
  Row u;           ///< history + beta w
  Row near;        ///< what the front coasts by without beta w, where its size is dynamic
  Row history;     ///< what the past gives to u, where its size is static
  // There, one step further, with the first guess of w
  MultistepFront<Row> next_coast;
  Row next_history, foreseen;
  typename K::Multiplier lambda, g;
  typename K::Jacobian jacobian, next;  ///< G at the front, and ahead of it

  template <class Sys>
  explicit MultistepWork(const Sys& system)
      : front(system.dimension()),
        coast(if_static(system)),
        ahead(if_static(system)),
        force(system.dimension()),
        w(system.dimension()),
        q(system.dimension()),
        u(system.dimension()),
        near(system.dimension()),
        history(if_static(system)),
        next_coast(if_static(system)),
        next_history(if_static(system)),
        foreseen(if_static(system)),
        lambda(system.constraint_count()),
        g(system.constraint_count()),
        jacobian(K::jacobian(system)),
        next(K::jacobian(system)) {}

 private:
  /// Of what only a static size has.
  template <class Sys>
  static Eigen::Index if_static(const Sys& system) {
    return K::N == dynamic ? 0 : system.dimension();
  }
};

}  // namespace rattleback

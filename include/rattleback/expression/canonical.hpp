// From what the user wrote to what steps need: H(q, p), constraints in (q, p), and the parts of H
// where it falls apart (mass, potential, Lagrangian). Everything is found by differentiation, so a
// natural system is recognised however it is written.
#pragma once

#include <string>
#include <vector>

#include "rattleback/expression/description.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/problem/system.hpp"

namespace rattleback {

/// All expressions are of the description's graph.
struct CanonicalSystem {
  SystemDescription source;
  Traits traits{};
  Expression hamiltonian;            ///< H(q, p); empty: the Legendre transform has no closed form
  Expression lagrangian;             ///< L(q, v); empty: not known
  Expression potential;              ///< V(q) of a natural system
  std::vector<double> inverse_mass;  ///< natural with a diagonal mass
  std::vector<Expression> velocity;  ///< H_p of a natural system, linear in p
  std::vector<Expression> constraints;  ///< g(q, p)

  int dimension() const { return source.dimension(); }
  int constraint_count() const { return static_cast<int>(constraints.size()); }
  Graph& graph() const { return *source.graph; }
};

/// Throws ModelError where the mass or L_vv is singular (with its rank), or a Lagrangian without
/// closed Legendre transform has constraints on velocities.
CanonicalSystem canonical(SystemDescription description);

/// A Lagrangian whose L_vv has rank < n: its primary constraints are found by the analysis of
/// constraints, and no H exists before that.
class SingularLagrangian : public ModelError {
 public:
  SingularLagrangian(int rank, int dimension);
  int rank() const { return rank_; }

 private:
  int rank_;
};

}  // namespace rattleback

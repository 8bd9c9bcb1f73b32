// A system as expressions, however it was written: what the text layer and the recorder make, what
// expression_system.hpp compiles, and what the analysis of constraints differentiates.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rattleback/expression/graph.hpp"

namespace rattleback {

/// Inputs of the graph: q is 0..n-1, p is n..2n-1, v (velocities) is 2n..3n-1.
struct SystemDescription {
  enum class Form { natural, hamiltonian, lagrangian };

  std::string name;
  Form form = Form::natural;
  std::vector<std::string> coordinates;  ///< "x", or "x[3]" of a family
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  std::vector<Expression> mass;  ///< natural: n entries (diagonal) or n*n by rows, functions of q
  Expression potential;          ///< natural: V(q)
  Expression hamiltonian;        ///< hamiltonian: H(q, p)
  Expression lagrangian;         ///< lagrangian: L(q, v)
  std::vector<Expression> constraints;         ///< g(q, p); velocities may occur, see below
  std::vector<std::string> constraint_labels;  ///< as the user knows them, for messages

  int dimension() const { return static_cast<int>(coordinates.size()); }
  Expression q(int i) const { return graph->input(i); }
  Expression p(int i) const { return graph->input(dimension() + i); }
  Expression v(int i) const { return graph->input(2 * dimension() + i); }
  /// "x", "p_x", "x_dot"; of a family "x[3]", "p_x[3]", "x_dot[3]".
  std::string input_name(int input) const;
};

}  // namespace rattleback
